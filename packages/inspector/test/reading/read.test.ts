import { formats } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { usualSettings } from '../../src/model/workbench.ts'
import { tryChunkings } from '../../src/reading/chunkings.ts'
import type { Input, ReadingSettings } from '../../src/reading/protocol.ts'
import { readBoth, readInput } from '../../src/reading/read.ts'

function inputOf(source: string, settings: Partial<ReadingSettings> = {}): Input {
  return { source, as: 'auto', settings: { ...usualSettings, ...settings } }
}

const tools = '{"get_weather": {"city": "string", "days": "integer|null"}}'

describe('reading', () => {
  it('takes tools as names and types, as a list of definitions, or as a request has them', () => {
    const source = '<tool_call><function=get_weather><parameter=days>3</parameter></function></tool_call>'
    const given = [
      tools,
      '[{"name": "get_weather", "parameters": {"properties": {"days": {"type": "integer"}}}}]',
      '{"tools": [{"functionDeclarations": [{"name": "get_weather", "parameters": {"properties": {"days": {"type": "integer"}}}}]}]}',
    ]
    for (const each of given) {
      const { trace, complaints } = readInput(inputOf(source, { format: 'qwen', tools: each }), null)
      expect(trace.events).toContainEqual({ type: 'call-delta', index: 0, json: '{"days":3}' })
      expect(complaints).toEqual([])
    }
  })

  it('complains of tools that are none, and of a format that nobody knows', () => {
    const { complaints, trace } = readInput(inputOf('Hi.', { tools: '{', format: 'klingon' }), null)
    expect(complaints).toHaveLength(2)
    expect(trace.events).toEqual([{ type: 'text', text: 'Hi.' }])
  })

  it('of an exchange that still runs takes nothing for broken off', () => {
    const said = inputOf('Hi. <tool_call>{"name": "get_w', { format: 'hermes' })
    const got = inputOf('', {})
    const problemsIn = (isEnded: boolean): number =>
      readBoth(said, got, isEnded).said.trace.events.filter(({ type }) => type === 'problem').length
    expect([problemsIn(true), problemsIn(false)]).toEqual([1, 0])
    expect([true, false].map((isEnded) => readBoth(said, got, isEnded).said.isEnded)).toEqual([true, false])
    expect(readBoth(said, got, false).said.trace.held).toMatchObject({ from: 4 })
  })

  it('up to a cut shows what is held, and does not end', () => {
    const { trace, text } = readInput(
      inputOf('Hi. <tool_call>{"name": "get_w', { format: 'hermes', tools }),
      10,
    )
    expect(text).toHaveLength(30)
    expect(trace.held).toMatchObject({ from: 4, to: 10, why: 'marker' })
    expect(trace.events).toEqual([{ type: 'text', text: 'Hi. ' }])
  })
})

it.each(['kimi', 'gemma', 'lfm'])('%s: every chunking that the button tries gives the same', (format) => {
  const sample = formats.find(({ id }) => id === format)?.sample ?? ''
  const report = tryChunkings(inputOf(`Hm. ${sample}`, { format, tools }), () => 0)
  expect(report.difference).toBeNull()
  expect(report.tried).toBeGreaterThan(sample.length)
})

it('a proof that takes too long ends with what was tried', () => {
  let now = 0
  const report = tryChunkings(inputOf('a'.repeat(500)), () => (now += 1000))
  expect(report.tried).toBeLessThan(6)
  expect(report.difference).toBeNull()
})

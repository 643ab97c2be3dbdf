import { describe, expect, it } from 'vitest'
import { parseToolCalls } from '../src/index.ts'
import { createParser } from '../src/parser.ts'
import type { ModelEvent } from '../src/events.ts'

const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
  '{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>'
const hermesCall = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'

describe('where calls are forbidden', () => {
  it.each([
    ['kimi', kimiCall],
    ['hermes', hermesCall],
  ] as const)('a call written in %s is left out and reported', (format, call) => {
    expect(eventsOf(`Hello.${call}`, { format })).toEqual([
      { type: 'text', text: 'Hello.' },
      { type: 'repair', code: 'forbidden-call', message: expect.any(String) },
    ])
  })

  it('it is left out wherever the text is cut', () => {
    const text = `Hello.${kimiCall}`
    for (let at = 1; at < text.length; at++) {
      const parser = createParser({ format: 'kimi', calls: 'remove' })
      const events = [...parser.push(text.slice(0, at)), ...parser.push(text.slice(at)), ...parser.end()]
      const said = events.map((event) => (event.type === 'text' ? event.text : '')).join('')
      expect(said).toBe('Hello.')
      expect(events.filter(({ type }) => type.startsWith('call-'))).toEqual([])
    }
  })

  it('each of several is reported', () => {
    const second = kimiCall.replace(':0', ':1')
    expect(eventsOf(kimiCall + second, { format: 'kimi' }).map(codeOf)).toEqual([
      'forbidden-call',
      'forbidden-call',
    ])
  })

  it('text that only looks like one stays', () => {
    const text = 'It would be {"name": "get_weather", "arguments": {"city": "Paris"}}, in JSON.'
    expect(eventsOf(text, { format: 'hermes' })).toEqual([{ type: 'text', text }])
  })

  it('reasoning is split all the same', () => {
    const { content, reasoning } = parseToolCalls('<think>Hm.</think>Hello.', {
      format: 'hermes',
      calls: 'remove',
    })
    expect({ content, reasoning }).toEqual({ content: 'Hello.', reasoning: 'Hm.' })
  })
})

describe('a limit for one format', () => {
  const call = kimiCall.replace('Paris', 'P'.repeat(200))
  const limits = { byFormat: { kimi: 100 } }

  it('holds where the answer alone tells that format', () => {
    const { problems } = parseToolCalls(call, { delivery: 'complete', limits })
    expect(problems.map(({ code }) => code)).toContain('overflow')
  })

  it('holds for no other format', () => {
    const { toolCalls, problems } = parseToolCalls(hermesCall.replace('Paris', 'P'.repeat(200)), {
      delivery: 'complete',
      limits,
    })
    expect(toolCalls).toHaveLength(1)
    expect(problems).toEqual([])
  })

  it('must be a positive whole number', () => {
    expect(() => createParser({ limits: { byFormat: { kimi: 0 } } })).toThrow('limits.byFormat.kimi is 0')
  })
})

function eventsOf(text: string, { format }: { format: 'kimi' | 'hermes' }): ModelEvent[] {
  const parser = createParser({ format, calls: 'remove' })
  return [...parser.push(text), ...parser.end('stop')]
}

function codeOf(event: ModelEvent): string {
  return 'code' in event ? event.code : event.type
}

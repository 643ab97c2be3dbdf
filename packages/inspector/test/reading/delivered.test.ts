import { describe, expect, it } from 'vitest'
import { readBoth } from '../../src/reading/read.ts'
import { usualSettings } from '../../src/model/workbench.ts'
import type { BothReadings, Input } from '../../src/reading/protocol.ts'

const kimi =
  'I look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
  '{"city": "Oslo"}<|tool_call_end|><|tool_calls_section_end|>'

const gotChunks = [
  'event: content_block_delta\ndata: {"type":"content_block_delta","delta":{"type":"text_delta","text":"I lo"}}\n\n',
  'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"ok."}}\n\n' +
    'data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"get_weather","input":{}}}\n\n' +
    'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\\"city\\""}}\n\n',
  'data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":": \\"Oslo\\"}"}}\n\n',
]

function inputOf(source: readonly string[], format: string): Input {
  return { source, as: 'auto', settings: { ...usualSettings, format } }
}

/** What was found, with the kind, the bytes, and the type of the event that it comes from. */
function found(said: string, got: readonly string[]): string[] {
  const both: BothReadings = readBoth(inputOf([said], 'kimi'), inputOf(got, 'standard'), true)
  const bytes = got.join('')
  return both.delivered.map(({ from, to, kind, event }) => {
    const type = event === null ? 'nothing' : both.said.trace.events[event]?.type
    return `${kind} ${bytes.slice(from, to)} ← ${type}`
  })
}

describe('in the bytes that a client got', () => {
  it('text, names and arguments are found, each with its event', () => {
    expect(found(kimi, gotChunks)).toEqual([
      'text I lo ← text',
      'text ok. ← text',
      'name get_weather ← call-start',
      String.raw`arguments {\"city\" ← call-delta`,
      String.raw`arguments : \"Oslo\"} ← call-delta`,
    ])
  })

  it('a value is not taken for the name of its field', () => {
    const got = [
      'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"text"}}\n\n',
      'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":" text"}}\n\n',
    ]
    const both = readBoth(inputOf(['text text'], 'kimi'), inputOf(got, 'standard'), true)
    expect(both.delivered.map(({ from, event }) => [from, event])).toEqual([
      [(got[0] ?? '').lastIndexOf('text'), 0],
      [(got[0] ?? '').length + (got[1] ?? '').lastIndexOf(' text'), 0],
    ])
  })

  it('what the gateway wrote by itself comes from no event, and what follows is found again', () => {
    const own = 'data: {"type":"content_block_delta","delta":{"type":"text_delta","text":"(a note)"}}\n\n'
    expect(found(kimi, [own, ...gotChunks]).slice(0, 2)).toEqual([
      'text (a note) ← nothing',
      'text I lo ← text',
    ])
  })

  it('a call that the client did not get is passed over', () => {
    const broken = `<|tool_calls_section_begin|><|tool_call_begin|>functions.other:0<|tool_call_argument_begin|>{}<|tool_call_end|>`
    const both = found(broken + kimi.slice(kimi.indexOf('<|tool_call_begin|>')), gotChunks.slice(1))
    expect(both).toContain('name get_weather ← call-start')
  })

  it('arguments that are an object are found, too', () => {
    const got = [
      '{"candidates":[{"content":{"parts":[{"text":"I look."},{"functionCall":{"name":"get_weather","args":{"city":"Oslo"}}}]}}]}',
    ]
    expect(found(kimi, got)).toEqual([
      'text I look. ← text',
      'name get_weather ← call-start',
      'arguments {"city":"Oslo"} ← call-delta',
    ])
  })

  it('arguments that a problem interrupts are all counted to where they begin', () => {
    const said =
      '<tool_call>\n<function=f>\n<parameter=a>\nx\n</parameter>\n<parameter=n>\nthree\n</parameter>\n</function>\n</tool_call>'
    const tools = '{"f": {"a": "string", "n": "integer"}}'
    const got = ['{"a":"x"', ',"n":"three"}'].map((text) => {
      const call = { index: 0, id: 'c', function: { name: 'f', arguments: text } }
      return `data: ${JSON.stringify({ choices: [{ delta: { tool_calls: [call] } }] })}\n\n`
    })
    const input = {
      source: [said],
      as: 'auto',
      settings: { ...usualSettings, format: 'qwen', tools },
    } as const
    const { said: reading, delivered } = readBoth(input, inputOf(got, 'standard'), true)
    const deltas = reading.trace.events.flatMap((event, index) =>
      event.type === 'call-delta' ? [index] : [],
    )
    expect(deltas).toHaveLength(2)
    const sent = delivered.filter(({ kind }) => kind === 'arguments')
    expect(sent.map(({ event }) => event)).toEqual([deltas[0], deltas[0]])
  })
})

import { describe, expect, it } from 'vitest'
import type { ErrorCode } from '../../src/errors.ts'
import { overrideMarkers } from '../../src/formats/override-markers.ts'
import { getFormat } from '../../src/formats/registry.ts'
import { parseToolCalls, type ParseOptions } from '../../src/parser.ts'

describe('overridden markers', () => {
  it('replace those of the format in use', () => {
    const markers = { callBegin: '<|call|>', separator: '<|args|>', callEnd: '<|done|>' }
    expect(callsIn('<|call|>functions.ping:0<|args|>{"a":1}<|done|>', { format: 'kimi', markers })).toEqual([
      { id: 'functions.ping:0', name: 'ping', arguments: '{"a":1}' },
    ])
    expect(callsIn(kimiCall, { format: 'kimi', markers })).toEqual([])
  })

  it('may be given by format, and then leave the others alone', () => {
    const markers = { kimi: { callBegin: '<|call|>' } }
    expect(callsIn('<tool_call>{"name":"ping","arguments":{}}</tool_call>', { markers })).toHaveLength(1)
    expect(callsIn(`<|call|>${kimiCall.slice('<|tool_call_begin|>'.length)}`, { markers })).toHaveLength(1)
  })

  it('may have several spellings', () => {
    const markers = { callBegin: ['<|call|>', '<|CALL|>'] }
    const calls = [
      '<|call|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>',
      '<|CALL|>functions.ping:1<|tool_call_argument_begin|>{}<|tool_call_end|>',
    ]
    expect(callsIn(calls.join(''), { format: 'kimi', markers })).toHaveLength(2)
  })

  it('touch only the grammar that owns the marker', () => {
    const original = getFormat('kimi')
    const [k2, k3] = overrideMarkers(original, { sectionBegin: '<|calls|>' }).grammars
    expect(k2).toEqual({ ...original.grammars[0], sectionBegin: ['<|calls|>'] })
    expect(k3).toEqual(original.grammars[1])
  })

  it('leave the other grammars of the format readable', () => {
    const markers = { sectionBegin: '<|calls|>', callBegin: '<|call|>' }
    const k3 =
      '<|open|>tools<|sep|><|open|>call tool="ping" index="1"<|sep|><|close|>call<|sep|><|close|>tools<|sep|>'
    expect(callsIn(k3, { format: 'kimi', markers })).toEqual([{ id: null, name: 'ping', arguments: '{}' }])
  })

  it('begin the same tag where they begin one', () => {
    const calls = callsIn('<function_calls><call name="ping"></invoke></function_calls>', {
      format: 'xml',
      markers: { callBegin: '<call ' },
    })
    expect(calls).toEqual([{ id: null, name: 'ping', arguments: '{}' }])
  })

  it('do not change the record of the format', () => {
    const before = structuredClone(getFormat('kimi'))
    overrideMarkers(getFormat('kimi'), { callBegin: '<|call|>' })
    expect(getFormat('kimi')).toEqual(before)
  })

  it.each<[string, NonNullable<ParseOptions['markers']>]>([
    ['a name that no grammar of the format has', { callBegins: '<|call|>' }],
    ['a field that is no marker', { engine: 'delimited-json' }],
    ['an empty text', { callBegin: '' }],
    ['no spelling at all', { callBegin: [] }],
    ['an empty spelling among others', { callBegin: ['<|call|>', ''] }],
    ['an unknown name under the format', { kimi: { callBegins: '<|call|>' } }],
  ])('with %s are refused', (_, markers) => {
    expect(() => callsIn('', { format: 'kimi', markers })).toThrow(error('invalid-option'))
  })

  it('for a format that does not exist are refused', () => {
    const markers: Record<string, Record<string, string>> = { kimmi: { callBegin: '<|call|>' } }
    expect(() => callsIn('', { markers })).toThrow(error('unknown-format'))
  })

  it('replace those of the headers of messages', () => {
    const markers = { messageBegin: '<|msg|>', bodyBegin: '<|body|>', callEnd: '<|done|>' }
    const call = '<|msg|>assistant<|channel|>commentary to=functions.ping<|body|>{"a":1}<|done|>'
    const read = [{ id: null, name: 'ping', arguments: '{"a":1}' }]
    expect(callsIn(call, { format: 'gpt-oss', markers })).toEqual(read)
    const behindPrompt = call.slice('<|msg|>assistant'.length)
    const promptTail = '<|msg|>assistant'
    expect(callsIn(behindPrompt, { format: 'gpt-oss', markers, promptTail })).toEqual(read)
    expect(() => callsIn('', { format: 'gpt-oss', markers: { start: 'x' } })).toThrow(/messageBegin/)
  })

  it('say which markers there are when one is unknown', () => {
    expect(() => callsIn('', { format: 'hermes', markers: { start: '<call>' } })).toThrow(
      /callBegin, callEnd/,
    )
  })
})

const kimiCall = '<|tool_call_begin|>functions.ping:0<|tool_call_argument_begin|>{}<|tool_call_end|>'

function callsIn(text: string, options: ParseOptions): unknown[] {
  return [...parseToolCalls(text, { tools: [{ name: 'ping' }], ...options }).toolCalls]
}

function error(code: ErrorCode): unknown {
  return expect.objectContaining({ name: 'DragomanError', code })
}

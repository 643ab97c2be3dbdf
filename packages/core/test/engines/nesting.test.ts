import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/events.ts'
import { DEEPEST } from '../../src/text/json-scanner.ts'
import { callsOf, eventsOf } from '../support/run-parser.ts'

const tools = [{ name: 'set', parameters: { type: 'object', properties: { a: { type: 'array' } } } }]

/** How a call with one list as its argument is written, in the formats that read values themselves. */
const written: ['pythonic' | 'lfm' | 'gemma', before: string, behind: string][] = [
  ['pythonic', '[set(a=', ')]'],
  ['lfm', '<|tool_call_start|>[set(a=', ')]<|tool_call_end|>'],
  ['gemma', '<|tool_call>call:set{a:', '}<tool_call|>'],
]

describe.each(written)('the values of a call in %s', (format, before, behind) => {
  const read = (list: string): ModelEvent[] =>
    eventsOf({ format, tools }, [{ text: before + list + behind, channel: 'content' }])

  it('may be nested as deeply as in JSON', () => {
    const depth = DEEPEST - 1
    const [call] = callsOf(read('['.repeat(depth) + ']'.repeat(depth)))
    expect(call).toMatchObject({ name: 'set', complete: true })
    expect(call?.json).toBe(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`)
  })

  it('are a problem, and no call, beyond that', () => {
    const events = read('['.repeat(DEEPEST + 1) + ']'.repeat(DEEPEST + 1))
    expect(callsOf(events).filter((call) => call.complete)).toEqual([])
    expect(events.find((event) => event.type === 'problem')).toMatchObject({ code: 'invalid-arguments' })
  })

  it('are not kept open without end', () => {
    const events = read('['.repeat(100_000))
    expect(callsOf(events).filter((call) => call.complete)).toEqual([])
    expect(events.some((event) => event.type === 'problem')).toBe(true)
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../../src/events.ts'
import { textWithWords } from '../support/model-output.ts'
import { callsOf, eventsOf, joined } from '../support/run-parser.ts'
import { channel, everyMode, inContent, numRuns, optionsOf, reason, setting } from './setting.ts'

describe.each(everyMode)('%s', (_, mode) => {
  it('loses nothing that a model wrote', () => {
    fc.assert(
      fc.property(textWithWords(mode), channel, setting, reason, ({ text, words }, from, chosen, end) => {
        const accounted = accountOf(eventsOf(optionsOf(mode, chosen), [{ text, channel: from }], end))
        const lost = words.filter((word) => !accounted.includes(word))
        expect(lost, `from ${JSON.stringify(text)}`).toEqual([])
      }),
      { numRuns },
    )
  })

  // The header of a message is markup, whatever becomes of its body.
  const unheaded = mode.samples.filter((sample) => !sample.startsWith('to='))

  it.each(unheaded)('gives out whole what it may not hold of %j', (sample) => {
    for (const text of [`Hi. ${sample}\nBye. `, sample.replace('Paris', 'New  York') + sample]) {
      for (let toolCallBytes = 1; toolCallBytes < sample.length; toolCallBytes += 1) {
        const limits = { toolCallBytes, overflow: 'flush' } as const
        const events = eventsOf({ ...mode.options, delivery: 'complete', limits }, inContent(text))
        const isCalled = callsOf(events).length > 0
        if (!isCalled) expect(joined(events, 'text'), `at most ${toolCallBytes}`).toBe(text)
      }
    }
  })
})

/** Everything a client can see of an answer. */
function accountOf(events: readonly ModelEvent[]): string {
  const calls = callsOf(events).flatMap((call) => [call.id ?? '', call.name, call.json])
  const sources = events.map((event) => (event.type === 'problem' ? event.source : ''))
  // A limit may cut a word in two: the first half is in the report, the second goes on as text.
  const joints = events.flatMap((event, at) =>
    event.type === 'problem' ? [event.source + joined(events.slice(at), 'text')] : [],
  )
  return [joined(events, 'text'), joined(events, 'reasoning'), ...calls, ...sources, ...joints].join('\n')
}

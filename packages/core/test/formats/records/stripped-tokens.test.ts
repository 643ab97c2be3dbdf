import { describe, expect, it } from 'vitest'
import { formats } from '../../../src/formats/registry.ts'
import { sampleTools } from '../../support/modes.ts'
import { callsOf, eventsOf } from '../../support/run-parser.ts'

const withTokens = formats.filter(({ grammars }) => grammars.some(({ isSpecial }) => isSpecial))

/** Its tags are made of ordinary tokens, which no server strips. */
const madeOfText = new Set(['plamo3'])

describe('where a server strips the special tokens of a call', () => {
  it.each(withTokens.map((format) => [format.id, format] as const))(
    '%s says what is left, for each grammar that has such tokens',
    (_id, { grammars, stripped = [] }) => {
      const special = grammars.filter((each) => each.isSpecial && !madeOfText.has(each.id))
      const told = new Set(stripped.map(({ grammar }) => grammar))
      expect([...told].toSorted()).toEqual([...new Set(special.map(({ id }) => id))].toSorted())
    },
  )

  const cases = formats.flatMap(({ id, stripped = [] }) =>
    stripped.map(({ grammar, left, why }) => ({ id, grammar, left, why })),
  )

  it.each(cases.filter(({ why }) => why === undefined))(
    '$id ($grammar): what is left of it, $left, is a call of the declared tool',
    ({ id, left }) => {
      const events = eventsOf({ format: id, tools: sampleTools }, [{ text: left, channel: 'content' }])
      const calls = callsOf(events).map(({ name, json, complete }) => ({
        name,
        arguments: JSON.parse(json),
        complete,
      }))
      expect(calls).toEqual([{ name: 'get_weather', arguments: { city: 'Paris' }, complete: true }])
      expect(events.filter(({ type }) => type === 'text' || type === 'problem')).toEqual([])
    },
  )

  // Tags that only this model writes are a call of it, whatever the name: the client can say that there is no such tool.
  it.each(cases.filter(({ why, left }) => why === undefined && !left.includes('<steptml:')))(
    '$id ($grammar): what is left of it, $left, is text where no such tool was offered',
    ({ id, left }) => {
      const tools = [{ type: 'function', function: { name: 'ping', parameters: {} } }]
      const events = eventsOf({ format: id, tools }, [{ text: left, channel: 'content' }])
      expect(callsOf(events)).toEqual([])
    },
  )

  it.each(cases.filter(({ why }) => why !== undefined))(
    '$id ($grammar): what is left of it stays text, because $why',
    ({ id, left }) => {
      const events = eventsOf({ format: id, tools: sampleTools }, [{ text: left, channel: 'content' }])
      expect(callsOf(events)).toEqual([])
    },
  )
})

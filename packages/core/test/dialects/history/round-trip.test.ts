import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { decodeHistory, encodeHistory, type History } from '../../../src/dialects/history.ts'
import type { DialectId } from '../../../src/dialects/index.ts'
import { formatIds } from '../../../src/formats/format-id.ts'
import { anyAnthropicBody, anyChatBody } from '../../request/any-body.ts'
import { anyAnthropicMessages, anyChatMessages } from '../../request/any-messages.ts'
import { deepFreeze } from '../../request/translation.ts'
import { idPairs } from './id-pairs.ts'

const dialects = ['openai-chat', 'anthropic-messages'] as const
type Kept = (typeof dialects)[number]
const ownFormat = { 'openai-chat': 'standard', 'anthropic-messages': 'anthropic' } as const
const bodies: Readonly<Record<Kept, fc.Arbitrary<Record<string, unknown>>>> = {
  'openai-chat': anyChatBody,
  'anthropic-messages': anyAnthropicBody,
}
const forms: Readonly<Record<Kept, fc.Arbitrary<{ messages: unknown; system?: unknown }>>> = {
  'openai-chat': anyChatMessages.map((messages) => ({ messages })),
  'anthropic-messages': anyAnthropicMessages,
}

function historyOf(dialect: DialectId, messages: unknown, system?: unknown): History {
  const decoded = decodeHistory(dialect, deepFreeze({ messages, system }))
  if ('error' in decoded) throw new Error(decoded.error.message)
  return decoded.history
}

/** As it comes out of a file. */
function kept(history: History): History {
  return JSON.parse(JSON.stringify(history))
}

describe.each(dialects)('a history of %s', (dialect) => {
  it('is the same messages again after it was kept, and nothing is noted', () => {
    fc.assert(
      fc.property(bodies[dialect], ({ messages, system }) => {
        const history = kept(historyOf(dialect, messages, system))
        const encoded = encodeHistory(deepFreeze(history), { dialect, format: ownFormat[dialect] })
        expect(encoded.messages).toEqual(messages)
        expect(encoded.system).toEqual(system)
        expect(encoded.notes).toEqual([])
      }),
    )
  })

  it('is the same messages again in whatever form the dialect has for them', () => {
    fc.assert(
      fc.property(forms[dialect], ({ messages, system }) => {
        const history = kept(historyOf(dialect, messages, system))
        const encoded = encodeHistory(deepFreeze(history), { dialect, format: ownFormat[dialect] })
        expect(encoded).toEqual({ messages, system, notes: [] })
      }),
    )
  })

  it('holds ids that belong to nobody, each for one call and its result', () => {
    fc.assert(
      fc.property(bodies[dialect], ({ messages }) => {
        const { contents } = historyOf(dialect, messages)
        const blocks = contents.flatMap((content) => content.blocks)
        const calls = blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : []))
        const responses = blocks.flatMap((block) => (block.type === 'tool_response' ? [block.callId] : []))
        expect(calls.filter((id) => !id.startsWith('hist_tool_'))).toEqual([])
        expect(new Set(calls).size).toBe(calls.length)
        expect(responses).toEqual(calls)
      }),
    )
  })

  it.each(formatIds)('has an id for every call, and the same for its result, in the format %s', (format) => {
    fc.assert(
      fc.property(bodies[dialect], ({ messages }) => {
        const history = historyOf(dialect, messages)
        for (const target of dialects) {
          const pairs = idPairs(encodeHistory(history, { dialect: target, format }).messages)
          expect(pairs.map(({ result }) => result)).toEqual(pairs.map(({ call }) => call))
          expect(new Set(pairs.map(({ call }) => call)).size).toBe(pairs.length)
        }
      }),
      { numRuns: 20 },
    )
  })
})

describe('ids on their way through a kept history', () => {
  const ids = fc.oneof(
    fc.stringMatching(/^call_[a-zA-Z0-9_-]{1,20}$/),
    fc.stringMatching(/^call_raw_[a-zA-Z0-9]{1,9}$/),
    fc.stringMatching(/^(toolu_|chatcmpl-tool-|raw_|)[a-zA-Z0-9_-]{1,20}$/),
    fc.stringMatching(/^[a-zA-Z0-9]{9}$/),
  )

  it('legal ones are what they were, whoever gave them', () => {
    fc.assert(
      fc.property(fc.uniqueArray(ids, { minLength: 1, maxLength: 6 }), (given) => {
        fc.pre(given.every((id) => !id.startsWith('hist_tool_')))
        const messages = conversationWith(given)
        const history = kept(historyOf('openai-chat', messages))
        expect(encodeHistory(history, { dialect: 'openai-chat', format: 'standard' }).messages).toEqual(
          messages,
        )
      }),
    )
  })

  it('one that came in every answer anew is another for each call, and nine digits stay for Mistral', () => {
    const repeated = kept(
      historyOf('openai-chat', conversationWith(['functions.f:0', 'functions.f:0', 'abcDEF123'])),
    )
    const kimi = encodeHistory(repeated, { dialect: 'openai-chat', format: 'kimi' })
    expect(idPairs(kimi.messages).map(({ call }) => call)).toEqual([
      'functions.f:0',
      'functions.f:1',
      'functions.f:2',
    ])
    const mistral = idPairs(encodeHistory(repeated, { dialect: 'openai-chat', format: 'mistral' }).messages)
    expect(mistral.map(({ call }) => /^[a-zA-Z0-9]{9}$/.test(call))).toEqual([true, true, true])
    expect(mistral[2]).toEqual({ call: 'abcDEF123', result: 'abcDEF123' })
  })
})

function conversationWith(ids: readonly string[]): unknown[] {
  return [
    { role: 'user', content: 'go' },
    ...ids.flatMap((id) => [
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: id, content: `from ${id}` },
    ]),
  ]
}

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Content } from '../../src/conversation.ts'
import { encodeAnthropicRequest } from '../../src/dialects/anthropic-messages/request/encode.ts'
import type { ConversationRequest } from '../../src/request/conversation-request.ts'
import { responsesWithoutCall } from '../../src/request/history-repair.ts'
import { encodeChatRequest } from '../../src/dialects/openai-chat/request/encode.ts'
import { anyHistory } from '../ids/any-history.ts'
import { ai, call, human, response, tool } from '../ids/history.ts'
import { anthropicToChat, chatToAnthropic, deepFreeze, valueAt } from './translation.ts'

type Fields = Record<string, unknown>

function requestOf(contents: readonly Content[]): ConversationRequest {
  return deepFreeze({
    model: 'm',
    system: [],
    contents,
    tools: [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    stream: false,
    maxTokens: 10,
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    stopSequences: [],
    reasoning: undefined,
    outputFormat: undefined,
    user: undefined,
    extra: {},
  })
}

function use(id: string, name: string): Fields {
  return { type: 'tool_use', id, name, input: {} }
}

function result(id: string, content: string): Fields {
  return { type: 'tool_result', tool_use_id: id, content }
}

function bashTurn(text: string): Fields[] {
  return [
    { role: 'assistant', content: [use('functions.Bash:0', 'Bash')] },
    { role: 'user', content: [result('functions.Bash:0', text)] },
  ]
}

const switched = [
  { role: 'user', content: 'hi' },
  { role: 'assistant', content: [use('toolu_std_a', 'Bash'), use('toolu_std_b', 'Read')] },
  { role: 'user', content: [result('toolu_std_b', 'b'), result('toolu_std_a', 'a')] },
  { role: 'assistant', content: [use('toolu_std_c', 'Bash')] },
  { role: 'user', content: [result('toolu_std_c', 'c')] },
]

function idsFor(format: 'kimi' | 'mistral' | 'standard'): unknown[] {
  const { messages } = anthropicToChat({ messages: switched }, { format })
  return messages
    .flatMap((message) =>
      [0, 1].map((at) => valueAt(message, 'tool_calls', at, 'id')).concat(message['tool_call_id']),
    )
    .filter((id) => id !== undefined)
}

describe('ids towards an upstream', () => {
  it('are numbered through the whole history for Kimi, results following their calls', () => {
    expect(idsFor('kimi')).toEqual([
      'functions.Bash:0',
      'functions.Read:1',
      'functions.Bash:0',
      'functions.Read:1',
      'functions.Bash:2',
      'functions.Bash:2',
    ])
  })

  it('are nine letters and digits for Mistral', () => {
    expect(idsFor('mistral').every((id) => /^[a-zA-Z0-9]{9}$/.test(String(id)))).toBe(true)
  })

  it('pass unchanged where they are legal', () => {
    expect(idsFor('standard')).toEqual([
      'toolu_std_a',
      'toolu_std_b',
      'toolu_std_a',
      'toolu_std_b',
      'toolu_std_c',
      'toolu_std_c',
    ])
  })

  it('that repeat in a history differ at the upstream, each result with its own call', () => {
    const { messages } = anthropicToChat({
      messages: [{ role: 'user', content: 'hi' }, ...bashTurn('one'), ...bashTurn('two')],
    })
    const calls = [1, 3].map((at) => valueAt(messages, at, 'tool_calls', 0, 'id'))
    expect(calls[0]).not.toBe(calls[1])
    expect([messages[2], messages[4]]).toEqual([
      { role: 'tool', tool_call_id: calls[0], content: 'one' },
      { role: 'tool', tool_call_id: calls[1], content: 'two' },
    ])
  })

  it('are Anthropic’s for Anthropic, also where they were hundreds of characters', () => {
    const long = `call_${'x'.repeat(450)}|fc_1`
    const { messages } = chatToAnthropic({
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          tool_calls: [{ id: long, type: 'function', function: { name: 'f', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: long, content: 'ok' },
      ],
    })
    const id = valueAt(messages, 1, 'content', 0, 'id')
    expect(id).toMatch(/^toolu_[a-zA-Z0-9_-]{1,58}$/)
    expect(valueAt(messages, 2, 'content', 0, 'tool_use_id')).toBe(id)
  })

  it('answer every call right behind it and nothing else, whatever the history', () => {
    fc.assert(
      fc.property(
        anyHistory,
        fc.constantFrom('kimi', 'mistral', 'standard', 'deepseek'),
        (history, format) => {
          const contents = history.map((content) =>
            content.speaker === 'ai'
              ? content
              : { ...content, blocks: content.blocks.filter(({ type }) => type !== 'tool_call') },
          )
          const { body } = encodeChatRequest(requestOf(contents), { model: 'm', format })
          const open: unknown[] = []
          const seen = new Set<unknown>()
          for (const message of messagesOf(body)) {
            if (message['role'] === 'tool') {
              expect(message['tool_call_id']).toBe(open.shift())
              continue
            }
            expect(open).toEqual([])
            const calls = message['tool_calls']
            if (Array.isArray(calls)) open.push(...calls.map((made: unknown) => valueAt(made, 'id')))
            for (const id of open) {
              expect(seen.has(id)).toBe(false)
              seen.add(id)
            }
          }
          expect(open).toEqual([])
        },
      ),
    )
  })

  it('alternate the roles towards Anthropic, whatever the history', () => {
    fc.assert(
      fc.property(anyHistory, (history) => {
        const { body } = encodeAnthropicRequest(requestOf(history), { model: 'm', format: 'anthropic' })
        const roles = messagesOf(body).map(({ role }) => role)
        expect(roles.every((role, at) => role === (at % 2 === 0 ? 'user' : 'assistant'))).toBe(true)
      }),
    )
  })
})

describe('results without a call', () => {
  it('can be named before the history is repaired', () => {
    const history = [human(), ai(call('a')), tool(response('a'), response('b'))]
    expect(responsesWithoutCall(history).map(({ callId }) => callId)).toEqual(['b'])
  })
})

function messagesOf(body: Fields): Fields[] {
  const { messages } = body
  return Array.isArray(messages) ? messages : []
}

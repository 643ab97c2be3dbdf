import { describe, expect, it } from 'vitest'
import { type DialectId, dialects, mintToolId, translateAnswer } from '../src/index.ts'
import type { ConversationRequest } from '../src/request/conversation-request.ts'
import { readMessage } from './clients-agree/anthropic-messages-client.ts'
import { readContent } from './clients-agree/gemini-client.ts'
import { readChat } from './clients-agree/openai-chat-client.ts'
import { readResponse } from './clients-agree/openai-responses-client.ts'
import type { Client } from './clients-agree/answer.ts'
import type { View } from './clients-agree/view.ts'
import { calls, chunk, done, event, kimiCall } from './dialects/openai-chat/upstream.ts'
import {
  callEvents,
  completed,
  created,
  messageEvents,
  numbered,
  resp,
} from './dialects/openai-responses/upstream.ts'

const readers = {
  'openai-chat': readChat,
  'anthropic-messages': readMessage,
  'openai-responses': readResponse,
  gemini: readContent,
} as const

const offered = ['look', 'erase']

/** A client that offers two tools and allows one of them. */
function requestOf(dialect: 'openai-responses' | 'openai-chat', mode = 'auto'): ConversationRequest {
  const tools =
    dialect === 'openai-chat'
      ? offered.map((name) => ({ type: 'function', function: { name, parameters: {} } }))
      : offered.map((name) => ({ type: 'function', name, parameters: {} }))
  const allowed = tools.slice(0, 1)
  const decoded = dialects[dialect].request.decode({
    model: 'm',
    messages: [{ role: 'user', content: 'Hi.' }],
    input: 'Hi.',
    tools,
    tool_choice: {
      type: 'allowed_tools',
      ...(dialect === 'openai-chat' ? { allowed_tools: { mode, tools: allowed } } : { mode, tools: allowed }),
    },
  })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return decoded.request
}

interface Seen {
  readonly view: View
  readonly told: readonly string[]
}

function seen(body: string, from: DialectId, client: Client, request: ConversationRequest): Seen {
  const told: string[] = []
  let count = 0
  const answer = translateAnswer({
    from,
    to: client.dialect,
    delivered: 'stream',
    wants: client.wants,
    parser: { format: 'kimi', tools: offered.map((name) => ({ name, parameters: {} })) },
    mint: (format, taken) =>
      mintToolId({ dialect: client.dialect, format, newId: () => `n${count++}`, taken }),
    includeUsage: true,
    request,
    watcher: { repair: (code) => told.push(code), problem: (code) => told.push(code) },
    encoding: () => ({ id: 'a_1', model: 'm', created: 1, inputTokens: () => 1, signature: () => 's' }),
  })
  const received = body
    .split(/(?<=\n\n)/)
    .map((piece) => answer.push(piece))
    .join('')
  const view = readers[client.dialect]({ status: 200, is: client.wants, body: received + answer.end() })
  return { view, told }
}

const clients = (['openai-responses', 'openai-chat', 'anthropic-messages', 'gemini'] as const).flatMap(
  (dialect) => (['stream', 'whole'] as const).map((wants) => ({ dialect, wants })),
)

function written(name: string, json: string): string {
  return kimiCall.replace('get_time', name).replace('{"zone":"UTC"}', json)
}

function call(index: number, name: string, json: string): string {
  return calls({ index, id: `call_${index}`, type: 'function', function: { name, arguments: json } })
}

const end = chunk({}, 'tool_calls') + event({ choices: [], usage: { completion_tokens: 3 } }) + done
const look = { name: 'look', arguments: '{"at":"here"}' }

describe('of a model that may call some of the tools', () => {
  const request = requestOf('openai-responses')

  it.each(clients)(
    'a structured call of another tool is left out, and nothing else, for $dialect, $wants',
    (client) => {
      const body =
        chunk({ reasoning_content: 'hm' }) +
        chunk({ content: 'So. ' }) +
        call(0, 'erase', '{"all":') +
        call(1, 'look', '{"at":') +
        calls({ index: 0, function: { arguments: 'true}' } }) +
        calls({ index: 1, function: { arguments: '"here"}' } }) +
        call(2, 'functions.erase', '{}') +
        end
      const { view, told } = seen(body, 'openai-chat', client, request)
      expect(view).toMatchObject({ text: 'So. ', calls: [look], finish: 'tool-calls', failure: null })
      expect(told.filter((code) => code === 'forbidden-call')).toHaveLength(2)
    },
  )

  it.each(clients)('so is one that the model wrote into its text, for $dialect, $wants', (client) => {
    const text = `So. ${written('erase', '{"all":true}')}${written('look', '{"at":"here"}')}${written('erase', '{}')}`
    const { view, told } = seen(chunk({ content: text }) + end, 'openai-chat', client, request)
    expect(view).toMatchObject({ text: 'So. ', calls: [look], finish: 'tool-calls', failure: null })
    expect(told.filter((code) => code === 'forbidden-call')).toHaveLength(2)
  })

  it.each(clients)('text alone is left of an answer with no other call, for $dialect, $wants', (client) => {
    for (const forbidden of [
      call(0, 'erase', '{"all":true}'),
      chunk({ content: written('erase', '{}') }),
      // What is wrong with a call that nobody gets is nobody's failure.
      call(0, 'erase', '{"all": tr?'),
      chunk({ content: written('erase', '{"all": tr?') }),
    ]) {
      const body = chunk({ content: 'So.' }) + forbidden + end
      const { view } = seen(body, 'openai-chat', client, request)
      expect(view).toMatchObject({ text: 'So.', calls: [], finish: 'stop', failure: null })
    }
  })

  it('a call in the text counts behind a structured call that does not', () => {
    const body = call(0, 'erase', '{}') + chunk({ content: written('look', '{"at":"here"}') }) + end
    const { view } = seen(body, 'openai-chat', { dialect: 'openai-chat', wants: 'stream' }, request)
    expect(view.calls).toEqual([look])
  })

  it('nothing at all is the failure that an empty answer is', () => {
    const body = call(0, 'erase', '{}') + end
    const { view } = seen(body, 'openai-chat', { dialect: 'openai-responses', wants: 'stream' }, request)
    expect(view).toMatchObject({ calls: [], failure: { kind: 'upstream' } })
  })

  it('and that has to call one, the same holds', () => {
    const body = call(0, 'erase', '{}') + call(1, 'look', '{"at":"here"}') + end
    const client = { dialect: 'openai-responses', wants: 'stream' } as const
    expect(seen(body, 'openai-chat', client, requestOf('openai-responses', 'required')).view.calls).toEqual([
      look,
    ])
  })

  it('the call is left out in the same dialect, with every event of it, and the rest moves up', () => {
    const erase = { call_id: 'call_e', name: 'erase' }
    const custom = { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_c', name: 'erase', input: 'all' }
    const body = numbered(
      created +
        created.replaceAll('response.created', 'response.in_progress') +
        messageEvents(0, 'msg_1', 'So.') +
        callEvents(1, 'fc_1', erase, '{"all":', 'true}') +
        resp('response.output_item.added', { output_index: 2, item: { ...custom, input: '' } }) +
        resp('response.custom_tool_call_input.delta', { output_index: 2, item_id: 'ctc_1', delta: 'all' }) +
        resp('response.custom_tool_call_input.done', { output_index: 2, item_id: 'ctc_1', input: 'all' }) +
        resp('response.output_item.done', { output_index: 2, item: custom }) +
        callEvents(3, 'fc_2', { call_id: 'call_l', name: 'look' }, '{"at":"here"}') +
        completed(),
    )
    for (const wants of ['stream', 'whole'] as const) {
      const client = { dialect: 'openai-responses', wants } as const
      const { view, told } = seen(body, 'openai-responses', client, request)
      expect(view).toMatchObject({ text: 'So.', calls: [look], failure: null })
      expect(told).toEqual(['forbidden-call', 'forbidden-call'])
    }
  })

  it('a chat client says so too, and its custom tools are held to it', () => {
    const chat = requestOf('openai-chat')
    const custom = calls({ index: 1, id: 'c', type: 'custom', custom: { name: 'erase', input: 'x' } })
    const body = call(0, 'erase', '{}') + custom + call(2, 'look', '{"at":"here"}') + end
    for (const wants of ['stream', 'whole'] as const) {
      const { view, told } = seen(body, 'openai-chat', { dialect: 'openai-chat', wants }, chat)
      expect(view).toMatchObject({ calls: [look], finish: 'tool-calls' })
      expect(told.filter((code) => code === 'forbidden-call')).toHaveLength(2)
    }
  })
})

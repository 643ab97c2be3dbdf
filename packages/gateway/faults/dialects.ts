import { createParser } from 'eventsource-parser'
import type { Answer, DialectName, Finish, Item, Received } from '../../core/test/clients-agree/answer.ts'
import { readMessage } from '../../core/test/clients-agree/anthropic-messages-client.ts'
import { messageBodies } from '../../core/test/clients-agree/anthropic-messages-upstream.ts'
import { readContent } from '../../core/test/clients-agree/gemini-client.ts'
import { contentBodies } from '../../core/test/clients-agree/gemini-upstream.ts'
import { plainHabits, plainReading } from '../../core/test/clients-agree/generate.ts'
import { readChat } from '../../core/test/clients-agree/openai-chat-client.ts'
import { chatBodies } from '../../core/test/clients-agree/openai-chat-upstream.ts'
import { readResponse } from '../../core/test/clients-agree/openai-responses-client.ts'
import { responseBodies } from '../../core/test/clients-agree/openai-responses-upstream.ts'
import { must, type View } from '../../core/test/clients-agree/view.ts'
import type { RawRequest } from './raw-client.ts'
import type { Script } from './raw-upstream.ts'

export const dialectNames: readonly DialectName[] = [
  'openai-chat',
  'anthropic-messages',
  'openai-responses',
  'gemini',
]

export type Wants = 'stream' | 'whole'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
const question = 'What is the weather in Paris?'

/** The request of a client for the weather, in each dialect. */
export const requests: Readonly<Record<DialectName, (model: string, wants: Wants) => RawRequest>> = {
  'openai-chat': (model, wants) => ({
    path: '/v1/chat/completions',
    body: JSON.stringify({
      model,
      messages: [{ role: 'user', content: question }],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: schema } }],
      stream: wants === 'stream',
      ...(wants === 'stream' && { stream_options: { include_usage: true } }),
    }),
  }),
  'anthropic-messages': (model, wants) => ({
    path: '/v1/messages',
    body: JSON.stringify({
      model,
      max_tokens: 1000,
      messages: [{ role: 'user', content: question }],
      tools: [{ name: 'get_weather', input_schema: schema }],
      stream: wants === 'stream',
    }),
  }),
  'openai-responses': (model, wants) => ({
    path: '/v1/responses',
    body: JSON.stringify({
      model,
      input: question,
      tools: [{ type: 'function', name: 'get_weather', parameters: schema }],
      stream: wants === 'stream',
    }),
  }),
  gemini: (model, wants) => ({
    path: `/v1beta/models/${model}:${wants === 'stream' ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: JSON.stringify({
      contents: [{ role: 'user', parts: [{ text: question }] }],
      tools: [{ functionDeclarations: [{ name: 'get_weather', parameters: schema }] }],
    }),
  }),
}

/** Reads what a client got as strictly as the dialect's grammar is; throws where it is not kept. */
export const readers: Readonly<Record<DialectName, (received: Received) => View>> = {
  'openai-chat': (received) => readChat(inOneHand(received)),
  'anthropic-messages': (received) => readMessage(inOneHand(received)),
  'openai-responses': (received) => readResponse(inOneHand(received)),
  // Clients of this dialect look for the very characters.
  gemini: (received) => readContent({ ...received, body: withoutBareError(received.body) }),
}

/** The events of a stream as every reader of events finds them, whatever ends its lines. */
function inOneHand(received: Received): Received {
  if (received.is === 'whole') return received
  must(/(\n\n|\r\r|\r\n\r\n)$/.test(received.body), 'the last event of the stream is not closed')
  const events: string[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => {
      const type = event === undefined ? '' : `event: ${event}\n`
      events.push(`${type}${data.replaceAll(/^/gm, 'data: ')}\n\n`)
    },
  })
  // The reader waits behind a last carriage return for what may belong to it.
  parser.feed(`${received.body}\n`)
  return { ...received, body: events.join('') }
}

/**
 * Google's SDK knows an error in a stream only where it stands alone, and passes over one that is an event. Other clients
 * read events alone. So a stream that fails says it twice.
 */
function withoutBareError(body: string): string {
  const at = body.lastIndexOf('\n\n{"error":')
  if (at === -1) return body
  const told = body.slice(0, at).endsWith(`data: ${body.slice(at + 2)}`)
  return told ? body.slice(0, at + 2) : body
}

const writers = {
  'openai-chat': chatBodies,
  'anthropic-messages': messageBodies,
  'openai-responses': responseBodies,
  gemini: contentBodies,
} as const

/** An answer as a server of the dialect writes it. */
export class Speech {
  readonly dialect: DialectName

  constructor(dialect: DialectName) {
    this.dialect = dialect
  }

  /** The events of a stream. */
  events(answer: Answer): readonly string[] {
    return this.body(answer, 'stream')
  }

  whole(answer: Answer): string {
    return this.body(answer, 'whole').join('')
  }

  private body(answer: Answer, wanted: Wants): readonly string[] {
    const found = writers[this.dialect](answer).find(({ delivered }) => delivered === wanted)
    if (found === undefined) throw new Error(`${this.dialect} has no words for this answer`)
    return found.body
  }
}

const done: Finish = { says: 'stop', end: 'marked' }

/** An upstream that gives this answer, streamed or whole as it is asked. */
export function answeredWith(speech: Speech, answer: Parameters<Speech['events']>[0]): Script {
  return (wire, asked) => {
    if (asked === 'stream')
      wire
        .stream()
        .send(...speech.events(answer))
        .end()
    else wire.answer(200, 'application/json', speech.whole(answer))
  }
}

export function said(items: readonly Item[], finish: Finish = done): Answer {
  return { items, finish, error: null, habits: plainHabits, reading: plainReading }
}

/** The answer up to where the upstream would have told its end. */
export function unended(items: readonly Item[]): Answer {
  return said(items, { says: 'nothing', end: 'eof' })
}

export function text(...pieces: string[]): Item {
  return { is: 'text', pieces, holds: 'prose' }
}

export function thought(...pieces: string[]): Item {
  return { is: 'reasoning', pieces, holds: 'prose' }
}

/** A call in the text of the model. */
export function written(...pieces: string[]): Item {
  return { is: 'text', pieces, holds: 'a call' }
}

export function call(name: string, ...pieces: string[]): Item {
  const one = {
    name,
    arguments: { are: 'text', pieces } as const,
    id: 'call_1',
    index: 'own',
    legacy: 'no',
  } as const
  return { is: 'calls', calls: [one], order: 'one by one' }
}

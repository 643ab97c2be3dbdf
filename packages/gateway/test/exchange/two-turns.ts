import Anthropic from '@anthropic-ai/sdk'
import { at, type ClientDialect, paths, post, weatherRequest } from '../server/ask.ts'
import { type LogLine, startGateway } from '../server/running-gateway.ts'
import { startUpstream } from '../server/scripted-upstream.ts'

export interface TwoTurnsSetup {
  readonly client: ClientDialect
  readonly upstream: 'openai-chat' | 'anthropic-messages'
  /** By which the upstream is asked. */
  readonly model: string
  /** The event stream of each answer; the last one is given again. */
  readonly answers: readonly string[]
  /** Fields of the route of the model. */
  readonly route?: object
  /** Fields of the client's requests. */
  readonly fields?: object
}

export interface TwoTurns {
  /** What the client got first: a message, or the message of a completion. */
  readonly answer: unknown
  /** The bodies that reached the upstream. */
  readonly asked: readonly unknown[]
  /** The log lines of the requests. */
  readonly requests: readonly LogLine[]
}

/** A client asks, sends the answer back as it got it, with a result for each call, and gets a second answer. */
export async function twoTurns(setup: TwoTurnsSetup): Promise<TwoTurns> {
  const { client, model, answers, fields = {} } = setup
  const upstream = await startUpstream((response, nth) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(answers[nth - 1] ?? answers.at(-1))
  })
  const { address, lines } = await startGateway({
    upstream: upstream.url,
    dialect: setup.upstream,
    settings: { models: [{ match: '*', upstream: 'lab', ...setup.route }] },
  })
  const ask = client === 'anthropic' ? askAnthropic : askChat
  const body = { ...weatherRequest(client, { ...fields, model }) }
  const answer = await ask(address, body)
  const messages = [...listAt(body, 'messages'), ...answer.history]
  await ask(address, { ...body, messages })
  return {
    answer: answer.message,
    asked: upstream.requests.map((request): unknown => JSON.parse(request.body)),
    requests: lines.filter(({ msg }) => msg === 'request'),
  }
}

interface Asked {
  readonly message: unknown
  /** What the client adds to its messages. */
  readonly history: readonly unknown[]
}

/** As Claude Code does it: the official SDK puts the stream together. */
async function askAnthropic(address: string, given: Fields): Promise<Asked> {
  const { stream: _, ...body } = given
  const client = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0 })
  const { content } = await client.messages.stream(JSON.parse(JSON.stringify(body))).finalMessage()
  const results = content.flatMap((block) =>
    block.type === 'tool_use' ? [{ type: 'tool_result', tool_use_id: block.id, content: 'Sunny.' }] : [],
  )
  const assistant = { role: 'assistant', content }
  return {
    message: { content },
    history: results.length === 0 ? [assistant, goOn] : [assistant, { role: 'user', content: results }],
  }
}

async function askChat(address: string, body: Fields): Promise<Asked> {
  const response = await post(address, paths.openai, { ...body, stream: false })
  const message = at(await response.json(), 'choices', 0, 'message')
  const results = listAt(message, 'tool_calls').map((call) => ({
    role: 'tool',
    tool_call_id: at(call, 'id'),
    content: 'Sunny.',
  }))
  return { message, history: [message, ...(results.length === 0 ? [goOn] : results)] }
}

const goOn = { role: 'user', content: 'Go on.' }

type Fields = Readonly<Record<string, unknown>>

/** The list at a path of names and indexes; an empty one where there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const list = at(value, ...path)
  return Array.isArray(list) ? list : []
}

export function chatStream(deltas: readonly object[], finish: string, more: object = {}): string {
  const envelope = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' }
  const chunks = [
    ...deltas.map((said) => withChoice(envelope, { index: 0, delta: said, finish_reason: null })),
    withChoice(envelope, { index: 0, delta: {}, finish_reason: finish }),
    { ...envelope, choices: [], usage: { prompt_tokens: 9, completion_tokens: 5 }, ...more },
  ]
  return `${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}

function withChoice(envelope: object, choice: object): object {
  return { ...envelope, choices: [choice] }
}

export type AnthropicEvent = readonly [type: string, fields: object]

export function anthropicStream(events: readonly AnthropicEvent[], stopReason: string, tokens = 5): string {
  const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null }
  const all: readonly AnthropicEvent[] = [
    ['message_start', { message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } } }],
    ...events,
    [
      'message_delta',
      { delta: { stop_reason: stopReason, stop_sequence: null }, usage: { output_tokens: tokens } },
    ],
    ['message_stop', {}],
  ]
  return all
    .map(([type, fields]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    .join('')
}

export function begin(index: number, block: object): AnthropicEvent {
  return ['content_block_start', { index, content_block: block }]
}

export function delta(index: number, fields: object): AnthropicEvent {
  return ['content_block_delta', { index, delta: fields }]
}

export function stop(index: number): AnthropicEvent {
  return ['content_block_stop', { index }]
}

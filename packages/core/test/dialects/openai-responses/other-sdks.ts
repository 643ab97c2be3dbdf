import { createOpenAI } from '@ai-sdk/openai'
import { OpenAIResponsesModel } from '@openai/agents'
import OpenAI from 'openai'
import { expect } from 'vitest'
import { isRecord } from '../../support/is-record.ts'
import { type Json, lastResponse, outputOf } from './upstream.ts'

/** Holds two SDKs of others to what the stream says at its end. */
export async function expectOthersSee(stream: string): Promise<void> {
  const { status } = lastResponse(stream)
  const items = outputOf(stream)
  const said = {
    text: textsIn(items, 'message', 'content'),
    reasoning: textsIn(items, 'reasoning', 'summary'),
  }
  expect(await aiSdkSees(stream)).toEqual({
    ...said,
    calls: items.flatMap((item) => (typeof item['call_id'] === 'string' ? [aiSdkCall(item)] : [])),
    isWhole: status === 'completed',
  })
  expect(await agentsSee(stream)).toEqual({
    ...said,
    // What is no function it hands on in shapes of its own.
    calls: items.flatMap(({ type, name, arguments: json }) =>
      type === 'function_call' ? [[name, json]] : [],
    ),
    // This version of it takes a response that is incomplete for an answer.
    isWhole: status !== 'failed',
  })
}

/** The AI SDK has one kind of call: the input of those that are no functions is JSON around what they hold. */
function aiSdkCall({ type, name, arguments: json, input, action, call_id: id }: Json): unknown {
  switch (type) {
    case 'custom_tool_call':
      return [name, JSON.stringify(input)]
    case 'tool_search_call':
      return ['tool_search', JSON.stringify({ arguments: json, call_id: id })]
    case 'local_shell_call':
      return ['local_shell', JSON.stringify({ action })]
    default:
      return [name, json]
  }
}

/** What a program sees of a response. */
interface Seen {
  readonly text: string
  readonly reasoning: string
  /** The name of each call and what it was called with, as text. */
  readonly calls: readonly (readonly [name: string, input: string])[]
  /** Whether the SDK takes the response for one that succeeded. */
  readonly isWhole: boolean
}

const nothing: Seen = { text: '', reasoning: '', calls: [], isWhole: false }

/** What the provider of the AI SDK makes of a stream. */
export async function aiSdkSees(stream: string): Promise<Seen> {
  const provider = createOpenAI({ baseURL: 'http://127.0.0.1:1/v1', apiKey: 'k', fetch: answering(stream) })
  const seen = { ...nothing, calls: [...nothing.calls] }
  try {
    const answer = await provider.responses('asked-model').doStream({
      prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hi.' }] }],
      providerOptions: { openai: { store: false } },
    })
    for await (const part of answer.stream) {
      if (part.type === 'text-delta') seen.text += part.delta
      if (part.type === 'reasoning-delta') seen.reasoning += part.delta
      if (part.type === 'tool-call') seen.calls.push([part.toolName, part.input])
      if (part.type === 'error') return { ...seen, isWhole: false }
      if (part.type === 'finish') seen.isWhole = ['stop', 'tool-calls'].includes(part.finishReason.unified)
    }
  } catch {
    return seen
  }
  return seen
}

/** What the Agents SDK makes of a stream. It gives nothing of one that failed or was cut short. */
export async function agentsSee(stream: string): Promise<Seen> {
  const client = new OpenAI({
    baseURL: 'http://127.0.0.1:1/v1',
    apiKey: 'k',
    maxRetries: 0,
    fetch: answering(stream),
  })
  const events = new OpenAIResponsesModel(client, 'asked-model').getStreamedResponse({
    input: 'Hi.',
    modelSettings: { store: false },
    tools: [],
    handoffs: [],
    outputType: 'text',
    tracing: false,
  })
  try {
    for await (const event of events) {
      if (event.type === 'response_done') return seenIn(event.response.output)
    }
  } catch {
    return nothing
  }
  return nothing
}

function seenIn(output: readonly unknown[]): Seen {
  const items = output.filter(isRecord)
  return {
    text: textsIn(items, 'message', 'content'),
    reasoning: textsIn(items, 'reasoning', 'content'),
    calls: items.flatMap(({ type, name, arguments: json }) =>
      type === 'function_call' ? [[String(name), String(json)] as const] : [],
    ),
    isWhole: true,
  }
}

function textsIn(items: readonly Json[], kind: string, field: 'content' | 'summary'): string {
  return items
    .filter(({ type }) => type === kind)
    .flatMap(({ [field]: parts }): unknown[] => (Array.isArray(parts) ? parts : []))
    .map((part) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function answering(stream: string): () => Promise<Response> {
  const headers = { 'content-type': 'text/event-stream' }
  return () => Promise.resolve(new Response(stream, { status: 200, headers }))
}

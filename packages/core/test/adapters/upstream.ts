import type { Fetch } from '../../src/adapters/fetch.ts'

/** What an upstream was sent. */
export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: string
  readonly signal: AbortSignal
}

export interface FakeUpstream {
  readonly fetch: Fetch
  readonly sent: readonly Sent[]
}

/** A `fetch` that answers as a test says. What it is called with is read as the real one reads it. */
export function upstream(answer: (sent: Sent) => Response): FakeUpstream {
  const sent: Sent[] = []
  return {
    sent,
    fetch: async (input, init) => {
      const request = new Request(input, init)
      const { url, method, headers, signal } = request
      const each = { url, method, headers, signal, body: await request.text() }
      sent.push(each)
      return answer(each)
    },
  }
}

export const kimiCall =
  'Let me look.<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>'

const chatTools = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' } } },
    },
  },
]

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', ...headers },
  })
}

/** An event stream, one chunk for each text. */
export function events(texts: readonly string[]): Response {
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const text of texts) controller.enqueue(encoder.encode(text))
      controller.close()
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

export function chatChunk(delta: object, finish: string | null = null): string {
  const choice = { index: 0, delta, finish_reason: finish, logprobs: null }
  return `data: ${JSON.stringify({ id: 'c1', vendor: 'kept', choices: [choice] })}\n\n`
}

export function chatRequest(body: object = {}): string {
  const messages = [{ role: 'user', content: 'Weather?' }]
  return JSON.stringify({ model: 'kimi-k2', messages, tools: chatTools, ...body })
}

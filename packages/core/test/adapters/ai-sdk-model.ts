import { toolCallMiddleware, type AdapterOptions } from '../../src/adapters/ai-sdk.ts'

export interface AnyPart {
  readonly type: string
  readonly [field: string]: unknown
}

const weatherTools = [
  {
    type: 'function',
    name: 'get_weather',
    inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
  },
]

export const stop: AnyPart = {
  type: 'finish',
  finishReason: { unified: 'stop', raw: 'stop' },
  usage: { inputTokens: { total: 3 } },
  providerMetadata: { vendor: { kept: true } },
}

const model = { modelId: 'kimi-k2' }

/** What the middleware makes of the parts that a model streams. Minted ids count from 1. */
export async function streamed(
  came: readonly AnyPart[],
  { params = {}, ...options }: AdapterOptions & { readonly params?: object } = {},
): Promise<AnyPart[]> {
  const call = { prompt: [], tools: weatherTools, ...params }
  const { stream } = await toolCallMiddleware({ newId: counter(), ...options }).wrapStream({
    doStream: () => Promise.resolve({ stream: streamOf(came) }),
    params: call,
    model,
  })
  const parts: AnyPart[] = []
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return parts
    parts.push(value)
  }
}

/** The same of a whole answer. */
export function generated(
  content: readonly AnyPart[],
  options: AdapterOptions = {},
  usage: object = {},
): Promise<{ readonly content: readonly AnyPart[]; readonly finishReason: object }> {
  const finishReason: object = { unified: 'stop', raw: 'stop' }
  return toolCallMiddleware({ newId: counter(), ...options }).wrapGenerate({
    doGenerate: () => Promise.resolve({ content, finishReason, usage, warnings: [] }),
    params: { prompt: [], tools: weatherTools },
    model,
  })
}

/** A block of text, one delta for each piece. */
export function block(kind: 'text' | 'reasoning', id: string, ...deltas: readonly string[]): AnyPart[] {
  return [
    { type: `${kind}-start`, id },
    ...deltas.map((delta) => ({ type: `${kind}-delta`, id, delta })),
    { type: `${kind}-end`, id },
  ]
}

/** The parts of a call as the middleware writes them. */
export function callParts(id: string, name: string, input: string): AnyPart[] {
  return [
    { type: 'tool-input-start', id, toolName: name },
    { type: 'tool-input-delta', id, delta: input },
    { type: 'tool-input-end', id },
    { type: 'tool-call', toolCallId: id, toolName: name, input },
  ]
}

/** With neighbouring deltas of one block joined: how the text is cut says nothing. */
export function joined(parts: readonly AnyPart[]): AnyPart[] {
  const whole: AnyPart[] = []
  for (const part of parts) {
    const last = whole.at(-1)
    const isSame = last?.type === part.type && last['id'] === part['id'] && part.type.endsWith('-delta')
    if (isSame) whole[whole.length - 1] = { ...last, delta: String(last['delta']) + String(part['delta']) }
    else whole.push(part)
  }
  return whole
}

function counter(): () => string {
  let count = 0
  return () => `n${++count}`
}

function streamOf(parts: readonly AnyPart[]): ReadableStream<AnyPart> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part)
      controller.close()
    },
  })
}

import {
  type AnswerSink,
  type ConversationRequest,
  createAnswerDecoder,
  type DialectId,
  dialects,
  type Failure,
  type FinishReason,
  type FormatId,
  readAnswer,
  type Usage,
} from '@dragoman/core'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** A question for the weather, in nobody's dialect. */
export function weatherIn(model: string, more: Partial<ConversationRequest> = {}): ConversationRequest {
  return {
    model,
    system: [],
    contents: [{ speaker: 'human', blocks: [{ type: 'text', text: 'What is the weather in Paris?' }] }],
    tools: [{ name: 'get_weather', description: undefined, parameters: schema }],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    stream: true,
    wantsUsage: true,
    wantsThoughts: true,
    maxTokens: 1000,
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    stopSequences: [],
    reasoning: undefined,
    outputFormat: undefined,
    user: undefined,
    extra: {},
    ...more,
  }
}

/**
 * Sends a request as it is written in this dialect, with these fields changed. `base` is the address of the server with its
 * version.
 */
export function ask(
  dialect: DialectId,
  base: string,
  request: ConversationRequest,
  init: RequestInit = {},
  fields: object = {},
): Promise<Response> {
  const { request: written, http } = dialects[dialect]
  const { body } = written.encode(request, { model: request.model, format: written.format ?? 'standard' })
  return fetch(base + http.upstreamPath('', request.model, request.stream), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...http.headers('key') },
    body: JSON.stringify({ ...body, ...fields }),
    ...init,
  })
}

/** What a server said, as it is understood. */
export interface Understood {
  readonly text: string
  readonly reasoning: string
  readonly calls: readonly {
    readonly id: string
    readonly name: string
    readonly json: string
    readonly isWhole: boolean
  }[]
  readonly finish: FinishReason | null
  readonly usage: Usage | null
  readonly failure: Failure | null
}

/** Reads an answer of this dialect. `format` is how its model writes calls. */
export function understood(
  dialect: DialectId,
  delivered: 'stream' | 'whole',
  body: string,
  format: FormatId | 'auto' = 'standard',
  model = 'standard',
): Understood {
  const heard = { text: '', reasoning: '', calls: [], finish: null, usage: null, failure: null }
  const said: Writable<Understood> & { calls: Call[] } = heard
  let ids = 0
  const options = {
    sink: sinkInto(said),
    parser: { format, model, tools: [{ name: 'get_weather', parameters: schema }] },
    mint: () => `minted_${ids++}`,
  }
  if (delivered === 'whole') {
    readAnswer(dialect, body, options)
  } else {
    const decoder = createAnswerDecoder(dialect, options)
    decoder.push(body)
    decoder.end()
  }
  return said
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

interface Call {
  readonly id: string
  readonly name: string
  json: string
  isWhole: boolean
}

const nothing = (): void => {}

function sinkInto(said: Writable<Understood> & { calls: Call[] }): AnswerSink {
  return {
    start: nothing,
    text: (text) => (said.text += text),
    reasoning: (text) => (said.reasoning += text),
    reasoningProof: nothing,
    callStart: (_index, id, name) => said.calls.push({ id, name, json: '', isWhole: false }),
    callDelta: (index, json) => {
      const call = said.calls[index]
      if (call !== undefined) call.json += json
    },
    callEnd: (index) => {
      const call = said.calls[index]
      if (call !== undefined) call.isWhole = true
    },
    usage: (usage) => (said.usage = usage),
    finish: (reason) => (said.finish = reason),
    fail: (failure) => (said.failure = failure),
    end: nothing,
    problem: nothing,
    repair: nothing,
  }
}

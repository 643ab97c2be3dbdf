import {
  type Answer,
  argumentsText,
  type Call,
  type FinishWord,
  isWoven,
  type Item,
  type UpstreamError,
  type Written,
} from './answer.ts'
import { isObject, type Json, parseJson, RawJson, writeJson } from './json.ts'

/** The answer as a server of the Gemini dialect writes it, streamed and whole. */
export function contentBodies(answer: Answer): Written[] {
  const { finish, error } = answer
  // The dialect has no word for either.
  if (finish.says === 'pause' || finish.says === 'stop-sequence') return []
  const saysAll = !isWoven(answer)
  return [
    { dialect: 'gemini', delivered: 'stream', body: streamOf(answer), saysAll },
    {
      dialect: 'gemini',
      delivered: 'whole',
      body: [wholeOf(answer)],
      saysAll: saysAll && error === null && !isTruncated(answer),
    },
  ]
}

/** The reason tells an answer that has ended from one that was cut off: nothing else does. */
function isTruncated({ finish }: Answer): boolean {
  return finish.says === 'nothing' && finish.end === 'eof'
}

const finishWords: Readonly<Record<FinishWord | 'nothing', string>> = {
  stop: 'STOP',
  'tool-calls': 'STOP',
  length: 'MAX_TOKENS',
  'content-filter': 'PROHIBITED_CONTENT',
  'stop-sequence': 'STOP',
  pause: 'STOP',
  nothing: 'STOP',
}

function endOf(answer: Answer): Json {
  return isTruncated(answer) ? {} : { finishReason: finishWords[answer.finish.says] }
}

function streamOf(answer: Answer): string[] {
  const { error, habits } = answer
  const said = answer.items.flatMap((item) => pieceParts(item))
  const isBeside = habits.finish === 'beside the last delta' && said.length > 0
  const isCut = error !== null || isTruncated(answer)
  const chunks: unknown[] = said.map((part, at) => {
    const isLast = at === said.length - 1
    return chunkOf(answer, [part], isLast && isBeside && !isCut ? endOf(answer) : {})
  })
  if (error !== null) chunks.push(errorValue(error))
  else if (!isCut && !isBeside) chunks.push(chunkOf(answer, [], endOf(answer)))
  const events = chunks.map((chunk) => `data: ${writeJson(chunk)}\n\n`)
  if (!habits.emptyData) return events
  return ['data:\n\n', ...events.slice(0, -1), 'data: \n\n', ...events.slice(-1)]
}

function wholeOf(answer: Answer): string {
  if (answer.error !== null) return writeJson(errorValue(answer.error))
  const parts = answer.items.flatMap((item): Json[] => {
    if (item.is === 'calls') return item.calls.map(callPart)
    return [textPart(item.is, item.pieces.join(''))]
  })
  return writeJson(chunkOf(answer, parts, endOf(answer)))
}

function chunkOf({ habits }: Answer, parts: readonly Json[], end: Json): Json {
  const content = { parts, role: 'model' }
  const usage = { promptTokenCount: 5, candidatesTokenCount: habits.usage === 'zero' ? 0 : 7 }
  return {
    candidates: [{ content, ...end, index: 0 }],
    usageMetadata: habits.usage === 'none' ? undefined : usage,
    modelVersion: 'some-model',
    responseId: 'up',
  }
}

function pieceParts(item: Item): Json[] {
  if (item.is === 'calls') return item.calls.map(callPart)
  return item.pieces.map((piece) => textPart(item.is, piece))
}

function textPart(is: 'text' | 'reasoning', text: string): Json {
  return is === 'text' ? { text } : { text, thought: true }
}

/** Where the arguments are no object, servers have nothing to put there but the text of it. */
function callPart(call: Call): Json {
  const json = argumentsText(call)
  const args = json === '' ? undefined : isObject(parseJson(json)) ? new RawJson(json) : json
  return { functionCall: { id: call.id ?? undefined, name: call.name ?? undefined, args } }
}

function errorValue({ shape, message, type }: UpstreamError): unknown {
  const [code, status] = statuses.get(type ?? '') ?? [500, 'INTERNAL']
  const error = { code, message, status }
  if (shape === 'string') return { error: message }
  if (shape === 'array') return [{ error }]
  return shape === 'object' ? { error } : { candidates: [], error }
}

const statuses: ReadonlyMap<string, readonly [number, string]> = new Map([
  ['rate_limit_error', [429, 'RESOURCE_EXHAUSTED']],
  ['overloaded_error', [503, 'UNAVAILABLE']],
  ['authentication_error', [401, 'UNAUTHENTICATED']],
])

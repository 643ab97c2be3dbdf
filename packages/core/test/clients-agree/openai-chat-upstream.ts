import {
  type Answer,
  argumentsText,
  type Call,
  callsIn,
  type FinishWord,
  inOrder,
  isWoven,
  type UpstreamError,
  type Written,
} from './answer.ts'
import { type Json, RawJson, writeJson } from './json.ts'

/** The answer as a server of the chat dialect writes it, streamed and whole. */
export function chatBodies(answer: Answer): Written[] {
  if (answer.finish.says === 'pause') return []
  return [
    { dialect: 'openai-chat', delivered: 'stream', body: streamOf(answer), saysAll: isSaidByStream(answer) },
    { dialect: 'openai-chat', delivered: 'whole', body: [wholeOf(answer)], saysAll: isSaidByWhole(answer) },
  ]
}

/**
 * Where calls have neither ids nor numbers of their own, a stream does not tell a call from the one before it that is
 * said once more.
 */
function isSaidByStream(answer: Answer): boolean {
  const calls = callsIn(answer)
  return calls.every(({ id }) => id !== null && id !== '') || calls.every(({ index }) => index === 'own')
}

/** A whole completion has one field each for reasoning, text and calls: their order among each other is lost. */
function isSaidByWhole(answer: Answer): boolean {
  const { items, finish, error } = answer
  const ranks = items.map((item) => ['reasoning', 'text', 'calls'].indexOf(item.is))
  const isInOrder = ranks.every((rank, at) => at === 0 || rank >= (ranks[at - 1] ?? 0))
  const isTruncated = finish.says === 'nothing' && finish.end === 'eof'
  return isInOrder && !isWoven(answer) && error === null && !isTruncated
}

const finishWords: Readonly<Record<Exclude<FinishWord, 'pause'>, string>> = {
  stop: 'stop',
  'tool-calls': 'tool_calls',
  length: 'length',
  'content-filter': 'content_filter',
  'stop-sequence': 'stop',
}

/** What a choice says at its end. vLLM tells beside `stop` which stop sequence was met. */
function endOf(answer: Answer): Json {
  const { says } = answer.finish
  if (says === 'nothing' || says === 'pause') return { finish_reason: null }
  if (says === 'stop-sequence') return { finish_reason: 'stop', stop_reason: '###' }
  const isLegacy = says === 'tool-calls' && callsIn(answer).some((call) => call.legacy === 'instead')
  return { finish_reason: isLegacy ? 'function_call' : finishWords[says] }
}

function streamOf(answer: Answer): string[] {
  const { error, finish, habits } = answer
  const deltas: Json[] = [{ role: 'assistant', content: '' }, ...deltasOf(answer)]
  const end = error === null && finish.says !== 'nothing' ? endOf(answer) : null
  const isBeside = end !== null && habits.finish === 'beside the last delta'
  const last = deltas.length - 1
  const events = deltas.map((delta, at) => chunk(delta, isBeside && at === last ? end : {}))
  if (end !== null && !isBeside) events.push(chunk({}, end))
  if (error === null) {
    if (habits.usage !== 'none') events.push(event({ ...envelope, choices: [], usage: usageOf(answer) }))
    if (finish.end === 'marked') events.push(done)
  } else {
    events.push(event(errorValue(error)))
    if (error.isFollowedByDone) events.push(done)
  }
  if (!habits.emptyData) return events
  return [...events.slice(0, 1), 'data:\n\n', ...events.slice(1, -1), 'data: \n\n', ...events.slice(-1)]
}

const done = 'data: [DONE]\n\n'
const envelope = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'some-model' }

function event(value: unknown): string {
  return `data: ${writeJson(value)}\n\n`
}

function chunk(delta: Json, end: Json): string {
  return event({ ...envelope, choices: [{ index: 0, delta, finish_reason: null, ...end }] })
}

function usageOf({ habits }: Answer): Json {
  const count = habits.usage === 'zero' ? 0 : 7
  return { prompt_tokens: 5, completion_tokens: count, total_tokens: 5 + count }
}

function deltasOf(answer: Answer): Json[] {
  let index = 0
  return answer.items.flatMap((item): Json[] => {
    if (item.is === 'text') return item.pieces.map((piece) => ({ content: contentOf(answer, [piece]) }))
    if (item.is === 'reasoning') return item.pieces.map((piece) => reasoningFields(answer, [piece]))
    return inOrder(
      item.calls.map((call) => callDeltas(call, index++)),
      item.order,
    )
  })
}

function contentOf({ habits }: Answer, pieces: readonly string[]): unknown {
  return habits.contentIn === 'text' ? pieces.join('') : pieces.map((text) => ({ type: 'text', text }))
}

function reasoningFields({ habits }: Answer, pieces: readonly string[]): Json {
  const { reasoningIn } = habits
  const details = pieces.map((text) => ({ type: 'reasoning.text', text, format: 'unknown', index: 0 }))
  if (reasoningIn === 'reasoning_details') return { reasoning_details: details }
  if (reasoningIn === 'two fields') return { reasoning: pieces.join(''), reasoning_details: details }
  return { [reasoningIn]: pieces.join('') }
}

/** The first delta brings id and name, and the arguments where they come in one piece. */
function callDeltas(call: Call, place: number): Json[] {
  const { arguments: given, name, id } = call
  const pieces = given.are === 'text' ? given.pieces : []
  const inFirst = given.are === 'an object' ? new RawJson(given.json) : pieces.length === 1 ? pieces[0] : ''
  const index = call.index === 'none' ? undefined : call.index === 'zero' ? 0 : place
  const first = { name: name ?? undefined, arguments: given.are === 'missing' ? undefined : inFirst }
  const later = pieces.length === 1 ? [] : pieces
  return [
    fieldsOf(call, { index, id: id ?? undefined, type: 'function', function: first }),
    ...later.map((piece) => fieldsOf(call, { index, function: { arguments: piece } })),
  ]
}

function fieldsOf({ legacy }: Call, entry: Json): Json {
  if (legacy === 'no') return { tool_calls: [entry] }
  if (legacy === 'instead') return { function_call: entry['function'] }
  return { tool_calls: [entry], function_call: entry['function'] }
}

function wholeOf(answer: Answer): string {
  const { error, habits } = answer
  if (error !== null) return writeJson(errorValue(error))
  const text = piecesOf(answer, 'text')
  const reasoning = piecesOf(answer, 'reasoning')
  const calls = callsIn(answer)
  const legacy = calls.find((call) => call.legacy !== 'no')
  const inList = calls.filter((call) => call.legacy !== 'instead')
  const message = {
    role: 'assistant',
    content: text.length === 0 && calls.length > 0 ? null : contentOf(answer, text),
    ...(reasoning.length > 0 && reasoningFields(answer, reasoning)),
    ...(inList.length > 0 && { tool_calls: inList.map(wholeCall) }),
    ...(legacy !== undefined && { function_call: wholeFunction(legacy) }),
  }
  return writeJson({
    ...envelope,
    object: 'chat.completion',
    choices: [{ index: 0, message, ...endOf(answer) }],
    ...(habits.usage !== 'none' && { usage: usageOf(answer) }),
  })
}

function piecesOf({ items }: Answer, kind: 'text' | 'reasoning'): string[] {
  return items.flatMap((item) => (item.is === kind ? item.pieces : []))
}

function wholeCall(call: Call): Json {
  return { id: call.id ?? undefined, type: 'function', function: wholeFunction(call) }
}

function wholeFunction(call: Call): Json {
  const { name, arguments: given } = call
  const text = given.are === 'missing' ? undefined : argumentsText(call)
  return { name: name ?? undefined, arguments: given.are === 'an object' ? new RawJson(given.json) : text }
}

function errorValue({ shape, message, type, code }: UpstreamError): unknown {
  const error = { message, type: type ?? undefined, code: code ?? undefined }
  switch (shape) {
    case 'string':
      return { error: message }
    case 'object':
      return { error }
    case 'array':
      return [{ error }]
    case 'beside no choices':
      return { ...envelope, choices: [], error }
  }
}

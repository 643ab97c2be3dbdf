import { repairEvent } from '../../../events.ts'
import { AnswerIds } from '../../../answer/ids.ts'
import type { AnswerReports } from '../../../answer/reports.ts'
import type { Failure } from '../../../answer/answer.ts'
import { isJsonObject, nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { protocolError } from '../../../answer/faults.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import { failureOfChoice } from './choice-failure.ts'
import { ChoiceReader, type ChoiceReaderOptions } from './choice-reader.ts'
import { readDelta, type DeltaParts, type Piece } from './delta.ts'
import { unwrapEnvelope } from './envelope.ts'
import { decodeFinishReason } from './finish-reason.ts'
import { choiceOptions, type RewriteOptions } from './rewrite-options.ts'
import { usageOf } from './usage.ts'

export interface RewrittenBody {
  /** The very value that came where nothing had to change. */
  readonly body: unknown
  /** Why this is no answer to give to a client, or null. */
  readonly failure: Failure | null
}

/** A whole chat completion with the calls that a model wrote as text made structured; all else stays. */
export function rewriteCompletion(body: unknown, options: RewriteOptions): RewrittenBody {
  const completion = unwrapEnvelope(body)
  const isStrict = options.faults === 'fail'
  if (!isJsonObject(completion)) {
    return { body: completion, failure: isStrict ? protocolError('It is not a JSON object.') : null }
  }
  if (isErrorValue(completion)) return { body: completion, failure: failureFromError(completion) }
  const came: readonly unknown[] = Array.isArray(completion['choices']) ? completion['choices'] : []
  if (came.length === 0) {
    return { body: completion, failure: isStrict ? protocolError('It has no choices.') : null }
  }
  const ids = new AnswerIds(options.mint, options.conversationIds)
  let failure: Failure | null = null
  const choices = came.map((choice, index) => {
    if (!isJsonObject(choice)) return choice
    const reading = choiceOptions(options, ids, index)
    const said = withMessage(choice, reading)
    if (!isJsonObject(said['message'])) return choice
    const rewritten = rewriteChoice(said, said['message'], reading)
    failure ??= rewritten.failure ?? (isStrict ? failureOfChoice(choice) : null)
    return rewritten.choice
  })
  const isSame = choices.every((choice, at) => choice === came[at])
  const sent = isSame ? completion : { ...completion, choices }
  if (failure === null) report(sent, choices[0], options)
  return { body: sent, failure }
}

/** Clients look for what a whole answer says in `message`, and nowhere else. */
function withMessage(choice: JsonObject, { record }: ChoiceReaderOptions): JsonObject {
  if (isJsonObject(choice['message']) || !isJsonObject(choice['delta'])) return choice
  record(repairEvent('filled-field'))
  const { delta, ...rest } = choice
  return { ...rest, message: delta }
}

function report(completion: JsonObject, first: unknown, { onUsage, onFinish }: AnswerReports): void {
  const usage = usageOf(completion)
  if (usage !== null) onUsage?.(usage)
  const word = isJsonObject(first) ? nonEmptyText(first['finish_reason']) : null
  const reason = decodeFinishReason(word ?? 'stop')
  if (reason !== 'error') onFinish?.(reason)
}

function rewriteChoice(
  choice: JsonObject,
  message: JsonObject,
  options: ChoiceReaderOptions,
): { choice: JsonObject; failure: Failure | null } {
  const reader = new ChoiceReader(options)
  const parts = readDelta(message)
  const came = nonEmptyText(choice['finish_reason'])
  const read = reader.read(numbered(parts))
  const end = reader.end(came === null ? { by: 'done' } : { by: 'finish-reason', reason: came })
  const pieces = [...read, ...end.pieces]
  const calls = callsIn(pieces, parts)
  const changed = changedFields(parts, pieces, calls)
  const finishReason = end.finishReason ?? came ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  const isSame = Object.keys(changed).length === 0 && finishReason === came
  return {
    choice: isSame ? choice : { ...choice, message: { ...message, ...changed }, finish_reason: finishReason },
    failure: end.failure,
  }
}

/** A field set to undefined is left out of the JSON. */
function changedFields(
  parts: DeltaParts,
  pieces: readonly Piece[],
  calls: readonly JsonObject[],
): JsonObject {
  const changed: Record<string, unknown> = {}
  const content = textOf(pieces, 'content')
  if (content !== (parts.content ?? '')) {
    changed['content'] = content === '' && calls.length > 0 ? null : content
  }
  const reasoning = textOf(pieces, 'reasoning')
  if (reasoning !== (parts.reasoning ?? '')) {
    const fields = parts.reasoningFields.length > 0 ? parts.reasoningFields : ['reasoning_content']
    for (const field of fields) changed[field] = reasoning
  }
  if (JSON.stringify(calls) !== JSON.stringify(parts.toolCalls ?? [])) changed['tool_calls'] = calls
  if (parts.functionCall !== null) changed['function_call'] = undefined
  return changed
}

function textOf(pieces: readonly Piece[], type: 'content' | 'reasoning'): string {
  return pieces.map((piece) => (piece.type === type ? piece.text : '')).join('')
}

/** Only deltas need an index. Where a message has none, each call has its place, so that none has to be repaired. */
function numbered(parts: DeltaParts): DeltaParts {
  if (parts.toolCalls === null || haveIndexes(parts)) return parts
  const toolCalls = parts.toolCalls.map((entry, index) => (isJsonObject(entry) ? { ...entry, index } : entry))
  return { ...parts, toolCalls }
}

function haveIndexes({ toolCalls }: DeltaParts): boolean {
  return toolCalls?.some((entry) => isJsonObject(entry) && 'index' in entry) === true
}

/** The calls put together; where the message had no index, it gets none. */
function callsIn(pieces: readonly Piece[], parts: DeltaParts): JsonObject[] {
  const hasIndexes = haveIndexes(parts)
  const calls = new Map<unknown, JsonObject>()
  for (const piece of pieces) {
    for (const entry of piece.type === 'calls' ? piece.calls : []) {
      if (!isJsonObject(entry)) continue
      const { index, ...rest } = entry
      const known = calls.get(index)
      calls.set(index, known === undefined ? (hasIndexes ? entry : rest) : joined(known, entry))
    }
  }
  return [...calls.values()]
}

function joined(call: JsonObject, later: JsonObject): JsonObject {
  const fn = objectIn(call, 'function')
  const more = objectIn(later, 'function')
  const json = (nonEmptyText(fn['arguments']) ?? '') + (nonEmptyText(more['arguments']) ?? '')
  return { ...call, function: { ...fn, arguments: json } }
}

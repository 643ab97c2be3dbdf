import { protocolError } from '../../../answer/failure.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import type { WholeAnswer, WholeAsEvents, WholeCollector } from '../../../answer/whole.ts'
import { nineAlphanumerics } from '../../../ids/digest.ts'
import {
  isJsonObject,
  nonEmptyText,
  objectIn,
  parseJson,
  parseWritableJson,
  type JsonObject,
} from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import { encodeSse } from '../../../sse/encoder.ts'
import type { SseItem } from '../../../sse/items.ts'
import { SseReader } from '../../../sse/reader.ts'
import type { TextOrigin } from '../../dialect.ts'
import { reasoningTextFields } from '../words.ts'
import { CollectedFields, type FieldRules } from './collected-fields.ts'
import { errorTextOf, unwrapEnvelope } from './decode.ts'

/** A whole completion as the stream that says the same. */
export function completionAsEvents(body: string): WholeAsEvents {
  const came = parseWritableJson(body)
  const completion = unwrapEnvelope(came)
  if (!isJsonObject(completion)) return { failure: protocolError('It is not a JSON object.') }
  if (isErrorValue(completion)) return { failure: failureFromError(completion) }
  const { choices } = completion
  if (!Array.isArray(choices) || choices.length === 0) return { failure: protocolError('It has no choices.') }
  const first = choices.find(isJsonObject)
  const errorText = first === undefined ? null : errorTextOf(first)
  if (errorText !== null) return { failure: errorText }
  const json = completion === came ? body : JSON.stringify(completion)
  const written = new WrittenValues(json)
  const events = streamOfCompletion(
    { ...completion, choices: choices.map((choice, at) => written.takeFrom(choice, ['choices', at])) },
    { includeUsage: true },
  )
  return { events: written.putBack(events), json }
}

/** A completion that says just this text. The text gives it its id: no clock and no chance is at hand here. */
export function completionOfText(text: string, { model, created }: TextOrigin = nobody): string {
  return JSON.stringify({
    id: `chatcmpl-${nineAlphanumerics(text)}`,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
  })
}

const nobody: TextOrigin = { model: '', created: 0 }

/** A last chunk with this text, and the end. */
export function restOfStream(text: string, first: JsonObject): string {
  const { id, created, model } = first
  const chunk = {
    id,
    created,
    model,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta: { content: text }, finish_reason: 'stop' }],
  }
  return encodeSse({ data: JSON.stringify(chunk) }) + encodeSse({ data: '[DONE]' })
}

/** Arguments that are a value and not its text. Read and written again, a number too long for ours would lose digits. */
class WrittenValues {
  private readonly raw: RawJson
  private readonly texts: string[] = []

  constructor(json: string) {
    this.raw = new RawJson(json)
  }

  /** The choice with a mark in the place of each such value. */
  takeFrom(choice: unknown, path: readonly (string | number)[]): unknown {
    const message = isJsonObject(choice) ? choice['message'] : undefined
    if (!isJsonObject(choice) || !isJsonObject(message)) return choice
    const { tool_calls: calls, function_call: legacy } = message
    const place = [...path, 'message']
    const marked: Record<string, unknown> = { ...message }
    if (Array.isArray(calls)) {
      marked['tool_calls'] = calls.map((call: unknown, at) =>
        this.markedCall(call, [...place, 'tool_calls', at]),
      )
    }
    if (isJsonObject(legacy)) marked['function_call'] = this.marked(legacy, [...place, 'function_call'])
    return { ...choice, message: marked }
  }

  putBack(events: string): string {
    if (this.texts.length === 0) return events
    return events.replaceAll(marks, (mark, at: string) => {
      const text = this.texts[Number(at)]
      return text === undefined ? mark : `"arguments":${text}`
    })
  }

  private markedCall(call: unknown, path: readonly (string | number)[]): unknown {
    const fn = isJsonObject(call) ? call['function'] : undefined
    if (!isJsonObject(call) || !isJsonObject(fn)) return call
    return { ...call, function: this.marked(fn, [...path, 'function']) }
  }

  private marked({ arguments: given, ...fn }: JsonObject, path: readonly (string | number)[]): JsonObject {
    const raw = isJsonObject(given) ? this.raw.value([...path, 'arguments']) : undefined
    if (raw === undefined) return given === undefined ? fn : { ...fn, arguments: given }
    this.texts.push(raw)
    return { ...fn, [markKey]: this.texts.length - 1 }
  }
}

/** A key, and not a text: whatever a model writes stands inside quotes that are escaped, and is never taken for it. */
const markKey = '\u0000arguments'
const marks = /"\\u0000arguments":(\d+)/g

export interface CompletionStreamOptions {
  /** Whether the client asked for the chunk with the usage. */
  readonly includeUsage: boolean
}

/** The event stream that says what a whole completion says, with every field of it. */
export function streamOfCompletion(
  completion: JsonObject,
  { includeUsage }: CompletionStreamOptions,
): string {
  const { choices, usage, ...shared } = completion
  const sent = (Array.isArray(choices) ? choices : []).flatMap((choice: unknown, position) =>
    isJsonObject(choice) ? choiceChunks(choice, position) : [],
  )
  const events = sent.map((choice) => chunkEvent(shared, { choices: [choice] }))
  if (includeUsage && isJsonObject(usage)) events.push(chunkEvent(shared, { choices: [], usage }))
  return events.join('') + encodeSse({ data: '[DONE]' })
}

function chunkEvent(shared: JsonObject, own: JsonObject): string {
  return encodeSse({ data: JSON.stringify({ ...shared, object: 'chat.completion.chunk', ...own }) })
}

/**
 * The choice once for each delta, and once for its end. Token probabilities go with the content, and what else is
 * told of the choice with the end, where servers that stream tell it.
 */
function choiceChunks(choice: JsonObject, position: number): JsonObject[] {
  const { message, delta: _, index: came, logprobs, finish_reason, ...rest } = choice
  const index = typeof came === 'number' ? came : position
  // What a whole answer says in `delta` is at the wrong place, as it is in the `message` of a stream: who reads it tells.
  const [field, said] = isJsonObject(message) ? ['delta', message] : ['message', objectIn(choice, 'delta')]
  const deltas = deltasOf(said)
  const measured = deltas.find((delta) => isSaid(delta['content']) || isSaid(delta['refusal']))
  // A field set to undefined is left out of the JSON.
  const chunks: JsonObject[] = deltas.map((delta) => {
    return { index, [field]: delta, logprobs: delta === measured ? logprobs : undefined, finish_reason: null }
  })
  const unmeasured = measured === undefined ? logprobs : undefined
  chunks.push({ ...rest, index, delta: {}, logprobs: unmeasured, finish_reason: finish_reason ?? null })
  return chunks
}

function deltasOf(message: JsonObject): JsonObject[] {
  const { role, tool_calls: calls, ...said } = message
  const first = Object.entries(said).filter(([field, value]) => !laterFields.has(field) || !isSaid(value))
  const empty = Array.isArray(calls) && calls.length > 0 ? {} : { tool_calls: calls }
  return [
    { role: role ?? 'assistant', ...Object.fromEntries(first), ...empty },
    ...[reasoningFields, contentFields].flatMap((fields) => deltaOf(said, fields)),
    ...callDeltas(calls),
    // Behind the calls: where a message has both, it says one of them once more.
    ...deltaOf(said, functionFields),
  ]
}

const reasoningFields = [...reasoningTextFields, 'reasoning_details', 'thinking_blocks']
const contentFields = ['content', 'refusal', 'annotations']
const functionFields = ['function_call']
const laterFields: ReadonlySet<string> = new Set([...reasoningFields, ...contentFields, ...functionFields])

/** Whether the value says anything; one that does not is told with the role. */
function isSaid(value: unknown): boolean {
  return (
    value !== undefined && value !== null && value !== '' && !(Array.isArray(value) && value.length === 0)
  )
}

/** The delta with those of the fields that say something, if any does. */
function deltaOf(message: JsonObject, fields: readonly string[]): JsonObject[] {
  const entries = fields.map((field) => [field, message[field]] as const).filter(([, value]) => isSaid(value))
  return entries.length === 0 ? [] : [Object.fromEntries(entries)]
}

/** One delta for each call: some clients read no more than the first of a chunk. */
function callDeltas(calls: unknown): JsonObject[] {
  if (!Array.isArray(calls)) return []
  return calls.filter(isJsonObject).map((call, at) => ({
    tool_calls: [{ ...call, index: typeof call['index'] === 'number' ? call['index'] : at }],
  }))
}

/** Puts the event stream of a completion together as the whole one that it adds up to. */
export class CompletionCollector implements WholeCollector {
  // How long an event may be is for who read the stream to say, and it has been said.
  private readonly sse = new SseReader({ item: (item) => this.take(item) }, Number.MAX_SAFE_INTEGER)
  private readonly fields = new CollectedFields({})
  private readonly choices = new Map<number, CollectedChoice>()

  /** Text of the stream, cut anywhere. */
  push(sseText: string): void {
    this.sse.push(sseText)
  }

  /** Null where the stream had no choice. */
  end(): WholeAnswer | null {
    this.sse.end()
    if (this.choices.size === 0) return null
    const { usage, ...rest } = this.fields.whole()
    const choices = [...this.choices]
      .toSorted(([a], [b]) => a - b)
      .map(([index, choice]) => choice.whole(index))
    const value = { ...rest, object: 'chat.completion', choices, ...(usage === undefined ? {} : { usage }) }
    return { value, json: JSON.stringify(value) }
  }

  private take(item: SseItem): void {
    const chunk = item.kind === 'event' ? parseJson(item.data) : undefined
    if (!isJsonObject(chunk)) return
    const { choices, ...rest } = chunk
    this.fields.add(rest)
    for (const [position, choice] of Array.isArray(choices) ? choices.entries() : []) {
      if (isJsonObject(choice)) this.takeChoice(choice, position)
    }
  }

  private takeChoice({ index: came, ...choice }: JsonObject, position: number): void {
    const index = typeof came === 'number' ? came : position
    let collected = this.choices.get(index)
    if (collected === undefined) {
      collected = new CollectedChoice()
      this.choices.set(index, collected)
    }
    collected.add(choice)
  }
}

class CollectedChoice {
  private readonly fields = new CollectedFields(choiceFields)
  private readonly message = new CollectedFields(messageFields)
  private readonly calls = new Map<number, CollectedFields>()
  private hasCalls = false

  add({ delta, message, ...rest }: JsonObject): void {
    this.fields.add(rest)
    const came = delta ?? message
    if (!isJsonObject(came)) return
    const { tool_calls: calls, ...said } = came
    this.message.add(Array.isArray(calls) ? said : came)
    if (Array.isArray(calls)) this.addCalls(calls)
  }

  whole(index: number): JsonObject {
    const { finish_reason, ...rest } = this.fields.whole()
    const word = nonEmptyText(finish_reason)
    return { index, message: this.wholeMessage(), ...rest, finish_reason: word }
  }

  private addCalls(entries: readonly unknown[]): void {
    this.hasCalls = true
    for (const [position, entry] of entries.entries()) {
      if (!isJsonObject(entry)) continue
      const { index: came, ...call } = entry
      const index = typeof came === 'number' ? came : position
      const collected = this.calls.get(index) ?? new CollectedFields(callFields)
      this.calls.set(index, collected)
      collected.add(call)
    }
  }

  private wholeMessage(): JsonObject {
    const { role, content, ...rest } = this.message.whole()
    const calls = [...this.calls].toSorted(([a], [b]) => a - b).map(([, call]) => withArguments(call.whole()))
    return {
      role: role ?? 'assistant',
      // A stream begins with an empty text, whatever follows; a whole message with calls alone has none.
      content: content === '' && calls.length > 0 ? null : (content ?? null),
      ...rest,
      ...(this.hasCalls ? { tool_calls: calls } : {}),
    }
  }
}

/** A call that was cut before its arguments has none; clients read them without looking. */
function withArguments(call: JsonObject): JsonObject {
  const fn = call['function']
  return isJsonObject(fn) && fn['arguments'] === undefined
    ? { ...call, function: { ...fn, arguments: '' } }
    : call
}

const choiceFields: FieldRules = { logprobs: { content: 'list', refusal: 'list' } }

const messageFields: FieldRules = {
  content: 'text',
  refusal: 'text',
  ...Object.fromEntries(reasoningTextFields.map((field) => [field, 'text'] as const)),
  annotations: 'list',
  reasoning_details: 'list',
  thinking_blocks: 'list',
  images: 'list',
  function_call: { arguments: 'text' },
  audio: { data: 'text', transcript: 'text' },
}

const callFields: FieldRules = {
  function: { arguments: 'text' },
  custom: { input: 'text' },
}

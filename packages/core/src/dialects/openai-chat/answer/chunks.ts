import type { Piece } from '../../../answer/patch.ts'
import {
  hasOtherFields,
  isJsonObject,
  nonEmptyText,
  objectIn,
  type JsonObject,
} from '../../../json/objects.ts'
import { functionOf } from './choice.ts'
import { otherParts, type SaidDelta } from './delta.ts'

/** A choice of an upstream's chunk, with what it says and the calls that its entries belong to. */
export interface ReadChoice {
  readonly choice: JsonObject
  readonly delta: JsonObject
  readonly said: SaidDelta
  /** The entries of `tool_calls` by the index that the client knows their call by. */
  readonly entries: ReadonlyMap<number, JsonObject>
}

/**
 * The choice, once for each thing that is to be said in its place. What the delta says beside (`role`, fields nobody
 * knows) and the token probabilities go with the first; the finish reason goes with none of them.
 */
export function editedChoices(
  read: ReadChoice,
  pieces: readonly Piece[],
  reasoningFields: readonly string[],
): JsonObject[] {
  const { choice, delta, said } = read
  return deltasOf(pieces, reasoningFields, read).map((fields, at) =>
    at === 0
      ? withDelta(choice, { ...delta, ...cleared(said, undefined), ...withOtherParts(delta, fields) })
      : laterChoice(choice, fields),
  )
}

/** The choice once for each thing to be said, as chunks of their own beside the one that came. */
export function addedChoices(
  choice: JsonObject,
  pieces: readonly Piece[],
  reasoningFields: readonly string[],
): JsonObject[] {
  return deltasOf(pieces, reasoningFields, null).map((fields) => laterChoice(choice, fields))
}

/** The choice with its texts emptied and its calls taken out: all it said is held back. */
export function emptiedChoice({ choice, delta, said }: ReadChoice): JsonObject {
  return withDelta(choice, { ...delta, ...cleared(said, '') })
}

/** The choice with nothing but its end. */
export function finishChoice(choice: JsonObject, finishReason: string): JsonObject {
  return { ...laterChoice(choice, {}), finish_reason: finishReason }
}

/** The choice without its end, which is said apart. */
export function withoutFinish(choice: JsonObject): JsonObject {
  return { ...choice, finish_reason: null }
}

/** Whether the choice says anything beside what a patch replaces, which would be lost with it. */
export function saysMore({ choice, delta, said }: ReadChoice): boolean {
  return hasOtherFields(choice, choiceFields) || hasOtherFields(delta, new Set(said.keys))
}

const choiceFields: ReadonlySet<string> = new Set(['index', 'delta', 'finish_reason'])
const callFields: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])

/** The chunk with one choice. `usage` counts the whole chunk, so of several it goes with the last alone. */
export function chunkWith(chunk: JsonObject, choice: unknown, isLast: boolean): JsonObject {
  return { ...chunk, choices: [choice], usage: isLast ? chunk['usage'] : undefined }
}

/** Whether the chunk says anything beside its choices that the chunks around it do not. */
export function saysMoreThanChoices(chunk: JsonObject): boolean {
  return hasOtherFields(chunk, repeatedFields)
}

const repeatedFields: ReadonlySet<string> = new Set([
  'choices',
  'id',
  'object',
  'created',
  'model',
  'provider',
  'service_tier',
  'system_fingerprint',
])

// A field set to undefined is left out of the JSON, and one that is there keeps its place among the others.
function cleared({ keys }: SaidDelta, text: '' | undefined): JsonObject {
  return Object.fromEntries(
    keys.map((key) => [key, text === '' && !callFields.has(key) && !partFields.has(key) ? text : undefined]),
  )
}

const partFields: ReadonlySet<string> = new Set(['reasoning_details', 'thinking_blocks'])

/** Parts of the content that are no text stay, and the text becomes one of them. */
function withOtherParts(delta: JsonObject, fields: JsonObject): JsonObject {
  const parts = otherParts(delta['content'])
  if (parts.length === 0) return fields
  const text = nonEmptyText(fields['content'])
  return { ...fields, content: text === null ? parts : [...parts, { type: 'text', text }] }
}

function laterChoice(choice: JsonObject, delta: JsonObject): JsonObject {
  return withDelta('logprobs' in choice ? { ...choice, logprobs: null } : choice, delta)
}

function withDelta(choice: JsonObject, delta: JsonObject): JsonObject {
  return { ...choice, delta, finish_reason: 'finish_reason' in choice ? null : undefined }
}

/** The fields of a delta for each thing to be said. */
function deltasOf(
  pieces: readonly Piece[],
  reasoningFields: readonly string[],
  read: ReadChoice | null,
): JsonObject[] {
  const deltas: JsonObject[] = []
  let entries: JsonObject[] = []
  for (const [at, piece] of pieces.entries()) {
    switch (piece.is) {
      case 'text':
        deltas.push({ content: piece.text })
        break
      case 'reasoning':
        deltas.push(reasoningDelta(piece.text, reasoningFields, read?.delta ?? {}))
        break
      case 'call':
        entries.push(startEntry(piece))
        break
      case 'arguments':
        addArguments(entries, piece, read)
        break
      case 'other':
        if (isJsonObject(piece.item))
          entries.push({ ...piece.item, index: piece.index ?? piece.item['index'] })
        break
      default:
    }
    const next = pieces[at + 1]
    if (entries.length > 0 && !isSameEntryList(piece, next)) {
      deltas.push({ tool_calls: entries })
      entries = []
    }
  }
  return deltas
}

/** What a server structured may stand together, as it came; of calls in the text each part is a chunk of its own. */
function isSameEntryList(piece: Piece, next: Piece | undefined): boolean {
  if (next?.is === 'call-end') return true
  if (next?.is === 'arguments') return piece.is !== 'call' || piece.call !== null
  return next?.is === 'call' && next.call !== null
}

function reasoningDelta(text: string, fields: readonly string[], delta: JsonObject): JsonObject {
  return Object.fromEntries(
    fields.map((field) => [field, partFields.has(field) ? inParts(delta[field], text) : text]),
  )
}

/** The text in the first of the parts; those that hold a proof stay, without their text. */
function inParts(parts: unknown, text: string): readonly unknown[] {
  const came: readonly unknown[] = Array.isArray(parts) ? parts : []
  const first = came.find(
    (part) => isJsonObject(part) && typeof (part['text'] ?? part['thinking']) === 'string',
  )
  if (!isJsonObject(first)) return [{ type: 'reasoning.text', text }]
  const field = typeof first['text'] === 'string' ? 'text' : 'thinking'
  const proofs = came.filter((part) => part !== first && isJsonObject(part) && !(field in part))
  return [{ ...first, [field]: text }, ...proofs]
}

function startEntry({ index, id, name, call }: Extract<Piece, { is: 'call' }>): JsonObject {
  const source = call?.source ?? {}
  return {
    ...source,
    index,
    id,
    type: nonEmptyText(source['type']) ?? 'function',
    function: { ...objectIn(source, 'function'), name, arguments: '' },
  }
}

/** Into the entry that begins the call, or into the one that came for it, or into one of its own. */
function addArguments(
  entries: JsonObject[],
  { index, json }: Extract<Piece, { is: 'arguments' }>,
  read: ReadChoice | null,
): void {
  const last = entries.at(-1)
  if (last?.['index'] === index) {
    entries[entries.length - 1] = { ...last, function: { ...objectIn(last, 'function'), arguments: json } }
    return
  }
  const came = read?.entries.get(index)
  if (came === undefined) {
    entries.push({ index, function: { arguments: json } })
    return
  }
  // Some servers repeat the name; a client that joins the texts of all deltas would call another tool.
  const { name: _, ...fn } = functionOf(came) ?? {}
  const { id: _id, ...entry } = came
  entries.push({ ...entry, index, function: { ...fn, arguments: json } })
}

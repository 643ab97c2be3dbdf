import { hasOtherFields, isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'
import { fieldsOf, readDelta, type DeltaParts, type Piece } from './delta.ts'

/** A choice of an upstream's chunk, with what has been read of it. */
export interface ReadChoice {
  readonly choice: JsonObject
  readonly delta: JsonObject
  readonly parts: DeltaParts
  /** Where reasoning goes. */
  readonly reasoningFields: readonly string[]
}

/**
 * The choice, once for each piece. What the delta says beside its parts (`role`, fields nobody knows) and the
 * token probabilities go with the first; the finish reason goes with none of them.
 */
export function splitChoice(read: ReadChoice, pieces: readonly Piece[]): JsonObject[] {
  return pieces.map((piece, at) => {
    const fields = fieldsOf(piece, read.reasoningFields)
    return at === 0
      ? withDelta(read.choice, { ...read.delta, ...cleared(read.parts, undefined), ...fields })
      : laterChoice(read.choice, fields)
  })
}

/** The choice once for each piece, as a chunk of its own beside the one that came. */
export function piecesAlone(
  read: Omit<ReadChoice, 'delta' | 'parts'>,
  pieces: readonly Piece[],
): JsonObject[] {
  return pieces.map((piece) => laterChoice(read.choice, fieldsOf(piece, read.reasoningFields)))
}

/** The choice with its texts emptied and its calls taken out: all it said is held back. */
export function emptiedChoice({ choice, delta, parts }: ReadChoice): JsonObject {
  return withDelta(choice, { ...delta, ...cleared(parts, '') })
}

/** The choice with nothing but its end. */
export function finishChoice(choice: JsonObject, finishReason: string): JsonObject {
  return { ...laterChoice(choice, {}), finish_reason: finishReason }
}

/** A choice that ends, with what it says apart from its end; as it came where it says nothing else. */
export function endApart(choice: unknown): unknown[] {
  const finishReason = isJsonObject(choice) ? nonEmptyText(choice['finish_reason']) : null
  if (!isJsonObject(choice) || finishReason === null || saysNothing(choice)) return [choice]
  return [{ ...choice, finish_reason: null }, finishChoice(choice, finishReason)]
}

/** Whether nothing is said in the delta: at most the choice ends. */
export function saysNothing(choice: unknown): boolean {
  const delta = isJsonObject(choice) ? choice['delta'] : undefined
  return !isJsonObject(delta) || readDelta(delta).keys.length === 0
}

/** Whether the choice says anything beside the parts of its delta, which would be lost with it. */
export function saysMore({ choice, delta, parts }: ReadChoice): boolean {
  return hasOtherFields(choice, choiceFields) || hasOtherFields(delta, new Set(parts.keys))
}

const choiceFields: ReadonlySet<string> = new Set(['index', 'delta', 'finish_reason'])

const callFields: ReadonlySet<string> = new Set(['tool_calls', 'function_call'])

// A field set to undefined is left out of the JSON, and one that is there keeps its place among the others.
function cleared(parts: DeltaParts, text: '' | undefined): JsonObject {
  return Object.fromEntries(parts.keys.map((key) => [key, callFields.has(key) ? undefined : text]))
}

function laterChoice(choice: JsonObject, delta: JsonObject): JsonObject {
  return withDelta('logprobs' in choice ? { ...choice, logprobs: null } : choice, delta)
}

function withDelta(choice: JsonObject, delta: JsonObject): JsonObject {
  return { ...choice, delta, finish_reason: 'finish_reason' in choice ? null : undefined }
}

import { isJsonObject, nonEmptyText, type JsonObject } from '../../../json/objects.ts'

/** The parts of a delta that a rewrite may replace. An empty or null field is not one: it says nothing. */
export interface DeltaParts {
  readonly reasoning: string | null
  readonly content: string | null
  readonly toolCalls: readonly unknown[] | null
  /** What `tool_calls` was before there could be several. */
  readonly functionCall: JsonObject | null
  /** Where the reasoning was: one field, or several that repeat one text. */
  readonly reasoningFields: readonly string[]
  /** The keys of all the parts that are there. */
  readonly keys: readonly string[]
}

/** A piece of what a choice says, in the order the client gets it. One piece is one chunk. */
export type Piece =
  | { readonly type: 'reasoning'; readonly text: string }
  | { readonly type: 'content'; readonly text: string }
  | { readonly type: 'calls'; readonly calls: readonly unknown[] }

const reasoningAliases = ['reasoning_content', 'reasoning', 'reasoning_text'] as const

export function readDelta(delta: JsonObject): DeltaParts {
  let reasoning: string | null = null
  const reasoningFields: string[] = []
  for (const field of reasoningAliases) {
    reasoning ??= nonEmptyText(delta[field])
    if (reasoning !== null && delta[field] === reasoning) reasoningFields.push(field)
  }
  const content = nonEmptyText(delta['content'])
  const toolCalls =
    Array.isArray(delta['tool_calls']) && delta['tool_calls'].length > 0 ? delta['tool_calls'] : null
  const functionCall = isJsonObject(delta['function_call']) ? delta['function_call'] : null

  const keys: string[] = [...reasoningFields]
  if (content !== null) keys.push('content')
  if (toolCalls !== null) keys.push('tool_calls')
  if (functionCall !== null) keys.push('function_call')
  return { reasoning, content, toolCalls, functionCall, reasoningFields, keys }
}

/** Whether the pieces say exactly what the delta says, so that the chunk can stay as it came. */
export function saysTheSame(parts: DeltaParts, pieces: readonly Piece[]): boolean {
  if (parts.functionCall !== null) return false
  const own: Piece[] = []
  if (parts.reasoning !== null) own.push({ type: 'reasoning', text: parts.reasoning })
  if (parts.content !== null) own.push({ type: 'content', text: parts.content })
  if (parts.toolCalls !== null) own.push({ type: 'calls', calls: parts.toolCalls })
  return own.length === pieces.length && own.every((piece, at) => equalPieces(piece, pieces[at]))
}

// Calls are compared by identity: the reader of structured calls hands back the very array that it need not change.
function equalPieces(a: Piece, b: Piece | undefined): boolean {
  if (a.type === 'calls') return b?.type === 'calls' && a.calls === b.calls
  return b?.type === a.type && a.text === b.text
}

/** The same pieces with neighbouring texts of one kind joined. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = []
  for (const piece of pieces) {
    const last = joined.at(-1)
    if (piece.type !== 'calls' && last?.type === piece.type) {
      joined[joined.length - 1] = { type: piece.type, text: last.text + piece.text }
    } else {
      joined.push(piece)
    }
  }
  return joined
}

/** The fields that say this piece in a delta. */
export function fieldsOf(piece: Piece, reasoningFields: readonly string[]): JsonObject {
  if (piece.type === 'calls') return { tool_calls: piece.calls }
  if (piece.type === 'content') return { content: piece.text }
  return Object.fromEntries(reasoningFields.map((field) => [field, piece.text]))
}

import type { FormatId } from '../../src/formats/format-id.ts'

/** What an upstream says, in nobody's dialect, and how odd the server is that says it. */
export interface Answer {
  readonly items: readonly Item[]
  readonly finish: Finish
  /** An error in the place of the finish, behind the items. */
  readonly error: UpstreamError | null
  readonly habits: Habits
  readonly reading: Reading
}

/** `pieces` are the deltas of a stream; `holds` tells prose from a call that the model wrote into its text. */
export type Item =
  | ({ readonly is: 'text' } & Said)
  | ({ readonly is: 'reasoning' } & Said)
  /** `woven`: the deltas of the calls alternate. */
  | { readonly is: 'calls'; readonly calls: readonly Call[]; readonly order: 'one by one' | 'woven' }

interface Said {
  readonly pieces: readonly string[]
  readonly holds: 'prose' | 'a call'
}

/** A call that the server structured. */
export interface Call {
  readonly name: string | null
  readonly arguments: CallArguments
  readonly id: string | null
  /** What the deltas of the chat dialect say of the call's place: the place, nothing, or 0 for every call. */
  readonly index: 'own' | 'none' | 'zero'
  /** Whether the chat dialect has it in `function_call`, alone or beside `tool_calls`. */
  readonly legacy: 'no' | 'beside' | 'instead'
}

export type CallArguments =
  /** JSON text, right or wrong. */
  | { readonly are: 'text'; readonly pieces: readonly string[] }
  /** An object where the chat dialect wants text; in a message stream, the `input` of the block's start. */
  | { readonly are: 'an object'; readonly json: string }
  | { readonly are: 'missing' }

export interface Finish {
  readonly says: FinishWord | 'nothing'
  /** Whether `[DONE]` or `message_stop` follows, or the stream just ends. */
  readonly end: 'marked' | 'eof'
}

/** Why an answer ended, in nobody's words. */
export type FinishWord = 'stop' | 'tool-calls' | 'length' | 'content-filter' | 'stop-sequence' | 'pause'

export interface UpstreamError {
  readonly shape: 'string' | 'object' | 'array' | 'beside no choices'
  readonly message: string
  readonly type: string | null
  readonly code: string | number | null
  readonly isFollowedByDone: boolean
}

/** How a server writes what it says; none of it changes the meaning. */
export interface Habits {
  readonly reasoningIn:
    | 'reasoning_content'
    | 'reasoning'
    | 'reasoning_text'
    | 'reasoning_details'
    | 'two fields'
  readonly contentIn: 'text' | 'parts'
  /** Events without data between the others. */
  readonly emptyData: boolean
  readonly usage: 'none' | 'counted' | 'zero'
  /** Whether the finish reason stands in a chunk of its own, or in that of the last delta. */
  readonly finish: 'apart' | 'beside the last delta'
  /** Whether neighbouring texts share a block of a message. */
  readonly blocks: 'joined' | 'apart'
  readonly arrives: 'at once' | 'event by event'
}

/** How the gateway reads the answer. */
export interface Reading {
  readonly format: FormatId | 'auto'
  readonly tools: 'declared' | 'unknown' | 'none'
  readonly delivery: 'incremental' | 'complete'
  readonly toolCallBytes: number | null
}

export type DialectName = 'openai-chat' | 'anthropic-messages' | 'openai-responses' | 'gemini'

/** A body that an upstream sends: events, or one JSON text. */
export interface Written {
  readonly dialect: DialectName
  readonly delivered: 'stream' | 'whole'
  readonly body: readonly string[]
  /** False where the form has no place for something that the answer says, such as the order of its items. */
  readonly saysAll: boolean
}

export interface Client {
  readonly dialect: DialectName
  readonly wants: 'stream' | 'whole'
}

/** Whether text stands in blocks or items of its own in the dialect, and not in a field or in parts that are joined. */
export function hasBlocks({ dialect }: Client): boolean {
  return dialect === 'anthropic-messages' || dialect === 'openai-responses'
}

/** What a client receives: the whole HTTP body. */
export interface Received {
  readonly status: number
  readonly is: 'stream' | 'whole'
  readonly body: string
}

/** The text of the arguments as a server would write it; empty where it wrote none. */
export function argumentsText({ arguments: given }: Call): string {
  if (given.are === 'missing') return ''
  return given.are === 'text' ? given.pieces.join('') : given.json
}

export function callsIn({ items }: Answer): Call[] {
  return items.flatMap((item) => (item.is === 'calls' ? item.calls : []))
}

/** Whether the arguments are no JSON as they stand, or the name is missing. */
export function isNoCall(call: Call): boolean {
  const json = argumentsText(call)
  if (call.name === null || call.name === '') return true
  try {
    JSON.parse(json === '' ? '{}' : json)
    return false
  } catch {
    return true
  }
}

/** Whether the deltas of several calls alternate: a whole body has no place for that. */
export function isWoven({ items }: Answer): boolean {
  return items.some((item) => item.is === 'calls' && item.order === 'woven' && item.calls.length > 1)
}

/** Several calls at once, delta by delta: one call after the other, or the deltas in turns. */
export function inOrder<T>(deltas: readonly (readonly T[])[], order: 'one by one' | 'woven'): T[] {
  if (order === 'one by one') return deltas.flat()
  const longest = Math.max(0, ...deltas.map((list) => list.length))
  return Array.from({ length: longest }, (_, at) => deltas.flatMap((list) => list.slice(at, at + 1))).flat()
}

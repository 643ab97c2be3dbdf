import type { OutputTrace, ParserOptions, SourceSpan } from '@dragoman/core'
import type { PackedBoth, PackedReading } from './packed.ts'

/** Everything that decides what becomes of a text. */
export interface Input {
  /** Text, an event stream, a whole answer or a recording; in the chunks in which it came, where they are known. */
  readonly source: string | readonly string[]
  readonly as: 'auto' | 'text'
  readonly settings: ReadingSettings
}

export interface ReadingSettings {
  readonly format: string
  readonly model: string
  /** A list of tool definitions as JSON; empty where nobody knows them. */
  readonly tools: string
  /** The channel of plain text. */
  readonly channel: Channel
  readonly prompt: 'unknown' | 'opened' | 'not-opened'
  readonly delivery: 'incremental' | 'complete'
  readonly calls: 'read' | 'remove'
  readonly end: EndReason | 'unknown'
}

export type Channel = 'content' | 'reasoning'
export type EndReason = 'stop' | 'length' | 'tool_calls' | 'error'

/** A stretch of what the model wrote, as it came. */
export interface WirePiece {
  readonly text: string
  readonly channel: Channel
  /** The chunk that brought it, counted from 0. */
  readonly chunk: number
}

/** A stretch of a call that came structured: its name where it is told, and what it adds to the arguments. */
export interface WireCallPiece {
  readonly channel: 'call'
  /** Its place among the calls. */
  readonly call: number
  readonly name: string | null
  readonly text: string
  readonly chunk: number
}

/** A call that came structured, and not in the text. */
export interface WireCall {
  readonly id: string | null
  readonly name: string
  readonly json: string
}

/** What the input is, as far as that could be told. */
export type WireKind = 'text' | 'event stream' | 'answer' | 'recording'

export interface Reading {
  readonly is: WireKind
  /** What the model wrote, all channels in the order in which it came. Positions count from its start. */
  readonly text: string
  readonly pieces: readonly { readonly from: number; readonly to: number; readonly channel: Channel }[]
  readonly wireCalls: readonly WireCall[]
  /** Why the model stopped, where the input says so. */
  readonly end: EndReason | null
  readonly trace: OutputTrace
  /** Whether nothing more was to come. */
  readonly isEnded: boolean
  /** The definitions that the settings hold, however they are written there. */
  readonly tools: NonNullable<ParserOptions['tools']> | null
  /** What stands in the input and could not be used: a line that is no JSON, tools that are no list. */
  readonly complaints: readonly string[]
}

/** Where in the bytes that the client got there stands what the model said, and the event that it comes from. */
export interface Delivered {
  /** In all chunks joined. */
  readonly from: number
  readonly to: number
  readonly kind: 'text' | 'reasoning' | 'name' | 'arguments'
  readonly event: number | null
}

/** Both answers of an exchange. */
export interface BothReadings {
  readonly said: Reading
  /** What of the client's bytes was said by the model: in order, none across another. */
  readonly delivered: readonly Delivered[]
  /** The text that each chunk of the upstream brought, or its beginning; null where it brought none. */
  readonly saidTexts: readonly (string | null)[]
  /** The same of what the client got. */
  readonly gotTexts: readonly (string | null)[]
}

/** What the page asks its worker for; each with what is sent back, and with the answer that is made of it. */
export interface Questions {
  formats: { ask: null; sent: readonly FormatChoice[]; get: readonly FormatChoice[] }
  /** What each code of a problem or a repair means, whatever it speaks of. */
  meanings: { ask: null; sent: Meanings; get: Meanings }
  /** Up to `cut`, as if the rest were still to come; null: all of it, with its end. */
  read: { ask: { input: Input; cut: number | null }; sent: PackedReading; get: Reading }
  /** `isEnded`: whether the upstream has said all that it will. */
  both: { ask: { said: Input; got: Input; isEnded: boolean }; sent: PackedBoth; get: BothReadings }
  chunkings: { ask: Input; sent: ChunkingReport; get: ChunkingReport }
}

export type Meanings = Readonly<Record<string, string>>

export interface FormatChoice {
  readonly id: string
  /** What a model of this format writes. */
  readonly sample: string
}

export interface ChunkingReport {
  readonly tried: number
  /** How the input was cut where the result was another, or null. */
  readonly difference: string | null
}

export type { OutputTrace, SourceSpan }

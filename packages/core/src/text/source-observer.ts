import type { RepairCode } from '../problems.ts'

/** What a stretch of a call's markup became. `stray`: text, unless the call turns out to be none. */
export type CallPart = 'name' | 'arguments' | 'stray'

/** Why text is not passed on yet. */
export type HeldReason = 'marker' | 'markup' | 'candidate' | 'draft' | 'unnamed-call' | 'whole-call' | 'value'

/**
 * Told what becomes of the text, by positions in the stream, while it is read. Most parsers have none. What was told of a
 * stretch is void as soon as it is told of anew, or read again.
 */
export interface SourceObserver {
  /** Where the reader stands, from now on. */
  watch(input: { readonly position: number }): void
  /** Text that came in and will be read. */
  appended(text: string): void
  /** Text that is not read: it goes on as it is, or, without a channel, is left out. It came behind what ends at `at`. */
  beside(channel: 'content' | 'reasoning' | undefined, text: string, at: number): void
  /** It was written as text or as reasoning, just now. */
  passed(channel: 'content' | 'reasoning', from: number, to: number): void
  /** It was left out, which a repair of this kind will tell. */
  removed(code: RepairCode, from: number, to: number): void
  /** It was repaired, which these repairs will tell: `text` is what stands for it now. */
  repaired(codes: Iterable<RepairCode>, from: number, to: number, text: string): void
  /** It became a part of the call at hand. */
  became(part: CallPart, from: number, to: number): void
  /** The header of a message, read before its call begins, holds its name there. */
  headed(from: number, to: number): void
  callBegins(index: number, at: number): void
  callEnds(at: number): void
  /** The call is given up; what could not be read of it is left out. */
  callFails(from: number, to: number): void
  /** What looked like a call names none, or will be read again. */
  callIsNone(at: number): void
  /** What was told to be stray was written as text, just now; or, if nothing was, what was read last. */
  strayed(text: string): void
  /** Everything from here on will be read again. */
  unread(from: number): void
}

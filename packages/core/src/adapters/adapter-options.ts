import type { FormatOverrides } from '../formats/detect.ts'
import type { ParserOptions } from '../parser-stage.ts'
import type { RecordedEvent } from '../translate-parts.ts'

/** What every adapter of an SDK takes. Where `model` and `tools` are left out, each request tells them. */
export interface AdapterOptions extends ParserOptions {
  /** Formats for model names that tell nothing: exact names, or patterns with `*`. */
  readonly overrides?: FormatOverrides
  /** A fresh random text for the id of a call. */
  readonly newId?: () => string
  /** Each problem and repair in what the model wrote. */
  readonly onRecord?: (event: RecordedEvent) => void
  /** What was dropped, or passed on although something is wrong with it. */
  readonly onWarning?: (message: string) => void
}

/** Twelve random bytes as letters and digits. */
export function randomId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(12))
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

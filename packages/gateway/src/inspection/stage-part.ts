import { StringDecoder } from 'node:string_decoder'
import type { Redactor } from '../security/redact.ts'
import type { StageChunk, StagePart } from './api-types.ts'

/** About how many bytes a part of a stage has. */
export const PART_BYTES = 1_000_000

/** How far from the end of a chunk a secret is looked for that goes on in the next one. */
const NEAR = 512

/** What came or went in one stage, chunk by chunk. */
export interface KeptChunks {
  readonly chunks: readonly (string | Uint8Array)[]
  /** When each of them came, in milliseconds from the request on. */
  readonly times: readonly number[]
}

/**
 * A part of a stage, from one of its chunks on. A secret may span several chunks, and so may a character: such chunks are
 * shown as one, with the time of the first.
 */
export function stagePart({ chunks, times }: KeptChunks, from: number, redact: Redactor): StagePart {
  let to = from
  for (let bytes = 0; to < chunks.length && bytes < PART_BYTES; to++) bytes += chunks[to]?.length ?? 0
  while (to < chunks.length && to > from && !isApart(chunks, to, redact)) to++
  const shown = textsOf(chunks.slice(from, to)).map((text, at) => ({ at: shortened(times[from + at]), text }))
  return { chunks: withoutSecrets(shown, redact), next: to < chunks.length ? to : null }
}

/** A tenth of a millisecond is more than anybody sees. */
function shortened(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 10) / 10
}

/** Whether nothing that has to be shown or taken out as one goes across the beginning of this chunk. */
function isApart(chunks: readonly (string | Uint8Array)[], at: number, redact: Redactor): boolean {
  const before = chunks[at - 1] ?? ''
  const behind = chunks[at] ?? ''
  if (typeof behind !== 'string' && isContinuation(behind[0] ?? 0)) return false
  return isClean(textOf(before).slice(-NEAR), textOf(behind).slice(0, NEAR), redact)
}

/** Of a character in UTF-8, every byte but the first. */
function isContinuation(byte: number): boolean {
  return byte >= 0x80 && byte < 0xc0
}

function isClean(before: string, behind: string, redact: Redactor): boolean {
  return redact(before + behind) === redact(before) + redact(behind)
}

function withoutSecrets(chunks: readonly StageChunk[], redact: Redactor): readonly StageChunk[] {
  const whole = chunks.map(({ text }) => text).join('')
  if (redact(whole) === whole) return chunks
  const joined: StageChunk[] = []
  for (const chunk of chunks) {
    const last = joined.at(-1)
    if (last === undefined || isClean(last.text.slice(-NEAR), chunk.text.slice(0, NEAR), redact)) {
      joined.push(chunk)
    } else {
      joined[joined.length - 1] = { at: last.at, text: last.text + chunk.text }
    }
  }
  return joined.map(({ at, text }) => ({ at, text: redact(text) }))
}

/** The text of each chunk. What begins in one and ends in the next is shown in the next. */
function textsOf(chunks: readonly (string | Uint8Array)[]): string[] {
  const decoder = new StringDecoder('utf8')
  return chunks.map((chunk) => (typeof chunk === 'string' ? chunk : decoder.write(Buffer.from(chunk))))
}

function textOf(chunk: string | Uint8Array): string {
  return typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
}

import { isLineStart, skipSpace } from '../text/space.ts'

export const BACKTICK = 96
export const TILDE = 126

/** A code fence that is open: which character it is made of, and how many. */
export interface Fence {
  readonly code: number
  readonly length: number
}

/** Longer words behind a fence name no language. */
const LONGEST_INFO = 32
/** How much of a line is looked at to tell a fence from inline code. */
const LONGEST_LINE = 64
/** A longer run is as good as this one: it must not be held, nor counted anew with every character. */
const LONGEST_RUN = 64

/** The run of fence characters at `at`; `more` while it may go on in the next chunk. */
export function readFence(text: string, at: number, final: boolean): Fence | 'more' {
  const length = runLength(text, at)
  const mayGoOn = at + length === text.length && length < LONGEST_RUN
  return mayGoOn && !final ? 'more' : { code: text.charCodeAt(at), length }
}

/** How often the character at `at` stands there. */
export function runLength(text: string, at: number): number {
  const code = text.charCodeAt(at)
  let end = at + 1
  while (end < text.length && end - at < LONGEST_RUN && text.charCodeAt(end) === code) end++
  return end - at
}

/** Whether a line that begins with these backticks holds more of them: then it is inline code, no fence. */
export function isInlineFence(text: string, at: number, fence: Fence, final: boolean): boolean | 'more' {
  const from = at + fence.length
  for (let end = from; end < text.length && end - from < LONGEST_LINE; end++) {
    const code = text.charCodeAt(end)
    if (code === 10) return false
    if (code === fence.code) return true
  }
  return text.length - from < LONGEST_LINE && !final ? 'more' : false
}

/** Whether a run of fence characters closes the fence: as long, and no language behind it. */
export function closesFence(fence: Fence, run: Fence, text: string, at: number): boolean {
  const behind = text.charAt(at + run.length)
  return run.code === fence.code && run.length >= fence.length && !/\w/.test(behind)
}

/** Where the first line inside the fence begins. `at` is right behind the fence characters. */
export function insideFence(text: string, at: number, final: boolean): number | 'more' | undefined {
  let lineEnd = at
  while (lineEnd < text.length && /[\w+-]/.test(text.charAt(lineEnd))) lineEnd++
  if (lineEnd - at > LONGEST_INFO) return undefined
  const start = skipSpace(text, lineEnd)
  if (start - lineEnd > LONGEST_INFO) return undefined
  if (start === text.length) return final ? undefined : 'more'
  return isLineStart(text, lineEnd, start, false) ? start : undefined
}

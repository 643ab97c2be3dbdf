/** Space, tab, line feed, carriage return: what grammars allow between their markers. */
export function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 13 || code === 9
}

/** The first position from `at` on that does not hold white space, or `text.length`. */
export function skipSpace(text: string, at: number): number {
  while (at < text.length && isSpace(text.charCodeAt(at))) at++
  return at
}

/** The same where a line break may be written as a backslash and a letter. A lone backslash at the end may become one. */
export function skipBreaks(text: string, at: number): number {
  let end = skipSpace(text, at)
  while (text.startsWith('\\n', end)) end = skipSpace(text, end + 2)
  return end === text.length - 1 && text.charAt(end) === '\\' ? text.length : end
}

export function isBlank(text: string): boolean {
  return skipSpace(text, 0) === text.length
}

/**
 * Whether only blanks stand between the last line break and `end`. `before` says the same of the
 * text in front of `start`, which is no longer at hand.
 */
export function isLineStart(text: string, start: number, end: number, before: boolean): boolean {
  for (let at = end - 1; at >= start; at--) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return true
    if (code !== 32 && code !== 9) return false
  }
  return before
}

/** A letter, a digit or an underscore. */
export function isWordCode(code: number): boolean {
  return (
    (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95
  )
}

/** A tab is as wide as so many blanks. */
export const TAB_WIDTH = 4

/** How wide the blanks are between the last line break and `end`. `before` says the same of the text in front of `start`. */
export function marginOf(text: string, start: number, end: number, before: number): number {
  let width = 0
  for (let at = end - 1; at >= start; at--) {
    const code = text.charCodeAt(at)
    if (code === 10 || code === 13) return width
    width += code === 9 ? TAB_WIDTH : 1
  }
  return before + width
}

/**
 * A text that is no longer than this is looked through faster one character after the other: calling a
 * pattern costs about as much, and most chunks of a stream are shorter.
 */
export const SHORT = 8

/**
 * The first position from `from` on where `pattern` matches, or the end of the text. The pattern must match
 * single characters and have the flag `g`.
 *
 * In a long text this is three times as fast as a loop over `charCodeAt`, which asks for every character how
 * its string is stored. But a pattern cannot be told where to stop: to search one part of a text again and
 * again, pass only that part, or each search reads on to the end of the text.
 */
export function nextMatch(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex - 1 : text.length
}

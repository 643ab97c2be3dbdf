import { matchTag, NONE, type TagMarker } from './marker.ts'
import { skipSpace } from './space.ts'
import type { Tag, TagShape } from './tag-reader.ts'

/** An attribute with its value, or a value alone. The value may stand in quotes. */
const attributes = /([\w:-]+)\s*=\s*(["']?)|(["']?)(?=[^\s"'/])/gy

/** Where in a tag that was read from `at` on its name is written: only who traces the text wants to know. */
export function nameInTag(
  text: string,
  at: number,
  { name: shape }: TagShape,
  { name, end }: Tag,
): { readonly from: number; readonly to: number } {
  const from =
    shape === 'inline'
      ? text.indexOf(name, at)
      : shape === 'word'
        ? skipSpace(text, at)
        : 'around' in shape
          ? behindTags(text, at, shape.around)
          : valueOf(text, at, end, shape.attribute)
  const isQuoted = from > at && /["']/.test(text.charAt(from - 1))
  const to = isQuoted ? text.indexOf(text.charAt(from - 1), from) : from + name.length
  return { from, to: to < from ? from : to }
}

function behindTags(text: string, at: number, tags: readonly TagMarker[]): number {
  const start = skipSpace(text, at)
  const length = Math.max(NONE, ...tags.map((tag) => matchTag(text, start, tag)))
  return length > NONE ? behindTags(text, start + length, tags) : start
}

/** Of an attribute that is written twice the last counts; without any, the value that stands alone is the name. */
function valueOf(text: string, at: number, end: number, attribute: string): number {
  let found = -1
  for (let next = skipSpace(text, at); next < end; next = skipSpace(text, next)) {
    attributes.lastIndex = next
    const match = attributes.exec(text)
    if (match === null) {
      next++
      continue
    }
    const start = next + match[0].length
    const quote = (match[2] ?? '') || (match[3] ?? '')
    if (match[1] === attribute || (match[1] === undefined && found < 0)) found = start
    next = quote === '' ? endOfBare(text, start) : text.indexOf(quote, start) + 1
    if (next <= start - 1) break
  }
  return found < 0 ? at : found
}

function endOfBare(text: string, from: number): number {
  let at = from
  while (at < text.length && !/[\s>/]/.test(text.charAt(at))) at++
  return Math.max(at, from + 1)
}

import { isJsonObject, type JsonObject } from '../../../json/objects.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { flatCopy } from '../../../text/held-text.ts'

/**
 * The events of a stream differ in little but their text. Once one was parsed, the next that is the same around
 * its content need not be: its text is cut out. Anything else is left to the parser.
 */
export class LearnedEnvelope {
  /** The text of the events that were matched last, and where in it the text of each ends. */
  content = ''
  ends: readonly number[] = []
  private before = ''
  private after = ''
  /** What stands between the texts of two that follow one another. */
  private between = ''

  /** Where the last of the events ends that begin at `at` and are known but for their content; else `at`. */
  match(text: string, at: number, limit: number, most = Infinity): number {
    const { before, after, between } = this
    let start = at + before.length
    // Compared as slices: that is several times as fast as `startsWith`.
    if (before === '' || text.slice(at, start) !== before) {
      this.content = ''
      return at
    }
    const ends: number[] = []
    let content = ''
    let matched = at
    for (;;) {
      const end = plainEnd(text, start)
      const next = end + after.length
      // One comparison for the end of an event and the beginning of the next.
      const goesOn = ends.length + 1 < most && text.slice(end, end + between.length) === between
      if (next - matched > limit || !(goesOn || text.slice(end, next) === after)) break
      content += text.slice(start, end)
      ends.push(content.length)
      matched = next
      if (!goesOn) break
      start = next + before.length
    }
    this.content = content
    this.ends = ends
    return matched
  }

  /** Leaves it at the first of the events that were matched at `at`. Returns where the last of these ends. */
  keep(at: number, count: number): number {
    this.ends = this.ends.slice(0, count)
    const length = this.ends.at(-1) ?? 0
    this.content = this.content.slice(0, length)
    return at + length + this.ends.length * this.between.length
  }

  /** Remembers what surrounds the content, if content is all that the chunk says. */
  learn({ source, data }: SseEvent, chunk: JsonObject): void {
    const content = onlyContent(chunk)
    // The first chunk often has an empty text beside the role, as no other has: what it is like says nothing.
    if (content === undefined || content === '') return
    if (this.before !== '' && source.startsWith(this.before) && source.endsWith(this.after)) return
    const dataStart = source.startsWith('data: ') ? 6 : 5
    if (source !== `data: ${data}\n\n` && source !== `data:${data}\n\n`) return
    const key = data.indexOf('"content":')
    // Two of them: which is the text?
    if (data.indexOf('"content":', key + 1) >= 0) return
    const start = key + (data.charAt(key + 10) === ' ' ? 11 : 10)
    const literal = JSON.stringify(content)
    if (key < 0 || !data.startsWith(literal, start)) return
    const before = source.slice(0, dataStart + start + 1)
    const after = source.slice(dataStart + start + literal.length - 1)
    this.between = flatCopy(after + before)
    this.before = this.between.slice(after.length)
    this.after = this.between.slice(0, after.length)
  }
}

/** The end of text that stands in JSON as it is: no quote, no escape, no control character. */
function plainEnd(text: string, start: number): number {
  let at = start
  for (;;) {
    const code = text.charCodeAt(at)
    // Past the end the code is NaN, which no comparison holds for.
    if (!(code >= 32) || code === 34 || code === 92) return at
    at++
  }
}

/** The text of a chunk that says nothing else: no end, no usage, no other part of a delta. */
function onlyContent(chunk: JsonObject): string | undefined {
  const { choices, usage, error } = chunk
  if (!Array.isArray(choices) || choices.length !== 1 || isThere(usage) || isThere(error)) return undefined
  const choice: unknown = choices[0]
  if (!isJsonObject(choice) || isThere(choice['finish_reason']) || (choice['index'] ?? 0) !== 0)
    return undefined
  const { delta } = choice
  if (!isJsonObject(delta) || typeof delta['content'] !== 'string') return undefined
  for (const key of Object.keys(delta)) {
    if (key !== 'content' && key !== 'role' && isThere(delta[key])) return undefined
  }
  return delta['content']
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

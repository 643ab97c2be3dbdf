import { isJsonObject, type JsonObject } from '../json-object.ts'

/**
 * The chunks of a stream differ in little but their text. Once one was parsed, the next that is the same
 * around its content need not be: its text is cut out. Anything else is left to the parser.
 */
export class LearnedEnvelope {
  private before = ''
  private after = ''

  /** The content of a chunk that is known but for it; undefined where the chunk has to be parsed. */
  read(data: string): string | undefined {
    const { before, after } = this
    if (before === '' || data.length < before.length + after.length) return undefined
    if (!data.startsWith(before) || !data.endsWith(after)) return undefined
    const text = data.slice(before.length, data.length - after.length)
    return isPlain(text) ? text : undefined
  }

  /** Remembers the chunk, if content is all that it says. */
  learn(data: string, chunk: JsonObject): void {
    const content = onlyContent(chunk)
    if (content === undefined) return
    const key = data.indexOf('"content":')
    // Two of them: which is the text?
    if (data.indexOf('"content":', key + 1) >= 0) return
    const start = key + (data.charAt(key + 10) === ' ' ? 11 : 10)
    const literal = JSON.stringify(content)
    if (key < 0 || !data.startsWith(literal, start)) return
    this.before = flat(data.slice(0, start + 1))
    this.after = flat(data.slice(start + literal.length - 1))
  }
}

/** Whether the text stands in JSON as it is: no quote, no escape, no control character. */
function isPlain(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code < 32 || code === 34 || code === 92) return false
  }
  return true
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
  const isAlone = Object.entries(delta).every(
    ([key, value]) => key === 'content' || key === 'role' || !isThere(value),
  )
  return isAlone ? delta['content'] : undefined
}

function isThere(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

/** A copy: a slice would keep the whole chunk alive, and compares slowly. */
function flat(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text))
}

import type { JsonLine } from './json-diff.ts'
import { parsed } from './json.ts'

/**
 * Dialects keep the same thing in other places: the schema of a tool is `input_schema` here and `function.parameters` there.
 * What is found again word for word was not left out but moved, and is marked so, with where it is; what only holds such
 * values differs inside.
 */
export function withMoves(lines: readonly JsonLine[], others: readonly JsonLine[]): JsonLine[] {
  const places = new Map<string, { path: string; key: string | null }[]>()
  for (const line of others) {
    if (!isUnmatched(line)) continue
    const { path, key } = line
    const same = places.get(nameOf(line.value))
    if (same === undefined) places.set(nameOf(line.value), [{ path, key }])
    else same.push({ path, key })
  }
  const marked = [...lines]
  for (let at = 0; at < marked.length; at++) {
    const line = marked[at]
    if (line === undefined || !isUnmatched(line)) continue
    const place = places
      .get(nameOf(line.value))
      ?.find(({ key }) => isDistinct(line.value) || (key !== null && key === line.key))
    if (place === undefined) continue
    for (let inside = at; inside < at + line.size; inside++) {
      const moved = marked[inside]
      if (moved !== undefined) marked[inside] = { ...moved, mark: 'moved' }
    }
    marked[at] = { ...line, mark: 'moved', elsewhere: place.path }
    at += line.size - 1
  }
  return withParents(marked)
}

function isUnmatched({ is, mark }: JsonLine): boolean {
  return is !== 'close' && (mark === 'only-here' || mark === 'changed')
}

/** Arguments of calls are objects in some dialects, and their text in others. */
function nameOf(value: unknown): string {
  const inner = typeof value === 'string' && /^\s*[{[]/.test(value) ? parsed(value) : undefined
  return JSON.stringify(inner ?? value)
}

/** Words like `user` and numbers are in many places: there they tell nothing, unless the field has the same name. */
function isDistinct(value: unknown): boolean {
  if (typeof value === 'string') return value.length >= 12 || value.includes(' ')
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

/** What holds something that was moved is not missing as a whole. */
function withParents(lines: readonly JsonLine[]): JsonLine[] {
  const marked = [...lines]
  for (const [at, line] of lines.entries()) {
    if (line.is !== 'open' || line.mark !== 'only-here') continue
    const end = at + line.size - 1
    if (!lines.slice(at, end).some(({ mark }) => mark === 'moved')) continue
    const close = lines[end]
    marked[at] = { ...line, mark: 'inside' }
    if (close !== undefined) marked[end] = { ...close, mark: 'same' }
  }
  return marked
}

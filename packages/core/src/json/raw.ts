/**
 * The values inside a JSON text exactly as they were written: numbers that are too long for ours keep their digits. The
 * text must be valid JSON. What was found once is remembered, so that asking for many values takes no longer than reading
 * the text a few times.
 */
export class RawJson {
  private readonly json: string
  private readonly items = new Map<number, readonly number[]>()
  private readonly members = new Map<number, ReadonlyMap<string, number>>()

  constructor(json: string) {
    this.json = json
  }

  /** The text of the value at this place; `undefined` where there is none. */
  value(path: readonly (string | number)[]): string | undefined {
    let at: number | undefined = skipSpace(this.json, 0)
    for (const step of path) {
      at = typeof step === 'number' ? this.itemsAt(at)[step] : this.membersAt(at).get(step)
      if (at === undefined) return undefined
    }
    return this.json.slice(at, valueEnd(this.json, at))
  }

  private itemsAt(start: number): readonly number[] {
    const { json } = this
    const known = this.items.get(start)
    if (known !== undefined) return known
    const found: number[] = []
    if (json.charAt(start) === '[') {
      for (let at = skipSpace(json, start + 1); json.charAt(at) !== ']' && at < json.length;) {
        found.push(at)
        at = afterComma(json, valueEnd(json, at))
      }
    }
    this.items.set(start, found)
    return found
  }

  /** Of a member that is written twice the last one counts, as everywhere. */
  private membersAt(start: number): ReadonlyMap<string, number> {
    const { json } = this
    const known = this.members.get(start)
    if (known !== undefined) return known
    const found = new Map<string, number>()
    if (json.charAt(start) === '{') {
      for (let at = skipSpace(json, start + 1); json.charAt(at) === '"';) {
        const keyEnd = stringEnd(json, at)
        const value = skipSpace(json, skipSpace(json, keyEnd) + 1)
        found.set(String(JSON.parse(json.slice(at, keyEnd))), value)
        at = afterComma(json, valueEnd(json, value))
      }
    }
    this.members.set(start, found)
    return found
  }
}

function afterComma(json: string, end: number): number {
  const at = skipSpace(json, end)
  return json.charAt(at) === ',' ? skipSpace(json, at + 1) : at
}

function valueEnd(json: string, start: number): number {
  const first = json.charAt(start)
  if (first === '"') return stringEnd(json, start)
  if (first !== '{' && first !== '[') return wordEnd(json, start)
  let depth = 0
  for (let at = start; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === QUOTE) at = stringEnd(json, at) - 1
    else if (code === 0x7b || code === 0x5b) depth++
    else if ((code === 0x7d || code === 0x5d) && --depth === 0) return at + 1
  }
  return json.length
}

function stringEnd(json: string, start: number): number {
  let at = start + 1
  for (;;) {
    const code = json.charCodeAt(at)
    if (code === QUOTE || Number.isNaN(code)) return at + 1
    at += code === BACKSLASH ? 2 : 1
  }
}

function wordEnd(json: string, start: number): number {
  let at = start
  while (at < json.length && !/[\s,\]}]/.test(json.charAt(at))) at++
  return at
}

function skipSpace(json: string, start: number): number {
  let at = start
  while (at < json.length && json.charCodeAt(at) <= 0x20) at++
  return at
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

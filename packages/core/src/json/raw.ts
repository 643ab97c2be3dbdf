/**
 * The text of a value inside a JSON text, exactly as it was written: numbers that are too long for ours keep their
 * digits. `undefined` where there is nothing at that place. The text must be valid JSON.
 */
export function rawValue(json: string, path: readonly (string | number)[]): string | undefined {
  let at = skipSpace(json, 0)
  for (const step of path) {
    const next = typeof step === 'number' ? itemAt(json, at, step) : memberAt(json, at, step)
    if (next === undefined) return undefined
    at = next
  }
  return json.slice(at, valueEnd(json, at))
}

function itemAt(json: string, start: number, index: number): number | undefined {
  if (json.charAt(start) !== '[') return undefined
  let at = skipSpace(json, start + 1)
  for (let item = 0; json.charAt(at) !== ']'; item++) {
    if (item === index) return at
    at = afterComma(json, valueEnd(json, at))
  }
  return undefined
}

/** Of a member that is written twice the last one counts, as everywhere. */
function memberAt(json: string, start: number, name: string): number | undefined {
  if (json.charAt(start) !== '{') return undefined
  let found: number | undefined
  let at = skipSpace(json, start + 1)
  while (json.charAt(at) === '"') {
    const keyEnd = stringEnd(json, at)
    const value = skipSpace(json, skipSpace(json, keyEnd) + 1)
    if (JSON.parse(json.slice(at, keyEnd)) === name) found = value
    at = afterComma(json, valueEnd(json, value))
  }
  return found
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
    const character = json.charAt(at)
    if (character === '"') at = stringEnd(json, at) - 1
    else if (character === '{' || character === '[') depth++
    else if ((character === '}' || character === ']') && --depth === 0) return at + 1
  }
  return json.length
}

function stringEnd(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1
  return at + 1
}

function wordEnd(json: string, start: number): number {
  let at = start
  while (at < json.length && !/[\s,\]}]/.test(json.charAt(at))) at++
  return at
}

function skipSpace(json: string, start: number): number {
  let at = start
  while (at < json.length && /\s/.test(json.charAt(at))) at++
  return at
}

/** JSON that is written as it stands, where a value would lose how its numbers were written. */
export class RawJson {
  private readonly text: string

  constructor(text: string) {
    this.text = text
  }

  toJSON(): string {
    return `\0${this.text}\0`
  }
}

export function writeJson(value: unknown): string {
  const json = JSON.stringify(value)
  return json.includes('\\u0000')
    ? json.replaceAll(raw, (quoted) => String(JSON.parse(quoted)).slice(1, -1))
    : json
}

const raw = /"\\u0000.*?\\u0000"/g

/**
 * A value in which each number is a text, as it was written: `12345678901234567890` would become another number.
 * Undefined where the text is no JSON.
 */
export function parseJson(text: string): unknown {
  try {
    // With the numbers in quotes `[01]` would pass.
    JSON.parse(text)
    return JSON.parse(
      text.replaceAll(stringOrNumber, (token) => (token.startsWith('"') ? token : `"#${token}"`)),
    )
  } catch {
    return undefined
  }
}

const stringOrNumber = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g

export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function textIn(value: Json, field: string): string | null {
  const text = value[field]
  return typeof text === 'string' ? text : null
}

import type { NoteDetails } from '../api.ts'
import { withMoves } from './json-moves.ts'

/** A line of a JSON text, as one may see it folded. */
export interface JsonLine {
  readonly depth: number
  /** Where the value stands: `messages[3].content`. */
  readonly path: string
  /** Its name in the object around it, or null. */
  readonly key: string | null
  /** A bracket that opens or closes, or a value that has no parts. */
  readonly text: string
  readonly is: 'open' | 'close' | 'value'
  /** Of a line that opens: how many lines belong to it, its own and the closing one included. */
  readonly size: number
  readonly mark: Mark
  /** Of what was moved: where it is in the other text. */
  readonly elsewhere?: string
  readonly notes: readonly NoteDetails[]
  /** The value that stands there, or that begins there. */
  readonly value: unknown
}

/**
 * How the value differs from the one at the same place in the other text. `inside`: something below it does. `moved`: it is
 * in another place there.
 */
export type Mark = 'same' | 'inside' | 'changed' | 'only-here' | 'moved'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

/** The lines of a value, marked by what the other value has in the same places. */
export function jsonLines(value: unknown, other: unknown, notes: readonly NoteDetails[]): JsonLine[] {
  const lines = linesOf(value, other, notes)
  const marked = other === undefined ? lines : withMoves(lines, linesOf(other, value, []))
  return withLooseNotes(marked, notesElsewhere(marked, notes))
}

function linesOf(value: unknown, other: unknown, notes: readonly NoteDetails[]): JsonLine[] {
  const lines: JsonLine[] = []
  write(asJson(value), asJson(other), other !== undefined, '', null, 0, '', lines, notes)
  return lines
}

/** A note may name a field without where it stands, as one that many messages have: it is shown at the first of them. */
function withLooseNotes(lines: JsonLine[], notes: readonly NoteDetails[]): JsonLine[] {
  const placed = [...lines]
  for (const note of notes) {
    const at = placed.findIndex(({ key }) => key === note.field)
    const line = placed[at]
    if (line !== undefined) placed[at] = { ...line, notes: [...line.notes, note] }
  }
  return placed
}

/** The notes that speak of no field of the value. */
export function notesElsewhere(lines: readonly JsonLine[], notes: readonly NoteDetails[]): NoteDetails[] {
  const placed = new Set(lines.flatMap((line) => line.notes))
  return notes.filter((note) => !placed.has(note))
}

function write(
  value: Json,
  other: Json | undefined,
  isKnown: boolean,
  path: string,
  key: string | null,
  depth: number,
  comma: string,
  lines: JsonLine[],
  notes: readonly NoteDetails[],
): void {
  const mark = markOf(value, other, isKnown)
  const own = notes.filter((note) => isAbout(note.field, path))
  if (typeof value !== 'object' || value === null || isEmpty(value)) {
    lines.push({
      depth,
      path,
      key,
      text: JSON.stringify(value) + comma,
      is: 'value',
      size: 1,
      mark,
      notes: own,
      value,
    })
    return
  }
  const at = lines.length
  const isList = isArray(value)
  const partners = isArray(value) && isArray(other) ? aligned(value, other) : []
  const members: [string | null, string, Json, Json | undefined][] = isArray(value)
    ? value.map((item, index) => [null, `${path}[${index}]`, item, itemOf(other, partners[index])])
    : Object.entries(value).map(([name, member]) => [name, below(path, name), member, memberOf(other, name)])
  const open: JsonLine = {
    depth,
    path,
    key,
    text: isList ? '[' : '{',
    is: 'open',
    size: 1,
    mark,
    notes: own,
    value,
  }
  lines.push(open)
  for (const [index, [name, where, member, counterpart]] of members.entries()) {
    const behind = index < members.length - 1 ? ',' : ''
    write(member, counterpart, isKnown, where, name, depth + 1, behind, lines, notes)
  }
  const text = (isList ? ']' : '}') + comma
  const closing = mark === 'only-here' ? mark : 'same'
  lines.push({ depth, path, key: null, text, is: 'close', size: 1, mark: closing, notes: [], value: null })
  lines[at] = { ...open, size: lines.length - at }
}

function markOf(value: Json, other: Json | undefined, isKnown: boolean): Mark {
  if (!isKnown) return 'same'
  if (other === undefined) return 'only-here'
  if (JSON.stringify(value) === JSON.stringify(other)) return 'same'
  const areObjects = isObject(value) && isObject(other)
  const areLists = isArray(value) && isArray(other)
  return areObjects || areLists ? 'inside' : 'changed'
}

/** Whether a note's field is this place. Notes leave out the numbers of what happens in many messages. */
function isAbout(field: string, path: string): boolean {
  if (path === '') return false
  return (
    field === path ||
    (!field.includes('[') && field === path.replaceAll(/\[\d+\]/g, '') && field.includes('.'))
  )
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`
}

function itemOf(value: Json | undefined, index: number | undefined): Json | undefined {
  return isArray(value) && index !== undefined ? value[index] : undefined
}

/** Longer lists are compared place by place. */
const MOST_COMPARED = 1_000_000

/** For each item the place of the one in the other list that it corresponds to. Items keep their order. */
function aligned(items: readonly Json[], others: readonly Json[]): (number | undefined)[] {
  if (items.length * others.length > MOST_COMPARED) return items.map((_, index) => index)
  const keys = items.map(likenessOf)
  const otherKeys = others.map(likenessOf)
  // The longest run of pairs that are alike, from each place on.
  const width = others.length + 1
  const best = new Uint32Array((items.length + 1) * width)
  for (let at = items.length - 1; at >= 0; at--) {
    for (let mate = others.length - 1; mate >= 0; mate--) {
      best[at * width + mate] =
        keys[at] === otherKeys[mate]
          ? (best[(at + 1) * width + mate + 1] ?? 0) + 1
          : Math.max(best[(at + 1) * width + mate] ?? 0, best[at * width + mate + 1] ?? 0)
    }
  }
  const partners: (number | undefined)[] = []
  let at = 0
  let mate = 0
  while (at < items.length && mate < others.length) {
    if (keys[at] === otherKeys[mate]) partners[at++] = mate++
    else if ((best[(at + 1) * width + mate] ?? 0) >= (best[at * width + mate + 1] ?? 0)) at++
    else mate++
  }
  return withChanged(
    items.map((_, index) => partners[index]),
    others.length,
  )
}

/** As many items on both sides, between the same neighbours, are the same ones, changed. */
function withChanged(partners: readonly (number | undefined)[], count: number): (number | undefined)[] {
  const paired = [...partners]
  let before = -1
  for (let at = 0; at <= paired.length; at++) {
    const mate = at === paired.length ? count : paired[at]
    if (mate === undefined) continue
    const shift = (paired[before] ?? -1) - before
    if (mate - at === shift)
      for (let inside = before + 1; inside < at; inside++) paired[inside] = inside + shift
    before = at
  }
  return paired
}

/** What an item is known by in any dialect: the name of a tool, or what a message says. */
function likenessOf(item: Json): string {
  if (!isObject(item)) return JSON.stringify(item)
  const inner = item['function']
  const name = item['name'] ?? (isObject(inner) ? inner['name'] : undefined)
  if (typeof name === 'string') return `name ${name}`
  const texts: string[] = []
  collectTexts(item, texts)
  return texts.length === 0 ? JSON.stringify(item) : texts.join('\n').slice(0, 400)
}

const textFields: ReadonlySet<string> = new Set([
  'text',
  'content',
  'thinking',
  'output',
  'name',
  'parts',
  'input',
  'tool_calls',
  'function',
  'functionCall',
  'functionResponse',
])

function collectTexts(value: Json, into: string[]): void {
  if (typeof value === 'string') into.push(value)
  else if (isArray(value)) for (const item of value) collectTexts(item, into)
  else if (isObject(value)) {
    for (const [key, member] of Object.entries(value)) {
      // Arguments are an object here and a text there: the name of the tool has to do.
      if (textFields.has(key) && !(key === 'input' && isObject(member))) collectTexts(member, into)
    }
  }
}

function memberOf(value: Json | undefined, name: string): Json | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function isEmpty(value: Json): boolean {
  return isArray(value) ? value.length === 0 : isObject(value) && Object.keys(value).length === 0
}

function isArray(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** What `JSON.parse` gave is JSON already; there is nothing else. */
function asJson(value: unknown): Json {
  if (
    value === null ||
    typeof value === 'boolean' ||
    typeof value === 'number' ||
    typeof value === 'string'
  ) {
    return value
  }
  if (Array.isArray(value)) return value.map(asJson)
  if (typeof value !== 'object') return null
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, asJson(member)]))
}

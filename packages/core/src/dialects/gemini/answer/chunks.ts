import type { UpstreamCall } from '../../../answer/answer.ts'
import { type Piece, PieceCollector } from '../../../answer/patch.ts'
import { hasOtherFields, isJsonObject, type JsonObject } from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import type { SseEvent } from '../../../sse/items.ts'
import { byteLength } from '../../../text/utf8.ts'
import type { CameCandidate, ReadPart } from './decode.ts'

/** A chunk that came, with what its first candidate says. */
export interface CameChunk {
  readonly event: SseEvent
  readonly chunk: JsonObject
  readonly first: CameCandidate | null
  readonly parts: readonly ReadPart[]
  /** What the client is told of the end: what the chunk says of it, nothing, or this word. */
  readonly finish: 'as it came' | 'left out' | { readonly word: string }
}

/** The chunk with these parts and this end. All that stays is copied as it was written, with all digits of its numbers. */
export function writtenChunk(came: CameChunk, parts: readonly string[] | 'as they came'): string {
  const { event, chunk, first, finish } = came
  const raw = new RawJson(event.data)
  const position = first?.position ?? 0
  const around = copied(raw, chunk, [], new Set(['candidates']))
  const others = itemsOf(chunk['candidates']).flatMap((_, at) =>
    first !== null && at === position ? [] : [raw.value(['candidates', at]) ?? 'null'],
  )
  const written = parts === 'as they came' ? ownParts(raw, came) : parts
  const candidate = candidateText(raw, first, finish, written)
  return objectText([['candidates', `[${[candidate, ...others].join(',')}]`], ...around])
}

function ownParts(raw: RawJson, { first, parts }: CameChunk): string[] {
  const place = ['candidates', first?.position ?? 0, 'content', 'parts']
  return parts.flatMap((_, at) => raw.value([...place, at]) ?? [])
}

function candidateText(
  raw: RawJson,
  first: CameCandidate | null,
  finish: CameChunk['finish'],
  parts: readonly string[],
): string {
  const candidate = first?.candidate ?? {}
  const path = ['candidates', first?.position ?? 0]
  const content = isJsonObject(candidate['content']) ? candidate['content'] : {}
  const besides = copied(raw, content, [...path, 'content'], new Set(['parts', 'role']))
  const changed = new Set(['content', 'index', ...(finish === 'as it came' ? [] : ['finishReason'])])
  return objectText([
    ['content', objectText([['parts', partsText(parts)], ['role', '"model"'], ...besides])],
    ...(typeof finish === 'string' ? [] : [['finishReason', JSON.stringify(finish.word)] as const]),
    ...copied(raw, candidate, path, changed),
    ['index', '0'],
  ])
}

/** The vendor's SDK forgets a turn in which one content is without parts: a client then asks for the same call again. */
export function partsText(parts: readonly string[]): string {
  return parts.length === 0 ? '[{"text":""}]' : `[${parts.join(',')}]`
}

/** The text of a chunk that says something in the place of one that was passed on already, and nothing else of it. */
export function addedChunk(came: CameChunk, parts: readonly string[], finish: string | null): string {
  const { modelVersion, responseId } = came.chunk
  const candidate = objectText([
    [
      'content',
      objectText([
        ['parts', partsText(parts)],
        ['role', '"model"'],
      ]),
    ],
    ...(finish === null ? [] : [['finishReason', JSON.stringify(finish)] as const]),
    ['index', '0'],
  ])
  return objectText([
    ['candidates', `[${candidate}]`],
    ...Object.entries({ modelVersion, responseId }).flatMap(([key, value]) =>
      value === undefined ? [] : [[key, JSON.stringify(value)] as const],
    ),
  ])
}

/** The chunk with what a later one says beside its candidates. */
export function joinedChunk(
  came: CameChunk,
  { chunk, event }: Pick<CameChunk, 'chunk' | 'event'>,
): CameChunk {
  const news = copied(new RawJson(event.data), chunk, [], new Set(['candidates']))
  const said = new Set(news.map(([key]) => key))
  const data = objectText([...copied(new RawJson(came.event.data), came.chunk, [], said), ...news])
  const { candidates } = came.chunk
  return { ...came, event: { ...came.event, data }, chunk: { ...came.chunk, ...chunk, candidates } }
}

/** Whether the chunk says anything beside what the policy decides about, which would be lost with it. */
export function saysMore({ chunk, first, parts }: CameChunk): boolean {
  if (hasOtherFields(chunk, repeatedFields)) return true
  if (first === null) return false
  if (itemsOf(chunk['candidates']).length > 1) return true
  return hasOtherFields(first.candidate, candidateFields) || parts.some(isMarked)
}

/** Fields that every chunk has: the next has them again, and counts are of all that came before. */
const repeatedFields: ReadonlySet<string> = new Set([
  'candidates',
  'usageMetadata',
  'modelVersion',
  'responseId',
  'createTime',
])
const candidateFields: ReadonlySet<string> = new Set(['content', 'index', 'finishReason'])
const textFields: ReadonlySet<string> = new Set(['text', 'thought'])

/** Whether a part of text has fields beside the text, such as a signature. */
function isMarked({ is, part }: ReadPart): boolean {
  return (is === 'text' || is === 'reasoning') && hasOtherFields(part, textFields)
}

/** Counts what the writer of parts holds of a call: one that the model wrote into its text comes in pieces. */
export class CollectedPieces extends PieceCollector {
  heldBytes = 0

  constructor() {
    super('as the upstream')
  }

  override callStart(index: number, id: string, name: string, call?: UpstreamCall): void {
    this.heldBytes = 0
    super.callStart(index, id, name, call)
  }

  override callDelta(index: number, json: string): void {
    this.heldBytes += byteLength(json)
    super.callDelta(index, json)
  }

  override callEnd(): void {
    this.heldBytes = 0
    super.callEnd()
  }
}

/** Makes parts of what the policy has said. A call goes out when it is whole. */
export class PartWriter {
  private open: { readonly piece: Extract<Piece, { is: 'call' }>; readonly json: string[] } | null = null

  /**
   * The pieces as parts. What the upstream wrote beside a text goes with the first text of its kind; where there is none, with
   * an empty one.
   */
  write(pieces: readonly Piece[], came: readonly ReadPart[]): string[] {
    const marked = came.filter(isMarked)
    const parts: string[] = []
    for (const piece of pieces) {
      switch (piece.is) {
        case 'text':
        case 'reasoning': {
          const at = marked.findIndex(({ is }) => is === piece.is)
          const source = at === -1 ? undefined : marked.splice(at, 1)[0]
          parts.push(textPart(piece.is, piece.text, source?.part))
          break
        }
        case 'call':
          this.open = { piece, json: [] }
          break
        case 'arguments':
          this.open?.json.push(piece.json)
          break
        case 'call-end':
          parts.push(...this.takeCall())
          break
        case 'other':
          if (isJsonObject(piece.item)) parts.push(JSON.stringify(piece.item))
      }
    }
    return [...parts, ...marked.map(({ is, part }) => textPart(is, '', part))]
  }

  private takeCall(): string[] {
    if (this.open === null) return []
    const { piece, json } = this.open
    this.open = null
    const { functionCall, ...rest } = piece.call?.source ?? {}
    const came = isJsonObject(functionCall) ? functionCall : {}
    // Clients of the dialect do without an id where the upstream has made none.
    const id = piece.id === '' ? {} : { id: piece.id }
    const fields = Object.entries({ ...came, ...id, name: piece.name })
    const text = objectText([
      ...fields.map(([key, value]) => [key, JSON.stringify(value)] as const),
      ['args', json.join('') || '{}'],
    ])
    const besides = Object.entries(rest).map(([key, value]) => [key, JSON.stringify(value)] as const)
    return [objectText([['functionCall', text], ...besides])]
  }
}

function textPart(is: ReadPart['is'], text: string, source: JsonObject = {}): string {
  return JSON.stringify({ ...source, text, ...(is === 'reasoning' ? { thought: true } : {}) })
}

type Member = readonly [key: string, json: string]

function objectText(members: readonly Member[]): string {
  return `{${members.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
}

/** The fields of an object as they were written, but for these. */
function copied(
  raw: RawJson,
  object: JsonObject,
  path: readonly (string | number)[],
  but: ReadonlySet<string>,
): Member[] {
  return Object.keys(object).flatMap((key) => {
    const json = but.has(key) ? undefined : raw.value([...path, key])
    return json === undefined ? [] : [[key, json] as const]
  })
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

import { protocolError } from '../../../answer/failure.ts'
import { failureFromError, isErrorValue } from '../../../answer/upstream-failure.ts'
import type { WholeAnswer, WholeAsEvents, WholeCollector } from '../../../answer/whole.ts'
import { nineAlphanumerics } from '../../../ids/digest.ts'
import {
  hasOtherFields,
  isJsonObject,
  objectIn,
  parseJson,
  parseWritableJson,
  type JsonObject,
} from '../../../json/objects.ts'
import { RawJson } from '../../../json/raw.ts'
import type { SseItem } from '../../../sse/items.ts'
import { SseReader } from '../../../sse/reader.ts'
import { unwrapEnvelope } from './decode.ts'
import type { TextOrigin } from '../../dialect.ts'
import { dataLine } from '../line.ts'

/** A whole answer as the stream that says the same: one chunk. A stream that came as an array has several. */
export function contentAsEvents(body: string): WholeAsEvents {
  const came = parseWritableJson(body)
  if (Array.isArray(came) && came.length > 1 && came.every(isChunk)) return arrayAsEvents(body, came)
  const answer = unwrapEnvelope(came)
  if (!isJsonObject(answer)) return { failure: protocolError('It is not a JSON object.') }
  if (isErrorValue(answer)) return { failure: failureFromError(answer) }
  if (!('candidates' in answer) && !('promptFeedback' in answer))
    return { failure: protocolError('It has no candidates.') }
  const json = answer === came ? body : JSON.stringify(answer)
  return { events: dataLine(json), json }
}

/** An error may be the last element of a stream that came as an array. */
function isChunk(value: unknown): boolean {
  return isJsonObject(value) && ('candidates' in value || 'usageMetadata' in value || isErrorValue(value))
}

function arrayAsEvents(body: string, chunks: readonly unknown[]): WholeAsEvents {
  const raw = new RawJson(body)
  const events = chunks.map((_, at) => dataLine(raw.value([at]) ?? '{}')).join('')
  const collector = new ContentCollector()
  collector.push(events)
  return { events, json: collector.end()?.json ?? body }
}

/** An answer that says just this text. The text gives it its id: no clock and no chance is at hand here. */
export function contentOfText(text: string, origin?: TextOrigin): string {
  const responseId = nineAlphanumerics(text)
  return JSON.stringify({ ...lastChunk(text), modelVersion: origin?.model, responseId })
}

/** A last chunk with this text. */
export function restOfStream(text: string): string {
  return dataLine(JSON.stringify(lastChunk(text)))
}

function lastChunk(text: string): JsonObject {
  const content = { parts: [{ text }], role: 'model' }
  return { candidates: [{ content, finishReason: 'STOP', index: 0 }] }
}

/** Puts the chunks of an answer together as the whole one that they add up to. */
export class ContentCollector implements WholeCollector {
  // How long an event may be is for who read the stream to say, and it has been said.
  private readonly sse = new SseReader({ item: (item) => this.take(item) }, Number.MAX_SAFE_INTEGER)
  private readonly fields: Fields = new Map()
  private readonly candidates = new Map<number, CollectedCandidate>()

  /** Text of the stream, cut anywhere. */
  push(sseText: string): void {
    this.sse.push(sseText)
  }

  /** Null where the stream had neither a candidate nor a reason for having none. */
  end(): WholeAnswer | null {
    this.sse.end()
    if (this.candidates.size === 0 && !this.fields.has('promptFeedback')) return null
    const whole = [...this.candidates]
      .toSorted(([a], [b]) => a - b)
      .map(([index, candidate]) => candidate.json(index))
    const candidates = whole.length === 0 ? [] : [['candidates', `[${whole.join(',')}]`] as const]
    const json = objectText([...candidates, ...this.fields])
    const value = parseJson(json)
    return { value: isJsonObject(value) ? value : {}, json }
  }

  private take(item: SseItem): void {
    const chunk = item.kind === 'event' ? parseJson(item.data) : undefined
    if (item.kind !== 'event' || !isJsonObject(chunk)) return
    const raw = new RawJson(item.data)
    addFields(this.fields, raw, chunk, [], 'candidates')
    const { candidates } = chunk
    for (const [position, candidate] of Array.isArray(candidates) ? candidates.entries() : []) {
      if (isJsonObject(candidate)) this.candidateAt(candidate, position).add(raw, candidate, position)
    }
  }

  private candidateAt({ index: came }: JsonObject, position: number): CollectedCandidate {
    const index = typeof came === 'number' ? came : position
    const known = this.candidates.get(index) ?? new CollectedCandidate()
    this.candidates.set(index, known)
    return known
  }
}

/** The JSON of each field as it was written. A map, because a field may be named `__proto__`. */
type Fields = Map<string, string>

/** A run of text of one kind, in pieces; or the JSON of a part that stands by itself. */
type CollectedPart =
  | { readonly is: 'text' | 'thought'; readonly pieces: string[] }
  | { readonly is: 'part'; readonly json: string }

class CollectedCandidate {
  private readonly fields: Fields = new Map()
  private readonly content: Fields = new Map()
  private readonly parts: CollectedPart[] = []

  add(raw: RawJson, candidate: JsonObject, position: number): void {
    const path = ['candidates', position]
    addFields(this.fields, raw, candidate, path, 'content')
    const content = objectIn(candidate, 'content')
    addFields(this.content, raw, content, [...path, 'content'], 'parts')
    const { parts } = content
    for (const [at, part] of Array.isArray(parts) ? parts.entries() : []) {
      const json = raw.value([...path, 'content', 'parts', at])
      if (isJsonObject(part) && json !== undefined) this.addPart(part, json)
    }
  }

  json(index: number): string {
    const { fields, content } = this
    const parts = this.parts.map((part) => {
      if (part.is === 'part') return part.json
      const text = part.pieces.join('')
      return JSON.stringify(part.is === 'text' ? { text } : { text, thought: true })
    })
    const role = content.get('role') ?? '"model"'
    return objectText([
      ['content', objectText([['parts', `[${parts.join(',')}]`], ...content, ['role', role]])],
      ...fields,
      ['index', fields.get('index') ?? String(index)],
    ])
  }

  /** Neighbouring texts of one kind become one. A part with a signature stays by itself, and empty ones say nothing. */
  private addPart(part: JsonObject, json: string): void {
    const { text, thought } = part
    if (typeof text !== 'string' || hasOtherFields(part, textFields)) {
      this.parts.push({ is: 'part', json })
      return
    }
    if (text === '') return
    const is = thought === true ? 'thought' : 'text'
    const last = this.parts.at(-1)
    if (last?.is === is) last.pieces.push(text)
    else this.parts.push({ is, pieces: [text] })
  }
}

const textFields: ReadonlySet<string> = new Set(['text', 'thought'])

/** What a later chunk says counts more. Null says that there is nothing new. */
function addFields(
  fields: Fields,
  raw: RawJson,
  object: JsonObject,
  path: readonly (string | number)[],
  but: string,
): void {
  for (const [field, value] of Object.entries(object)) {
    const json = field === but || value === null ? undefined : raw.value([...path, field])
    if (json !== undefined) fields.set(field, json)
  }
}

/** Of a field that comes twice the last one counts, at the place of the first. */
function objectText(members: Iterable<readonly [key: string, json: string]>): string {
  const fields = [...new Map(members)].map(([key, json]) => `${JSON.stringify(key)}:${json}`)
  return `{${fields.join(',')}}`
}

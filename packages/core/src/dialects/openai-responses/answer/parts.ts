import type { JsonObject } from '../../../json/objects.ts'

/** The parts of which an item of text or reasoning consists, and the events in which each kind of them comes. */
export interface PartKind {
  readonly type: PartType
  readonly says: 'text' | 'reasoning'
  /** The list of the item in which it stands. */
  readonly list: 'content' | 'summary'
  readonly indexField: 'content_index' | 'summary_index'
  readonly textField: 'text' | 'refusal'
  readonly added: string
  readonly delta: string
  readonly textDone: string
  readonly done: string
  readonly empty: JsonObject
}

export type PartType = 'output_text' | 'refusal' | 'reasoning_text' | 'summary_text'

const inContent = {
  list: 'content',
  indexField: 'content_index',
  added: 'response.content_part.added',
  done: 'response.content_part.done',
} as const

export const partKinds: Readonly<Record<PartType, PartKind>> = {
  output_text: {
    ...inContent,
    type: 'output_text',
    says: 'text',
    textField: 'text',
    delta: 'response.output_text.delta',
    textDone: 'response.output_text.done',
    // Clients read the annotations without looking whether they are there.
    empty: { type: 'output_text', text: '', annotations: [] },
  },
  refusal: {
    ...inContent,
    type: 'refusal',
    says: 'text',
    textField: 'refusal',
    delta: 'response.refusal.delta',
    textDone: 'response.refusal.done',
    empty: { type: 'refusal', refusal: '' },
  },
  reasoning_text: {
    ...inContent,
    type: 'reasoning_text',
    says: 'reasoning',
    textField: 'text',
    delta: 'response.reasoning_text.delta',
    textDone: 'response.reasoning_text.done',
    empty: { type: 'reasoning_text', text: '' },
  },
  summary_text: {
    type: 'summary_text',
    says: 'reasoning',
    list: 'summary',
    indexField: 'summary_index',
    textField: 'text',
    added: 'response.reasoning_summary_part.added',
    delta: 'response.reasoning_summary_text.delta',
    textDone: 'response.reasoning_summary_text.done',
    done: 'response.reasoning_summary_part.done',
    empty: { type: 'summary_text', text: '' },
  },
}

export function partKindOf(type: unknown): PartKind | null {
  return typeof type === 'string' ? (byType.get(type) ?? null) : null
}

/** What a delta is a part of, or an event that repeats a whole text. */
export interface SaidPart {
  readonly kind: PartKind
  readonly is: 'delta' | 'whole'
}

export function partKindOfEvent(event: string): SaidPart | null {
  return byEvent.get(event) ?? null
}

const byType = new Map<string, PartKind>(Object.entries(partKinds))

/** Servers have more names than one for the same. */
const byEvent: ReadonlyMap<string, SaidPart> = new Map<string, SaidPart>([
  ...Object.values(partKinds).flatMap((kind): [string, SaidPart][] => [
    [kind.delta, { kind, is: 'delta' }],
    [kind.textDone, { kind, is: 'whole' }],
  ]),
  ['response.reasoning.delta', { kind: partKinds.reasoning_text, is: 'delta' }],
  ['response.reasoning.done', { kind: partKinds.reasoning_text, is: 'whole' }],
  ['response.reasoning_summary.delta', { kind: partKinds.summary_text, is: 'delta' }],
  ['response.reasoning_summary.done', { kind: partKinds.summary_text, is: 'whole' }],
])

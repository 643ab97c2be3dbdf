import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../src/events.ts'
import { formats } from '../src/formats/registry.ts'
import { cutAt, seededOffsets, unitByUnit, type Piece } from './support/chunkings.ts'
import { eventLog } from './support/event-log.ts'
import { readProse, type Prose } from './support/prose-file.ts'
import { eventsOf, joined, type Options } from './support/run-parser.ts'
import { isRecord } from './support/is-record.ts'
import { expandTools } from './support/tool-shorthand.ts'

const folder = new URL('prose/', import.meta.url)
const files = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, answers: readProse(readFileSync(new URL(name, folder), 'utf8')) }))
const answers = files.flatMap((file) => file.answers)

describe('answers that speak of calls', () => {
  it('there are at least 300, no two of them alike', () => {
    expect(answers.length).toBeGreaterThanOrEqual(300)
    expect(new Set(answers.map(({ title }) => title)).size).toBe(answers.length)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(answers.length)
  })

  it('every format that is read from text has some of its own', () => {
    const spokenOf = new Set(answers.map(({ format }) => format))
    const readable = formats.filter(({ grammars }) => grammars.length > 0).map(({ id }) => id)
    expect(readable.filter((id) => !spokenOf.has(id))).toEqual([])
  })
})

for (const { name, answers: list } of files) {
  describe(`prose/${name}`, () => {
    for (const prose of list) {
      it(prose.title, () => {
        expect(outcomesOf(prose)).toEqual(saidOf(prose))
        expectSameInEveryChunking(prose)
      })
    }
  })
}

/** What the file says: an outcome for each reading that is not plain text. */
function saidOf({ format, outcomes }: Prose): Record<string, string> {
  const places = ['auto', ...(format === 'any' ? [] : [format]), ...outcomes.keys()]
  return Object.fromEntries(places.map((place) => [place, outcomes.get(place) ?? 'text']))
}

/** What comes of it in its own format, in auto, and in each other format if that makes a call of it or changes it. */
function outcomesOf(prose: Prose): Record<string, string> {
  const found: Record<string, string> = { auto: outcomeIn('auto', prose) }
  if (prose.format !== 'any') found[prose.format] = outcomeIn(prose.format, prose)
  const others = prose.outcomes.get('others')
  for (const { id } of formats) {
    if (id === prose.format) continue
    const outcome = outcomeIn(id, prose)
    if (outcome === 'text' || (outcome === 'problem' && !prose.outcomes.has(id))) continue
    const isCovered =
      !prose.outcomes.has(id) && others !== undefined && (outcome === others || outcome === 'changed')
    found[isCovered ? 'others' : id] = isCovered ? others : outcome
  }
  return found
}

/** The worst that comes of it, whichever tools were offered. */
function outcomeIn(place: string, prose: Prose): string {
  const all = new Set(
    toolSets(prose).map((tools) =>
      outcomeOf(eventsOf({ ...reading(place), tools }, whole(prose)), prose.text),
    ),
  )
  return ['call', 'changed', 'problem'].find((outcome) => all.has(outcome)) ?? 'text'
}

function outcomeOf(events: readonly ModelEvent[], text: string): string {
  if (events.some(({ type }) => type === 'call-start')) return 'call'
  if (joined(events, 'text') !== text) return 'changed'
  return events.some(({ type }) => type === 'problem' || type === 'repair') ? 'problem' : 'text'
}

/** The tools it speaks of, tools that it does not, and nobody knows which. */
function toolSets({ tools }: Prose): Options['tools'][] {
  return [tools, expandTools({ unrelated: { value: 'string' } }), undefined].map(asTools)
}

function asTools(tools: readonly unknown[] | undefined): Options['tools'] {
  return tools?.filter(isRecord)
}

function expectSameInEveryChunking(prose: Prose): void {
  for (const place of prose.format === 'any' ? ['auto'] : ['auto', prose.format]) {
    for (const tools of toolSets(prose)) {
      const options = { ...reading(place), tools }
      const log = eventLog(eventsOf(options, whole(prose)))
      for (const pieces of chunkingsOf(prose)) {
        const cut = eventLog(eventsOf(options, pieces))
        if (cut !== log) expect(cut, `${place}, in ${pieces.length} pieces`).toBe(log)
      }
    }
  }
}

function chunkingsOf(prose: Prose): Piece[][] {
  const input = whole(prose)
  const { length } = prose.text
  const everyFew = (step: number): number[] =>
    Array.from({ length: Math.ceil(length / step) }, (_, at) => at * step)
  const seeded = [1, 2, 3].map((seed) => cutAt(input, seededOffsets(length, seed)))
  return [unitByUnit(input), cutAt(input, everyFew(3)), cutAt(input, everyFew(17)), ...seeded]
}

function whole({ text }: Prose): Piece[] {
  return [{ text, channel: 'content' }]
}

function reading(place: string): Options {
  const format = formats.find(({ id }) => id === place)?.id
  return { format: format ?? 'auto' }
}

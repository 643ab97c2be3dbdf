import { isDeepStrictEqual } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { ModelEvent } from '../src/events.ts'
import { formats } from '../src/formats/registry.ts'
import { cutAt, seededOffsets, unitByUnit, type Piece } from './support/chunkings.ts'
import { mismatch, optionsOfCase, readCorpus, type CorpusCase } from './support/corpus.ts'
import { eventsOf, type Options } from './support/run-parser.ts'
import { isThorough } from './support/thorough.ts'

/** The families that can be read, with the format that reads each. */
const formatOfFamily = {
  'kimi-k2': 'kimi',
  'kimi-k3': 'kimi',
  'hermes-json': 'hermes',
  'qwen3-coder-xml': 'qwen',
  'deepseek-v3': 'deepseek',
  'deepseek-v3.1': 'deepseek',
  'deepseek-dsml': 'deepseek',
  'glm-xml': 'glm',
  'minimax-m2-xml': 'minimax',
  'minimax-m3-xml': 'minimax',
  'seed-oss-xml': 'seed',
  'hunyuan3-xml': 'hunyuan',
  'minicpm5-xml': 'minicpm',
  'mistral-array': 'mistral',
  'mistral-args': 'mistral',
  'llama3-json': 'llama',
  'pythonic-bare': 'pythonic',
  'lfm2-pythonic': 'lfm',
  gemma4: 'gemma',
  functiongemma: 'gemma',
  'granite-array': 'granite',
  'granite-20b-fc': 'granite',
  apertus: 'apertus',
  apriel: 'apriel',
  'minimax-m1-jsonl': 'minimax',
  'nemotron-toolcall': 'nemotron',
  functools: 'phi',
  internlm2: 'internlm',
  'xlam-array': 'xlam',
  gigachat3: 'gigachat',
  'gigachat3.1': 'gigachat',
  'functionary-v3.1': 'functionary',
  'functionary-v3.2': 'functionary',
  harmony: 'gpt-oss',
  'muse-glimmer': 'muse',
  'cohere-action': 'cohere',
  'cohere-r-plus': 'cohere',
  'solar-open': 'solar',
} as const

const corpus = readCorpus(new URL('corpus/public.jsonl.gz', import.meta.url))

const randomChunkings = isThorough ? 10 : 4

describe.each(Object.entries(formatOfFamily))('%s', (family, format) => {
  const cases = corpus.filter((entry) => entry.family === family).map(inChunkings)

  it(`has cases`, () => {
    expect(cases.length).toBeGreaterThan(0)
  })

  it(`all ${cases.length} cases come back with format ${format}`, () => {
    expect(failures(cases, () => ({ format }))).toEqual([])
  })

  it(`all ${cases.length} cases come back in auto mode without a hint`, () => {
    expect(failures(cases, () => ({}))).toEqual([])
  })

  it(`all ${cases.length} cases come back in auto mode with the name of the model`, () => {
    expect(failures(cases, (entry) => ({ model: entry.template.replace(/\.jinja$/, '') }))).toEqual([])
  })
})

describe('the proof that a record names', () => {
  it('is a template exactly where the corpus holds calls that one wrote', () => {
    const proven = formats.filter(({ checked }) => checked?.proof.includes('template')).map(({ id }) => id)
    const read = new Set<string>(Object.values(formatOfFamily))
    const borrowed = ['step']
    expect(proven.toSorted()).toEqual([...read, ...borrowed].toSorted())
  })
})

/** A case, and every way in which it is cut: made once, for all that reads it. */
interface CutCase {
  readonly entry: CorpusCase
  readonly chunkings: () => readonly [how: string, pieces: Piece[]][]
}

function inChunkings(entry: CorpusCase): CutCase {
  let made: [string, Piece[]][] | undefined
  return { entry, chunkings: () => (made ??= chunkingsOf(entry)) }
}

/** A line for each of the first five cases that fail, and the number of the others. */
function failures(cases: readonly CutCase[], choose: (entry: CorpusCase) => Options): string[] {
  const failed = cases.flatMap((each) =>
    failure(each, { ...optionsOfCase(each.entry), ...choose(each.entry) }),
  )
  return failed.length <= 5 ? failed : [...failed.slice(0, 5), `and ${failed.length - 5} more`]
}

function failure({ entry, chunkings }: CutCase, options: Options): string[] {
  let right: readonly ModelEvent[] = []
  for (const [how, pieces] of chunkings()) {
    const events = eventsOf(options, pieces)
    // The events of another chunking are the same, as a rule: then they need not be looked at again.
    if (isDeepStrictEqual(events, right)) continue
    const wrong = mismatch(entry, events)
    if (wrong !== null) return [`${entry.id} (${how}) ${wrong}`]
    right = events
  }
  return []
}

function chunkingsOf(entry: CorpusCase): [string, Piece[]][] {
  const input: Piece[] = [{ text: entry.raw, channel: 'content' }]
  const random = Array.from({ length: randomChunkings }, (_, index): [string, Piece[]] => {
    const seed = index + 1
    return [`random chunks, seed ${seed}`, cutAt(input, seededOffsets(entry.raw.length, seed))]
  })
  return [['whole', input], ['one character at a time', unitByUnit(input)], ...random]
}

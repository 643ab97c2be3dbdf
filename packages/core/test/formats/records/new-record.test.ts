import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { usualEnvelope } from '../../../src/engines/json/grammar.ts'
import { ToolSet } from '../../../src/engines/tool-set.ts'
import { coalesce, EventCollector, type ModelEvent } from '../../../src/events.ts'
import type { Format } from '../../../src/formats/format.ts'
import { think } from '../../../src/formats/records/common.ts'
import { buildLexicon } from '../../../src/reader/lexicon/lexicon.ts'
import { Reader } from '../../../src/reader/reader.ts'
import { isRecord } from '../../support/is-record.ts'
import { sampleTools } from '../../support/modes.ts'
import { callsOf } from '../../support/run-parser.ts'

const page = readFileSync(new URL('../../../../../CONTRIBUTING.md', import.meta.url), 'utf8')
const acme = await recordOn(page)

describe('a new format is its record: the one in CONTRIBUTING.md', () => {
  it('has its sample read', () => {
    expect(callsOf(read([acme.sample]))).toEqual([
      { id: null, name: 'get_weather', json: '{"city":"Paris"}', complete: true },
    ])
  })

  it('has text, reasoning and calls told apart the same in every two pieces', () => {
    const output = `<think>Look it up.</think>Sure. ${acme.sample}\nDone.`
    const whole = read([output])
    expect(whole.map(({ type }) => type)).toEqual([
      'reasoning',
      'text',
      'call-start',
      'call-delta',
      'call-end',
      'text',
      'problem',
    ])
    for (let at = 1; at < output.length; at++) {
      expect(read([output.slice(0, at), output.slice(at)])).toEqual(whole)
    }
  })

  it('has a call that is cut off reported, not made up', () => {
    for (let at = 1; at < acme.sample.length - '}]</acme_calls>'.length - 1; at++) {
      expect(callsOf(read([acme.sample.slice(0, at)])).filter((call) => call.complete)).toEqual([])
    }
  })
})

function read(chunks: readonly string[]): ModelEvent[] {
  const sink = new EventCollector()
  const reader = new Reader(sink, {
    lexicon: buildLexicon([acme], { readsCalls: true, salvages: false }),
    tools: new ToolSet(sampleTools),
    startsInReasoning: false,
    reasoningOpener: undefined,
    startsInHeader: false,
    promptHeader: undefined,
    expectedFormat: undefined,
    forced: undefined,
    isForced: false,
    delivery: 'incremental',
    toolCallBytes: 4_194_304,
    limitOf: new Map(),
    overflow: 'error',
  })
  for (const chunk of chunks) reader.push(chunk, 'content')
  reader.end('stop')
  return coalesce(sink.take())
}

/** Runs the record of the page as it stands, but for its types and imports. */
async function recordOn(markdown: string): Promise<Format> {
  const [, source = ''] = /```ts\n(import [\s\S]*?)\n```/.exec(markdown) ?? []
  const body = source
    .replaceAll(/^import .*\n/gm, '')
    .replaceAll(/: (?:DelimitedJsonGrammar|Format) =/g, ' =')
    .replace('export const', 'const')
  const script = `export default (usualEnvelope, think) => { ${body}; return acme }`
  const module: unknown = await import(`data:text/javascript,${encodeURIComponent(script)}`)
  const make: unknown = isRecord(module) ? module['default'] : undefined
  const record: unknown = typeof make === 'function' ? make(usualEnvelope, think) : undefined
  if (!isFormat(record)) throw new Error('CONTRIBUTING.md has no record')
  return record
}

function isFormat(value: unknown): value is Format {
  return isRecord(value) && typeof value['sample'] === 'string' && Array.isArray(value['grammars'])
}

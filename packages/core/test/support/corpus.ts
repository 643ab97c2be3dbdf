import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { isDeepStrictEqual } from 'node:util'
import type { ModelEvent } from '../../src/events.ts'
import { isRecord } from './is-record.ts'
import { callsOf, joined, type Options } from './run-parser.ts'

/** One assistant turn, rendered by the chat template of a real model, and what went into it. */
export interface CorpusCase {
  readonly id: string
  readonly template: string
  readonly family: string
  readonly tools: NonNullable<Options['tools']>
  readonly raw: string
  readonly promptOpensThink: boolean
  readonly omittedPromptTail: string
  readonly genPromptTail: string
  readonly expected: {
    readonly content: string
    readonly reasoning: string
    readonly calls: readonly { readonly name: string; readonly arguments: unknown; readonly id?: string }[]
  }
  /** Why the format cannot carry the values exactly, or null. */
  readonly lossy: string | null
}

export function readCorpus(file: URL): CorpusCase[] {
  const lines = gunzipSync(readFileSync(file)).toString('utf8').split('\n')
  return lines.filter((line) => line !== '').map(readCase)
}

function readCase(line: string): CorpusCase {
  const value: unknown = JSON.parse(line)
  if (!isCase(value)) throw new Error(`Not a case of the corpus: ${line.slice(0, 80)}`)
  return value
}

function isCase(value: unknown): value is CorpusCase {
  return isRecord(value) && typeof value['raw'] === 'string' && isRecord(value['expected'])
}

/** The options of a case, apart from format and model. */
export function optionsOfCase(entry: CorpusCase): Options {
  const { genPromptTail: tail, omittedPromptTail: omitted } = entry
  return {
    tools: entry.tools,
    promptOpensReasoning: entry.promptOpensThink,
    promptTail: tail.endsWith(omitted) ? tail.slice(0, tail.length - omitted.length) : tail,
  }
}

/** What is wrong with an answer to a case, in one line, or null. */
export function mismatch(entry: CorpusCase, events: readonly ModelEvent[]): string | null {
  const { expected } = entry
  const calls = callsOf(events).filter((call) => call.complete)
  const got = {
    content: joined(events, 'text').trim(),
    reasoning: joined(events, 'reasoning').trim(),
    names: calls.map((call) => call.name),
    ids: calls.map((call, index) => (expected.calls[index]?.id === undefined ? null : call.id)),
    arguments: calls.map((call) => comparable(JSON.parse(call.json), entry)),
  }
  const wanted = {
    content: expected.content.trim(),
    reasoning: expected.reasoning.trim(),
    names: expected.calls.map((call) => call.name),
    ids: expected.calls.map((call) => call.id ?? null),
    arguments: expected.calls.map((call) => comparable(call.arguments, entry)),
  }
  for (const key of ['names', 'ids', 'arguments', 'content', 'reasoning'] as const) {
    if (isDeepStrictEqual(got[key], wanted[key])) continue
    return `${key}: got ${brief(got[key])}, expected ${brief(wanted[key])}`
  }
  return null
}

function comparable(value: unknown, entry: CorpusCase): unknown {
  return entry.lossy === null ? value : lenient(value)
}

/** A value without what a lossy format cannot carry: edge whitespace, empty members, Python or JSON spelling. */
function lenient(value: unknown): unknown {
  if (typeof value === 'string') return lenientString(value.trim())
  if (Array.isArray(value)) return value.map(lenient)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, lenient(member)] as const)
  return Object.fromEntries(members.filter(([, member]) => member !== null && member !== ''))
}

const pythonConstants: Readonly<Record<string, unknown>> = {
  None: null,
  null: null,
  True: true,
  False: false,
}

function lenientString(text: string): unknown {
  if (Object.hasOwn(pythonConstants, text)) return pythonConstants[text]
  try {
    return lenientJson(JSON.parse(text))
  } catch {
    return lenientPython(text)
  }
}

function lenientJson(value: unknown): unknown {
  return typeof value === 'string' ? value : lenient(value)
}

function lenientPython(text: string): unknown {
  if (!/^[[{].*[\]}]$/s.test(text)) return text
  const json = text
    .replaceAll("'", '"')
    .replaceAll(/\bNone\b/g, 'null')
    .replaceAll(/\bTrue\b/g, 'true')
    .replaceAll(/\bFalse\b/g, 'false')
  try {
    return lenient(JSON.parse(json))
  } catch {
    return text
  }
}

function brief(value: unknown): string {
  const json = JSON.stringify(value)
  return json.length <= 160 ? json : `${json.slice(0, 120)}…${json.slice(-38)}`
}

import { isObject } from '../base/is-object.ts'
import { printable, shortened } from '../base/printable.ts'

/** How long a sentence may be: upstreams put whole pages into their errors. */
const LONGEST = 300

/** The last of what a gateway warned of in these lines of its log, as sentences: each one once, with how often it came. */
export function warningSentences(lines: readonly string[], most: number): string[] {
  const counts = new Map<string, number>()
  for (const line of lines) {
    const sentence = sentenceOf(line)
    const before = counts.get(sentence) ?? 0
    // The latest comes last.
    counts.delete(sentence)
    counts.set(sentence, before + 1)
  }
  return [...counts].slice(-most).map(([text, count]) => (count === 1 ? text : `${text} (${count} times)`))
}

/** Whether a request was longer than the window of its model. */
export function holdsOverflow(lines: readonly string[]): boolean {
  return lines.some((line) => /^context_length_exceeded\b/.test(textIn(entryIn(line), 'failure') ?? ''))
}

function sentenceOf(line: string): string {
  const entry = entryIn(line)
  const model = textIn(entry, 'model')
  const text = printable(what(entry) ?? line)
  return shortened(model === null ? text : `${printable(model)}: ${text}`, LONGEST)
}

function what(entry: Entry): string | null {
  const failure = textIn(entry, 'failure')
  if (failure !== null) {
    const reason = textIn(entry, 'reason')
    // In front of the message stands a code for programs.
    const message = failure.replace(/^[\w-]+: /, '')
    return reason === null ? message : `${message} (${reason})`
  }
  const { problems } = entry
  if (Array.isArray(problems)) return `a call was lost: ${problems.join(', ')}`
  const [detail] = (textIn(entry, 'error') ?? textIn(entry, 'message') ?? '').split('\n')
  const said = textIn(entry, 'msg')
  return said === null || detail === '' ? said : `${said}: ${detail}`
}

type Entry = Readonly<Record<string, unknown>>

function entryIn(line: string): Entry {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) ? value : {}
  } catch {
    return {}
  }
}

function textIn(entry: Entry, field: string): string | null {
  const value = entry[field]
  return typeof value === 'string' && value !== '' ? value : null
}

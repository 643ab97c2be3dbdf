import { expandTools } from './tool-shorthand.ts'

/**
 * What comes of an answer in one reading, said in the file. Where nothing is said, it is text and nothing else.
 * `call`: it is one, and the line says why. `problem`: it is text, with a report. `changed`: it is text, without what was
 * taken for markup.
 */
export type Outcome = (typeof outcomes)[number]

const outcomes = ['call', 'problem', 'changed'] as const

/** One answer that speaks of calls and makes none, unless its outcomes say otherwise. */
export interface Prose {
  readonly title: string
  /** The format that it speaks of, or `any`. */
  readonly format: string
  readonly tools: unknown[]
  /** By the name of a format, `auto`, or `others`: any format that has no outcome of its own. */
  readonly outcomes: ReadonlyMap<string, Outcome>
  readonly text: string
}

/**
 * Reads a file of answers: Markdown, a `## ` section for each. Under the title stands a line with the format and the tools
 * (`format: qwen; tools: get_weather(city), ping`), then a line for each outcome that is not plain text
 * (`problem in auto, qwen: why`), then the answer between fences of five backticks.
 */
export function readProse(markdown: string): Prose[] {
  return markdown
    .split(/^## (?=[^\n]*\n\nformat: )/m)
    .slice(1)
    .map(readSection)
}

function readSection(section: string): Prose {
  const read =
    /^([^\n]+)\n\nformat: ([\w-]+); tools: ([^\n]+)\n((?:[^\n]+\n)*)\n`{5}answer\n(.*)\n`{5}\n*$/s.exec(
      section,
    )
  if (read === null) throw new Error(`Not an answer: ${section.slice(0, 80)}`)
  const [, title = '', format = '', tools = '', lines = '', text = ''] = read
  return {
    title,
    format,
    tools: expandTools(tools === 'none' ? {} : readTools(tools)),
    outcomes: new Map(lines.split('\n').filter(Boolean).flatMap(readOutcome)),
    text,
  }
}

/** `get_weather(city, days:integer), ping`: a parameter is a string if nothing else is said. */
function readTools(line: string): Record<string, Record<string, string>> {
  const tools = [...line.matchAll(/([\w.-]+)(?:\(([^)]*)\))?/g)]
  return Object.fromEntries(
    tools.map(([, name = '', list = '']) => {
      const parameters = list.split(',').map((each) => each.trim().split(':'))
      const typed = parameters.filter(([key]) => key !== '').map(([key = '', type = 'string']) => [key, type])
      return [name, Object.fromEntries(typed)]
    }),
  )
}

function readOutcome(line: string): [string, Outcome][] {
  const outcome = outcomes.find((each) => line.startsWith(`${each} in `))
  const read = /^[a-z ]+? in ([\w, -]+): \S/.exec(line)
  if (outcome === undefined || read === null) throw new Error(`Not an outcome with its reason: ${line}`)
  return (read[1] ?? '').split(', ').map((place) => [place, outcome])
}

import { createParser } from '../../src/parser.ts'
import { markersIn } from './model-output.ts'
import { sampleTools, type Mode } from './modes.ts'

/** What makes a careless parser slow: a beginning, and what to repeat after it. */
export function hostileInputs(mode: Mode): [title: string, before: string, repeated: string][] {
  const own = mode.samples.flatMap(madeFrom)
  if (mode.samples.length <= 1) return [...anywhere, ...own]
  // Each format has them all to itself; in auto mode the two tell that read the most of them.
  return [
    ...anywhere,
    ...mode.samples.flatMap((sample) => madeFrom(sample).filter((_, at) => at === 0 || at === 9)),
  ]
}

const anywhere: [title: string, before: string, repeated: string][] = [
  ['prose', '', 'word '],
  ['angle brackets', '', '<'],
  ['brackets', '', '['],
  ['braces', '', '{"a":'],
  ['white space', '', ' \n'],
  ['backticks', '', '```\n`'],
  ['one run of backticks', '\n', '`'],
  ['one run of tildes', '\n', '~'],
  ['thinking tags', '', '<think></think>'],
]

function madeFrom(sample: string): [title: string, before: string, repeated: string][] {
  const marker = markersIn(sample)[0] ?? '<>'
  const toArguments = sample.slice(0, sample.indexOf('{') + 1)
  return [
    [`${marker}, the whole sample again and again`, '', sample],
    [`${marker} again and again`, '', marker],
    [`${marker}, half of it again and again`, '', marker.slice(0, -1)],
    [`${marker} and white space`, marker, ' \n'],
    [`${marker} and a header without end`, marker, 'functions.'],
    [`${marker} and nested braces`, toArguments, '{"a":'],
    [`${marker} and a string without end`, `${toArguments}"a":"`, 'x\\"'],
    [`${marker} and white space after a comma`, `${toArguments}"a":1,`, ' \n'],
    [`${marker} and closers inside a value`, sample.slice(0, sample.length / 2), '</parameter> x'],
    [`${marker}, drafts in reasoning`, '<think>', `${sample} and `],
  ]
}

/** Milliseconds of this process alone: what else the machine does must not count. */
export function parseTime(mode: Mode, text: string, chunk: number): number {
  const parser = createParser({ ...mode.options, tools: sampleTools })
  const started = process.cpuUsage()
  for (let offset = 0; offset < text.length; offset += chunk) {
    parser.push(text.slice(offset, offset + chunk))
  }
  parser.end()
  const { user, system } = process.cpuUsage(started)
  return (user + system) / 1000
}

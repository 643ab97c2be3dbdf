import { commonOptions } from './arguments.ts'
import type { Command, Example, Option } from './command.ts'
import type { Output } from '../terminal/output.ts'

const tagline = "Every model's tool calls, in your client's language, both ways, while streaming."

/** The help for the whole program, made from the table of commands. */
export function programHelp(commands: readonly Command[], out: Output): string {
  const heading = headingFor(out)
  const rows = commands.map(({ name, summary }): Row => [name, summary])
  return [
    tagline,
    '',
    heading('Usage'),
    '  dragoman                      start the gateway',
    '  dragoman COMMAND [OPTIONS]',
    '',
    heading('Commands'),
    ...table([...rows, ['help', 'Show the help of a command: dragoman help parse']]),
    '',
    heading('Options'),
    ...table([
      ['-h, --help', 'Show this help, or with a command its help.'],
      ['-v, --version', 'Print the version.'],
    ]),
    '',
    heading('Examples'),
    ...examples(commands.flatMap((command) => command.examples.slice(0, 1))),
    '',
  ].join('\n')
}

export function commandHelp(command: Command, out: Output): string {
  const heading = headingFor(out)
  const { name, operands, description, options } = command
  return [
    command.summary,
    '',
    heading('Usage'),
    `  dragoman ${name} [OPTIONS] ${operands}`.trimEnd(),
    '',
    ...description.map((line) => `  ${line}`.trimEnd()),
    ...(description.length > 0 ? [''] : []),
    heading('Options'),
    ...table(Object.entries({ ...options, ...commonOptions }).map(optionRow)),
    '',
    heading('Examples'),
    ...examples(command.examples),
    '',
  ].join('\n')
}

type Row = readonly [left: string, right: string]

function headingFor(out: Output): (text: string) => string {
  return (text) => out.style('bold', `${text}:`)
}

function optionRow([name, { short, value, oneOf, type, help }]: [string, Option]): Row {
  const label = value ?? oneOf?.join('|') ?? 'TEXT'
  return [`${short === undefined ? '' : `-${short}, `}--${name}${type === 'string' ? ` ${label}` : ''}`, help]
}

function examples(list: readonly Example[]): string[] {
  return list.flatMap(({ command, does }) => [`  dragoman ${command}`, `      ${does}`])
}

function table(rows: readonly Row[]): string[] {
  const width = Math.min(30, Math.max(...rows.map(([left]) => left.length)))
  return rows.flatMap(([left, right]) =>
    left.length > width
      ? [`  ${left}`, `  ${' '.repeat(width)}  ${right}`]
      : [`  ${left.padEnd(width)}  ${right}`],
  )
}

import { formats as allFormats, getToolIdStrategy, resolveFormatId, type Format } from '@dragoman/core'
import { CliError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import type { Output } from '../../terminal/output.ts'

export const formats: Command = {
  name: 'formats',
  summary: 'List the formats that models write calls in, or show one.',
  operands: '[FORMAT]',
  operandCount: { min: 0, max: 1 },
  description: [],
  options: { json: { type: 'boolean', help: 'Print JSON.' } },
  examples: [
    { command: 'formats', does: 'List all formats with the models that use them.' },
    { command: 'formats kimi', does: 'Show one, with a sample of what its models write.' },
  ],
  async run(given, { stdout }) {
    const [name] = given.operands
    const format = name === undefined ? undefined : formatNamed(name)
    if (given.flag('json')) {
      const shown = format === undefined ? allFormats.map(summaryOf) : summaryOf(format)
      await stdout.line(JSON.stringify(shown, null, 2))
    } else {
      await stdout.write(format === undefined ? tableOf(allFormats, stdout) : pageOf(format, stdout))
    }
    return 0
  },
}

function formatNamed(name: string): Format {
  const id = resolveFormatId(name)
  const format = allFormats.find((known) => known.id === id)
  if (format !== undefined) return format
  throw new CliError(1, `no format "${name}"`, `Known: ${allFormats.map((known) => known.id).join(', ')}`)
}

function summaryOf({ id, title, models, grammars, checked, sample }: Format): object {
  const ids = getToolIdStrategy(id).name
  return { id, title, models, grammars: grammars.map((grammar) => grammar.id), ids, checked, sample }
}

function tableOf(list: readonly Format[], out: Output): string {
  const idWidth = Math.max(...list.map(({ id }) => id.length))
  const titleWidth = Math.max(...list.map(({ title }) => title.length))
  const dateWidth = Math.max(...list.map(({ checked }) => checked?.on.length ?? 0))
  const rows = list.map(({ id, title, checked, models }) => {
    const names = `${out.style('bold', id.padEnd(idWidth))}  ${title.padEnd(titleWidth)}`
    const left = `${names}  ${out.style('dim', (checked?.on ?? '').padEnd(dateWidth))}  `
    return left + shortened(models.join(', '), out.columns, idWidth + titleWidth + dateWidth + 6)
  })
  return `${rows.map((row) => row.trimEnd()).join('\n')}\n`
}

/** Cuts a text to the rest of the width of the terminal, as a table with broken rows cannot be read. */
function shortened(text: string, columns: number | undefined, used: number): string {
  const room = columns === undefined ? text.length : Math.max(10, columns - used)
  return text.length > room ? `${text.slice(0, room - 1)}…` : text
}

function pageOf({ id, title, models, grammars, checked, sample }: Format, out: Output): string {
  const rows = [
    ['models', models.join(', ')],
    ['grammars', grammars.map((grammar) => grammar.id).join(', ')],
    ['tool ids', getToolIdStrategy(id).name],
    ['checked', checked === undefined ? '' : `${checked.on}, against ${checked.against}`],
  ] as const
  const facts = rows
    .filter(([, value]) => value !== '')
    .map(([label, value]) => `  ${out.style('dim', label.padEnd(8))}  ${value}`)
  const shown = sample === '' ? [] : ['', out.style('bold', 'Sample:'), '', indented(sample)]
  return `${[`${out.style('bold', id)}  ${title}`, '', ...facts, ...shown].join('\n')}\n`
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `  ${line}`.trimEnd())
    .join('\n')
}

import { NANO } from './prices.ts'
import { countNames, nothingUsed, sumOf, type UsageCounts, type UsageRow } from './store.ts'

/** What usage is summed up by. */
export const usageColumns = ['day', 'key', 'model', 'upstream'] as const
export type UsageColumn = (typeof usageColumns)[number]

/** One line of a report: the columns that it is summed up by, and the counts with the cost in dollars. */
export type ShownUsage = Partial<Record<UsageColumn, string>> &
  Omit<UsageCounts, 'cost'> & { readonly usd: number }

export function shownRow(row: UsageRow): ShownUsage {
  return shown(usageColumns, row, row)
}

/** The row that a line of JSON stands for; undefined where it is none. */
export function rowFrom(value: unknown): UsageRow | undefined {
  const given: Record<string, unknown> = Object(value)
  const [day, key, model, upstream] = usageColumns.map((column) => given[column])
  const { usd } = given
  if (typeof day !== 'string' || typeof key !== 'string') return undefined
  if (typeof model !== 'string' || typeof upstream !== 'string' || typeof usd !== 'number') return undefined
  const said = countNames.flatMap((name) => (typeof given[name] === 'number' ? [[name, given[name]]] : []))
  return {
    ...nothingUsed,
    ...Object.fromEntries(said),
    cost: Math.round(usd * NANO),
    day,
    key,
    model,
    upstream,
  }
}

/** Sums rows up by these columns. What cost most, or took most tokens, comes first; by day, the days in order. */
export function summed(rows: readonly UsageRow[], columns: readonly UsageColumn[]): ShownUsage[] {
  const sums = new Map<string, { readonly row: UsageRow; readonly counts: UsageCounts }>()
  for (const row of rows) {
    const place = JSON.stringify(columns.map((column) => row[column]))
    const known = sums.get(place)
    sums.set(place, { row, counts: known === undefined ? row : sumOf(known.counts, row) })
  }
  return [...sums.values()]
    .toSorted((one, other) => inOrder(columns, one, other))
    .map(({ row, counts }) => shown(columns, row, counts))
}

export function csvOf(lines: readonly ShownUsage[], columns: readonly UsageColumn[]): string {
  const names = [...columns, ...shownCounts]
  const rows = lines.map((line) => names.map((name) => quoted(String(line[name] ?? ''))))
  return [names, ...rows].map((row) => `${row.join(',')}\n`).join('')
}

export function tableOf(lines: readonly ShownUsage[], columns: readonly UsageColumn[]): string {
  const names = [...columns, ...shownCounts]
  const rows = [names.map(String), ...lines.map((line) => names.map((name) => cell(line[name])))]
  const widths = names.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)))
  const isText = (at: number): boolean => at < columns.length
  return rows
    .map((row) =>
      row.map((text, at) => (isText(at) ? text.padEnd(widths[at] ?? 0) : text.padStart(widths[at] ?? 0))),
    )
    .map((row) => `${row.join('  ').trimEnd()}\n`)
    .join('')
}

const shownCounts = [
  'requests',
  'input',
  'cached',
  'output',
  'reasoning',
  'usd',
  'problems',
  'failures',
] as const

function shown(columns: readonly UsageColumn[], row: UsageRow, { cost, ...counts }: UsageCounts): ShownUsage {
  const { requests, input, cached, output, reasoning, problems, failures } = counts
  return {
    ...Object.fromEntries(columns.map((column) => [column, row[column]])),
    requests,
    input,
    cached,
    output,
    reasoning,
    usd: cost / NANO,
    problems,
    failures,
  }
}

interface Sum {
  readonly row: UsageRow
  readonly counts: UsageCounts
}

function inOrder(columns: readonly UsageColumn[], one: Sum, other: Sum): number {
  if (columns.includes('day') && one.row.day !== other.row.day) return one.row.day < other.row.day ? -1 : 1
  const tokens = ({ counts }: Sum): number => counts.input + counts.output
  return other.counts.cost - one.counts.cost || tokens(other) - tokens(one)
}

function cell(value: string | number | undefined): string {
  if (typeof value !== 'number') return value === undefined || value === '' ? '-' : value
  return Number.isInteger(value) ? value.toLocaleString('en') : value.toFixed(4)
}

/** A text that a spreadsheet would take for a formula begins with a quote. */
function quoted(text: string): string {
  const plain = /^[=+\-@]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}

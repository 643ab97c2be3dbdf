import {
  type DialectId,
  dialectIds,
  type FormatId,
  formatIds,
  formats,
  isDialectId,
  resolveFormatId,
} from '@dragoman/core'
import { usageError } from '../terminal/cli-error.ts'
import { didYouMean } from '../base/did-you-mean.ts'
import type { CommandArguments } from './arguments.ts'
import type { Option } from './command.ts'

const MOST_WORKERS = 64

/** The format that a user named, also one whose calls cannot be read. */
export function formatNamed(name: string): FormatId {
  const format = resolveFormatId(name)
  if (format === undefined) throw unknownFormat(name, formatIds)
  return format
}

/** The format that a user named for reading a text. `auto` leaves the choice to the parser. */
export function readableFormat(name: string): FormatId | 'auto' {
  if (name === 'auto') return name
  const id = resolveFormatId(name)
  const known = formats.map((format) => format.id)
  if (id === undefined || !known.includes(id)) throw unknownFormat(name, ['auto', ...known])
  return id
}

/** The dialect that an option names, or undefined where the option is not given. */
export function dialectIn(
  given: CommandArguments,
  option: 'from' | 'to' | 'as' | 'dialect',
): DialectId | undefined {
  const name = given.text(option)
  if (name === undefined || isDialectId(name)) return name
  const meant = didYouMean(name, dialectIds)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`--${option}: unknown dialect "${name}".${question}`, `Known: ${dialectIds.join(', ')}`)
}

export const workersOption: Option = {
  type: 'string',
  value: 'N',
  help: 'Share the work among N processes. Default 1.',
}

export function workerCount(given: CommandArguments, command: 'serve' | 'check'): number {
  const count = Number(given.text('workers') ?? '1')
  if (Number.isInteger(count) && count >= 1 && count <= MOST_WORKERS) return count
  const hint = `See dragoman ${command} --help`
  throw usageError(`--workers must be a whole number from 1 to ${MOST_WORKERS}.`, hint)
}

function unknownFormat(name: string, known: readonly string[]): Error {
  const meant = didYouMean(name, known)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`unknown format "${name}".${question}`, `Known: ${known.join(', ')}`)
}

import { formatIds, formats, resolveFormatId, type FormatId } from '@dragoman/core'
import { usageError } from '../terminal/cli-error.ts'
import { didYouMean } from '../base/did-you-mean.ts'

/** The format that a user named, whether its calls can be read or not. */
export function formatNamed(name: string): FormatId {
  const format = resolveFormatId(name)
  if (format === undefined) throw unknownFormat(name, formatIds)
  return format
}

/** The format that a user named for reading a text; `auto` leaves the choice to the parser. */
export function readableFormat(name: string): FormatId | 'auto' {
  if (name === 'auto') return name
  const id = resolveFormatId(name)
  const known = formats.map((format) => format.id)
  if (id === undefined || !known.includes(id)) throw unknownFormat(name, ['auto', ...known])
  return id
}

function unknownFormat(name: string, known: readonly string[]): Error {
  const meant = didYouMean(name, known)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  return usageError(`unknown format "${name}".${question}`, `Known: ${known.join(', ')}`)
}

import { type Dialect, dialects } from '../base/dialect.ts'
import type { CommandArguments } from './arguments.ts'
import { usageError } from '../terminal/cli-error.ts'
import { didYouMean } from '../base/did-you-mean.ts'

/** The dialect that an option names; undefined where it is not given. */
export function dialectIn(given: CommandArguments, option: 'from' | 'to'): Dialect | undefined {
  const name = given.text(option)
  if (name === undefined) return undefined
  const dialect = dialects.find((known) => known === name)
  if (dialect !== undefined) return dialect
  const meant = didYouMean(name, dialects)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`--${option}: unknown dialect "${name}".${question}`, `Known: ${dialects.join(', ')}`)
}

import type { CommandArguments } from './arguments.ts'
import { usageError } from '../terminal/cli-error.ts'
import type { Option } from './command.ts'

const MOST_WORKERS = 64

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

import { dialectIds, formatIds } from '@dragoman/core'
import { commonOptions } from './arguments.ts'
import type { Command, Option } from './command.ts'

/** What a shell can offer while a command line is typed. */
export interface CompletableCommand {
  readonly name: string
  readonly summary: string
  readonly options: readonly CompletableOption[]
  readonly operand: Completable
}

export interface CompletableOption {
  /** With their dashes, the short one first. */
  readonly names: readonly string[]
  readonly help: string
  /** Null for an option that takes no value. */
  readonly value: Completable | null
  readonly isRepeatable: boolean
}

/** Words to choose from, the names of files or of folders, or something that only the user knows. */
export type Completable =
  | { readonly is: 'words'; readonly words: readonly string[] }
  | { readonly is: 'files' | 'folders' | 'unknown' }

export function completable(commands: readonly Command[]): CompletableCommand[] {
  const all = commands.map(({ name, summary, operands, options }) => ({
    name,
    summary,
    options: Object.entries({ ...options, ...commonOptions }).map(completableOption),
    operand: completableText(operands),
  }))
  const names = commands.map(({ name }) => name)
  const help: CompletableCommand = {
    name: 'help',
    summary: 'Show the help of a command.',
    options: [],
    operand: { is: 'words', words: names },
  }
  return [...all, help]
}

function completableOption([name, option]: [string, Option]): CompletableOption {
  const { short, help, type, oneOf, value = '', multiple = false } = option
  const given: Completable = oneOf === undefined ? completableText(value) : { is: 'words', words: oneOf }
  return {
    names: [...(short === undefined ? [] : [`-${short}`]), `--${name}`],
    help,
    value: type === 'boolean' ? null : given,
    isRepeatable: multiple,
  }
}

/** What stands for a value in the help, or for an operand: `FILE`, `[FILE|-]`, `bash|zsh|fish`. */
function completableText(text: string): Completable {
  const choices = text.replaceAll(/[[\]]/g, '').split('|')
  if (choices.length > 1 && choices.every((choice) => /^[a-z]+$/.test(choice))) {
    return { is: 'words', words: choices }
  }
  const known = knownWords[choices[0] ?? '']
  if (known !== undefined) return { is: 'words', words: known }
  if (/FILE|\.json|\.sse/.test(text)) return { is: 'files' }
  return { is: text.includes('DIR') ? 'folders' : 'unknown' }
}

/** The placeholders of the help for which there are words to choose from. */
const knownWords: Readonly<Record<string, readonly string[]>> = {
  F: formatIds,
  FORMAT: formatIds,
  DIALECT: dialectIds,
  LEVEL: ['debug', 'info', 'warn', 'error'],
}

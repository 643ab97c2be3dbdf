import { parseArgs } from 'node:util'
import { usageError } from '../terminal/cli-error.ts'
import type { Command, Option } from './command.ts'
import { didYouMean } from '../base/did-you-mean.ts'

/** The arguments after the name of a command. */
export interface CommandArguments {
  readonly operands: readonly string[]
  text(option: string): string | undefined
  texts(option: string): readonly string[]
  flag(option: string): boolean
}

export const commonOptions: Readonly<Record<string, Option>> = {
  help: { type: 'boolean', short: 'h', help: 'Show this help.' },
  version: { type: 'boolean', short: 'v', help: 'Print the version.' },
}

/** Reads the arguments by the command's table, and refuses options that it does not have. */
export function readArguments(command: Command, argv: readonly string[]): CommandArguments {
  const options = { ...command.options, ...commonOptions }
  const args = command.operandsEndOptions === true ? withOptionsEnded(argv, options) : argv
  const { tokens, positionals: operands } = splitArguments(args, options)

  const texts = new Map<string, string[]>()
  const flags = new Set<string>()
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (option === undefined) throw unknownOption(command, token.rawName, Object.keys(options))
    if (option.type === 'boolean') {
      if (token.value !== undefined) throw wrongUse(command, `${token.rawName} takes no value`)
      flags.add(token.name)
    } else {
      const value = readValue(command, token.rawName, option, token.value, token.inlineValue === true)
      texts.set(token.name, option.multiple === true ? [...(texts.get(token.name) ?? []), value] : [value])
    }
  }
  if (!flags.has('help') && !flags.has('version')) checkOperands(command, operands)
  return {
    operands,
    text: (option) => texts.get(option)?.at(-1),
    texts: (option) => texts.get(option) ?? [],
    flag: (option) => flags.has(option),
  }
}

function splitArguments(argv: readonly string[], options: Readonly<Record<string, Option>>) {
  return parseArgs({
    args: withOneVersion(argv),
    options: Object.fromEntries(
      Object.entries(options).map(([name, { type, short }]) => [
        name,
        { type, ...(short !== undefined && { short }) },
      ]),
    ),
    allowPositionals: true,
    // In strict mode the parser's messages would name neither the command nor the option that was meant.
    strict: false,
    tokens: true,
  })
}

/** The arguments with `--` in front of the first operand, where it does not stand there already. */
function withOptionsEnded(
  argv: readonly string[],
  options: Readonly<Record<string, Option>>,
): readonly string[] {
  const { tokens } = splitArguments(argv, options)
  const end = tokens.find(({ kind }) => kind !== 'option')
  return end?.kind === 'positional' ? [...argv.slice(0, end.index), '--', ...argv.slice(end.index)] : argv
}

/** Many programs print their version for `-V`, and this one does too. What stands behind `--` is no option. */
function withOneVersion(argv: readonly string[]): string[] {
  const end = argv.indexOf('--')
  return argv.map((arg, at) => (arg === '-V' && (end < 0 || at < end) ? '-v' : arg))
}

function readValue(
  command: Command,
  name: string,
  option: Option,
  value: string | undefined,
  isInline: boolean,
): string {
  if (value === undefined) throw wrongUse(command, `${name} needs a value`)
  if (!isInline && value.startsWith('-') && value !== '-') {
    throw wrongUse(command, `${name} needs a value; for one that starts with a dash write ${name}=${value}`)
  }
  if (option.oneOf !== undefined && !option.oneOf.includes(value)) {
    throw wrongUse(command, `${name} must be one of ${option.oneOf.join(', ')}, not "${value}"`)
  }
  return value
}

function checkOperands(command: Command, operands: readonly string[]): void {
  const { min, max } = command.operandCount
  if (operands.length < min) throw wrongUse(command, `${command.name} needs ${command.operands}`)
  if (operands.length > max) throw wrongUse(command, `one operand too many: "${operands[max]}"`)
}

function unknownOption(command: Command, given: string, known: readonly string[]): Error {
  const meant = didYouMean(given.replace(/^-+/, ''), known)
  const question = meant === undefined ? '' : ` Did you mean --${meant}?`
  return wrongUse(command, `unknown option ${given}.${question}`)
}

function wrongUse(command: Command, message: string): Error {
  return usageError(message, `See dragoman ${command.name} --help`)
}

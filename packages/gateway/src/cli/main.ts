import { DragomanError } from '@dragoman/core'
import { readArguments } from './arguments.ts'
import { CliError, usageError } from '../terminal/cli-error.ts'
import { commands } from './command-table.ts'
import type { Command } from './command.ts'
import { serve } from './commands/serve.ts'
import { didYouMean } from '../base/did-you-mean.ts'
import { commandHelp, programHelp } from './help.ts'
import { processIo, type Io } from '../terminal/io.ts'
import { BrokenPipe } from '../terminal/output.ts'
import { packageVersion } from './package-files.ts'

/** Runs the command line of this process and sets its exit code. */
export async function main(argv: readonly string[]): Promise<void> {
  process.exitCode = await runCommandLine(argv, processIo())
}

/**
 * Resolves to the exit code: 0 for success, 1 for a failure, 2 for wrong use, or that of a program which a command has
 * run.
 */
export async function runCommandLine(argv: readonly string[], io: Io): Promise<number> {
  try {
    return await run(argv, io)
  } catch (error) {
    return report(error, io)
  }
}

async function run(given: readonly string[], io: Io): Promise<number> {
  const [first, ...rest] = given
  switch (first) {
    case '-h':
    case '--help':
      return write(programHelp(commands, io.stdout), io)
    case '-v':
    case '-V':
    case '--version':
      return writeVersion(io)
    case 'help':
      return versionFlags.has(rest[0] ?? '') ? writeVersion(io) : write(helpFor(rest[0], io), io)
    default:
      // Options without a command are for the gateway.
      if (first === undefined || first.startsWith('-')) return runCommand(serve, given, io)
      return runCommand(commandNamed(first), rest, io)
  }
}

const versionFlags: ReadonlySet<string> = new Set(['-v', '-V', '--version'])

async function runCommand(command: Command, argv: readonly string[], io: Io): Promise<number> {
  const given = readArguments(command, argv)
  if (given.flag('help')) return write(commandHelp(command, io.stdout), io)
  return given.flag('version') ? writeVersion(io) : command.run(given, io)
}

function helpFor(name: string | undefined, io: Io): string {
  return name === undefined || name === 'help' || name === '-h' || name === '--help'
    ? programHelp(commands, io.stdout)
    : commandHelp(commandNamed(name), io.stdout)
}

function commandNamed(name: string): Command {
  const command = commands.find((known) => known.name === name)
  if (command !== undefined) return command
  const meant = didYouMean(name, [...commands.map((known) => known.name), 'help'])
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`unknown command "${name}".${question}`, 'See dragoman --help')
}

async function writeVersion(io: Io): Promise<0> {
  return write(`${await packageVersion()}\n`, io)
}

async function write(text: string, io: Io): Promise<0> {
  await io.stdout.write(text)
  return 0
}

async function report(error: unknown, io: Io): Promise<0 | 1 | 2> {
  if (error instanceof BrokenPipe) return 0
  const { stderr } = io
  const say = (message: string): Promise<void> =>
    stderr.line(`${stderr.style('red', 'dragoman:')} ${message}`)
  if (error instanceof CliError) {
    await say(error.message)
    if (error.hint !== undefined) await stderr.line(stderr.style('dim', error.hint))
    return error.exitCode
  }
  await say(error instanceof Error ? error.message : String(error))
  // A caller's mistake can only come from the command line here.
  return DragomanError.is(error) ? 2 : 1
}

import type { ConfigFlag, ConfigFlags } from '../config/overlays.ts'
import type { ConfigIssue } from '../config/origin.ts'
import type { CommandArguments } from './arguments.ts'
import type { Option } from './command.ts'

/** The options that concern the configuration. */
export const configOptions: Readonly<Record<ConfigFlag, Option>> = {
  config: { type: 'string', short: 'c', value: 'FILE', help: 'Read FILE instead of ./dragoman.yaml.' },
  port: { type: 'string', short: 'p', value: 'N', help: 'The port to listen on; 0 picks a free one.' },
  host: { type: 'string', value: 'H', help: 'The address to listen on. Default 127.0.0.1.' },
  upstream: {
    type: 'string',
    short: 'u',
    value: 'URL',
    help: 'Send every model to this OpenAI-compatible server.',
  },
  'upstream-key-env': { type: 'string', value: 'NAME', help: 'The variable that holds its key.' },
  model: { type: 'string', short: 'm', value: 'NAME', help: 'The model to ask it for.' },
  format: { type: 'string', short: 'f', value: 'F', help: 'How the model writes tool calls.' },
  record: { type: 'string', value: 'DIR', help: 'Record every exchange in this folder.' },
  'log-level': { type: 'string', value: 'LEVEL', help: 'debug, info, warn or error.' },
}

export function readConfigFlags(given: CommandArguments): ConfigFlags {
  const options: readonly string[] = Object.keys(configOptions)
  return Object.fromEntries(
    options.flatMap((option) => {
      const text = given.text(option)
      return text === undefined ? [] : [[option, text]]
    }),
  )
}

/**
 * The exit code for a configuration with these errors: 2 where the command line is wrong, 1 where what it refers to
 * is.
 */
export function exitCodeFor(errors: readonly ConfigIssue[]): 1 | 2 {
  return errors.some(({ origin }) => origin.from === 'flag' && !pointers.has(origin.name)) ? 2 : 1
}

/**
 * Options that refer to something else: a file, a variable, or an address that needs keys. An error in them is an
 * error in what they refer to.
 */
const pointers: ReadonlySet<string> = new Set<ConfigFlag>(['config', 'upstream-key-env', 'host'])

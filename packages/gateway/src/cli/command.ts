import type { CommandArguments } from './arguments.ts'
import type { Io } from '../terminal/io.ts'

/** One command as data. Its help, the reading of its arguments and its documentation are made from it. */
export interface Command {
  readonly name: string
  /** One line, for the list of commands. */
  readonly summary: string
  /** The operands as they stand after the options, such as `[FILE|-]`. */
  readonly operands: string
  /** How many operands it takes. */
  readonly operandCount: { readonly min: number; readonly max: number }
  /** Whether the first operand ends the options: what follows it is for another program. */
  readonly operandsEndOptions?: boolean
  readonly description: readonly string[]
  readonly options: Readonly<Record<string, Option>>
  readonly examples: readonly Example[]
  /** Resolves to the exit code. */
  readonly run: (given: CommandArguments, io: Io) => Promise<number>
}

export interface Option {
  readonly type: 'string' | 'boolean'
  readonly short?: string
  readonly multiple?: boolean
  /** The placeholder for the value in the help. */
  readonly value?: string
  /** The values that are allowed, where they are few. */
  readonly oneOf?: readonly string[]
  readonly help: string
}

export interface Example {
  /** The arguments after `dragoman`. */
  readonly command: string
  readonly does: string
}

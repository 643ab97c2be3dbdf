import type { Tool } from '@dragoman/core'
import type { WorkFolder } from './work-folder.ts'

/** A tool that the chat offers to the model. */
export interface ChatTool {
  readonly definition: Tool
  /** What the user is shown and has to allow first. A tool that changes nothing has none. */
  readonly permission?: {
    readonly to: 'write' | 'run'
    describe(given: ToolArguments, world: ToolWorld): Promise<string>
    /** Whether the user is asked even where such calls are allowed beforehand. */
    isGrave?(given: ToolArguments, world: ToolWorld): Promise<boolean>
  }
  /** Resolves to the result for the model. Throws `ToolError` for a mistake that the model can correct. */
  run(given: ToolArguments, world: ToolWorld): Promise<string>
}

export type ToolArguments = Readonly<Record<string, unknown>>

/** Everything that a tool may use. */
export interface ToolWorld {
  readonly folder: WorkFolder
  readonly env: NodeJS.ProcessEnv
  /** Is aborted when the user stops the answer. */
  readonly signal: AbortSignal
}

/** A failure whose message is written for the model. */
export class ToolError extends Error {}

export function textArgument(given: ToolArguments, name: string): string {
  const value = given[name]
  if (typeof value === 'string' && value !== '') return value
  throw new ToolError(`"${name}" is needed and must be a text that is not empty.`)
}

export function wholeArgument(given: ToolArguments, name: string, otherwise: number): number {
  const value = given[name] ?? otherwise
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value
  throw new ToolError(`"${name}" must be a whole number above 0.`)
}

/** Describes for the model why a file operation failed. */
export function fileError(path: string, error: unknown): ToolError {
  if (error instanceof ToolError) return error
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return new ToolError(`${path}: ${reasons.get(code) ?? (code === '' ? String(error) : code)}.`)
}

const reasons: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file or folder'],
  ['ENOTDIR', 'a part of the path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ELOOP', 'it is a link that leads back to itself'],
  ['ENAMETOOLONG', 'the name is too long'],
  ['ERR_INVALID_ARG_VALUE', 'this is no path'],
])

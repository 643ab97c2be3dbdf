import type { Tool } from '@dragoman/core'
import type { WorkFolder } from './work-folder.ts'

/** A tool that the chat offers to the model. */
export interface ChatTool {
  readonly definition: Tool
  /** What the user has to allow first, and is shown. Absent: the tool changes nothing. */
  readonly permission?: {
    readonly to: 'write' | 'run'
    describe(given: ToolArguments, world: ToolWorld): Promise<string>
  }
  /** Resolves to what the model is told. Throws `ToolError` for what the model can do better. */
  run(given: ToolArguments, world: ToolWorld): Promise<string>
}

export type ToolArguments = Readonly<Record<string, unknown>>

/** All that a tool may touch. */
export interface ToolWorld {
  readonly folder: WorkFolder
  readonly env: NodeJS.ProcessEnv
  /** Aborted when the user stops the answer. */
  readonly signal: AbortSignal
}

/** A failure that the model is told about, in words that help it. */
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

/** Why something with files did not work, for the model. */
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

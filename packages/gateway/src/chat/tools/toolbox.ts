import type { Tool, ToolCallBlock } from '@dragoman/core'
import type { Permission } from '../permission.ts'
import { listFiles } from './list-files.ts'
import { readFileTool } from './read-file.ts'
import { runCommand } from './run-command.ts'
import { searchText } from './search-text.ts'
import { ToolError, type ChatTool, type ToolArguments, type ToolWorld } from './tool.ts'
import { writeFileTool } from './write-file.ts'

export const tools: readonly ChatTool[] = [readFileTool, listFiles, searchText, writeFileTool, runCommand]

export const toolDefinitions: readonly Tool[] = tools.map(({ definition }) => definition)

export interface ToolOutcome {
  readonly result: string
  readonly isError: boolean
}

export interface RunOptions {
  readonly permission: Permission
  readonly world: ToolWorld
  /** Is called when the tool was allowed and starts to run. */
  readonly onStart: () => void
}

/** Carries out a call. An error in it becomes a result, so that the model can correct it. */
export async function runTool(call: ToolCallBlock, options: RunOptions): Promise<ToolOutcome> {
  const { world } = options
  try {
    return { result: await run(call, options), isError: false }
  } catch (error) {
    if (error instanceof ToolError) return { result: error.message, isError: true }
    if (world.signal.aborted) return { result: 'The user stopped this call.', isError: true }
    throw error
  }
}

async function run(call: ToolCallBlock, { permission, world, onStart }: RunOptions): Promise<string> {
  world.signal.throwIfAborted()
  const tool = tools.find(({ definition }) => definition.name === call.name)
  if (tool === undefined) {
    const names = toolDefinitions.map(({ name }) => name).join(', ')
    throw new ToolError(`There is no tool "${call.name}". There are: ${names}.`)
  }
  const given = argumentsOf(call.parameters)
  if (tool.permission !== undefined) {
    const { to } = tool.permission
    const isGrave = (await tool.permission.isGrave?.(given, world)) ?? false
    const answer = await permission.ask(to, await tool.permission.describe(given, world), isGrave)
    world.signal.throwIfAborted()
    if (answer !== 'allowed') throw new ToolError(refusals[answer])
  }
  onStart()
  return tool.run(given, world)
}

const refusals = {
  refused: 'The user did not allow this.',
  unasked: 'This needs the permission of the user, who cannot be asked here.',
} as const

function argumentsOf(parameters: unknown): ToolArguments {
  if (typeof parameters === 'object' && parameters !== null && !Array.isArray(parameters)) {
    return Object.fromEntries(Object.entries(parameters))
  }
  throw new ToolError('The arguments must be a JSON object.')
}

import type { ToolDefinition } from '@dragoman/core'
import { failure } from '../terminal/cli-error.ts'
import { openInput, readText } from './input.ts'
import type { Io } from '../terminal/io.ts'
import { isObject } from '../base/is-object.ts'

/** Reads tool definitions as a request has them: an array, or an object with the array under `tools`. */
export async function readToolsFile(
  path: string | undefined,
  io: Io,
): Promise<readonly ToolDefinition[] | undefined> {
  if (path === undefined) return undefined
  const value = parseJson(path, await readText(await openInput(path, io)))
  const tools = isObject(value) ? value['tools'] : value
  if (areTools(tools)) return tools
  throw failure(
    `${path} holds no tool definitions: it must be a JSON array of objects, or an object with such an array as "tools"`,
  )
}

export function areTools(value: unknown): value is readonly ToolDefinition[] {
  return Array.isArray(value) && value.every(isObject)
}

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw failure(`${path} is not JSON: ${error instanceof Error ? error.message : String(error)}`, error)
  }
}

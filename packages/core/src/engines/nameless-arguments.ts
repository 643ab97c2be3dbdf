import type { RepairCode } from '../problems.ts'
import type { ArgumentsOutput } from './arguments-reader.ts'
import { isRecord, type ToolSet } from './tool-set.ts'

export interface NamedArguments {
  readonly name: string
  readonly json: string
}

/**
 * Arguments of a call whose tool is not known yet. They are kept until the name is, or until they
 * themselves tell which tool was meant.
 */
export class NamelessArguments implements ArgumentsOutput {
  json = ''
  readonly repairs: RepairCode[] = []

  delta(json: string): void {
    this.json += json
  }

  // The source of a call without a name is held as a whole; nothing has to be counted here.
  holdBack(): void {}

  release(): string {
    return ''
  }

  isOver(): boolean {
    return false
  }

  repair(code: RepairCode): void {
    this.repairs.push(code)
  }

  /** The tool's name from `"name"` in the arguments, else the one declared tool that they fit. */
  resolve(tools: ToolSet): NamedArguments | undefined {
    const parsed = parse(this.json)
    if (parsed === undefined) return undefined
    const name = parsed['name']
    if (typeof name === 'string' && (tools.has(name) || (!tools.isKnown && hasInner(parsed)))) {
      return { name, json: innerArguments(parsed, name, tools) ?? this.json }
    }
    const fitting = [...tools.names()].filter((tool) => fits(parsed, tool, tools))
    const [only] = fitting
    return fitting.length === 1 && only !== undefined ? { name: only, json: this.json } : undefined
  }
}

function parse(json: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(json)
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}

function hasInner(parsed: Record<string, unknown>): boolean {
  return isRecord(parsed['arguments']) || isRecord(parsed['parameters'])
}

/** `{"name": …, "arguments": {…}}` or `{"name": …, "city": …}`; a tool may have a parameter `name` of its own. */
function innerArguments(parsed: Record<string, unknown>, name: string, tools: ToolSet): string | undefined {
  const inner = parsed['arguments'] ?? parsed['parameters']
  if (isRecord(inner)) return JSON.stringify(inner)
  if (Object.hasOwn(tools.properties(name) ?? {}, 'name')) return undefined
  return JSON.stringify(Object.fromEntries(Object.entries(parsed).filter(([key]) => key !== 'name')))
}

function fits(parsed: Record<string, unknown>, tool: string, tools: ToolSet): boolean {
  const properties = tools.properties(tool) ?? {}
  const keys = Object.keys(parsed)
  return (
    keys.every((key) => Object.hasOwn(properties, key)) &&
    tools.required(tool).every((key) => Object.hasOwn(parsed, key)) &&
    (keys.length > 0 || Object.keys(properties).length === 0)
  )
}

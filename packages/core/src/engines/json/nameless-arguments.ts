import type { RepairCode } from '../../problems.ts'
import { JsonScanner } from '../../text/json-scanner.ts'
import { skipSpace } from '../../text/space.ts'
import type { ToolSet } from '../tool-set.ts'
import type { ArgumentsOutput } from './arguments-reader.ts'

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

  /** What is sent on where the model wrote no arguments. */
  static none(): NamelessArguments {
    const none = new NamelessArguments()
    none.delta('{}')
    none.repair('empty-arguments')
    return none
  }

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

  /** Whether they are arguments that the tool takes: a tool's own definition, quoted, is not. */
  fits(tool: string, tools: ToolSet): boolean {
    const members = membersOf(this.json)
    const properties = tools.properties(tool) ?? {}
    return members !== undefined && [...members.keys()].every((key) => Object.hasOwn(properties, key))
  }

  /** Whether the tool may have been called with them: models invent arguments, but its definition is no call of it. */
  mayBeFor(tool: string, tools: ToolSet): boolean {
    const members = membersOf(this.json)
    if (members === undefined) return false
    const properties = tools.properties(tool) ?? {}
    const isOwn = (key: string): boolean => Object.hasOwn(properties, key)
    const isDefinition =
      members.get('type') === '"object"' || members.has('properties') || members.has('$schema')
    return !isDefinition || [...members.keys()].every(isOwn)
  }

  /** The tool's name from `"name"` in the arguments, else the one declared tool that they fit. */
  resolve(tools: ToolSet): NamedArguments | undefined {
    const members = membersOf(this.json)
    if (members === undefined) return undefined
    const name = textOf(members.get('name'))
    const inner = members.get('arguments') ?? members.get('parameters')
    const isInner = inner?.startsWith('{') === true
    if (name !== undefined && (tools.has(name) || (!tools.isKnown && isInner))) {
      return { name, json: isInner ? inner : this.withoutName(members, name, tools) }
    }
    const fitting = [...tools.names()].filter((tool) => this.fitsAll(members, tool, tools))
    const [only] = fitting
    return fitting.length === 1 && only !== undefined ? { name: only, json: this.json } : undefined
  }

  /** `{"name": …, "city": …}`; a tool may have a parameter `name` of its own. */
  private withoutName(members: ReadonlyMap<string, string>, tool: string, tools: ToolSet): string {
    if (Object.hasOwn(tools.properties(tool) ?? {}, 'name')) return this.json
    const kept = [...members].filter(([key]) => key !== 'name')
    return `{${kept.map(([key, json]) => `${JSON.stringify(key)}:${json}`).join(',')}}`
  }

  private fitsAll(members: ReadonlyMap<string, string>, tool: string, tools: ToolSet): boolean {
    const takesNone = Object.keys(tools.properties(tool) ?? {}).length === 0
    return (
      this.fits(tool, tools) &&
      tools.required(tool).every((key) => members.has(key)) &&
      (members.size > 0 || takesNone)
    )
  }
}

/** The members of an object, each value as it is written: read and written again, a long number would change. */
function membersOf(json: string): Map<string, string> | undefined {
  const members = new Map<string, string>()
  if (!json.startsWith('{')) return undefined
  let at = skipSpace(json, 1)
  while (at < json.length && json.charAt(at) !== '}') {
    if (json.charAt(at) === ',') at = skipSpace(json, at + 1)
    const keyEnd = new JsonScanner().scan(json, at)
    const key = textOf(json.slice(at, keyEnd))
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1)
    const end = new JsonScanner().scan(json, start)
    if (key === undefined || end <= start) return undefined
    members.set(key, json.slice(start, end))
    at = skipSpace(json, end)
  }
  return members
}

function textOf(json: string | undefined): string | undefined {
  if (json === undefined || !json.startsWith('"')) return undefined
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

import { JsonWriter } from '../../text/json-writer.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { PythonLiteral } from '../../text/python-literal.ts'
import type { NamesAhead } from '../../text/python-quote.ts'
import { skipSpace } from '../../text/space.ts'
import type { EngineContext } from '../engine.ts'

/** Longer texts in front of an equals sign are no names. */
const LONGEST_KEY = 128

/** Turns the arguments of one call, which arrive as Python, into one JSON object. */
export class PythonicArguments {
  private readonly context: EngineContext
  private readonly tool: string
  private readonly ends: MarkerSearch<unknown>
  private readonly names: NamesAhead
  private readonly json = new JsonWriter()
  private readonly keys = new Set<string>()
  private positional = 0

  /** `isCall`: whether a tool of this name may be called. */
  constructor(
    context: EngineContext,
    tool: string,
    ends: MarkerSearch<unknown>,
    isCall: (name: string) => boolean,
  ) {
    this.context = context
    this.tool = tool
    this.ends = ends
    const properties = context.tools.properties(tool)
    const isKey = (name: string): boolean => properties === undefined || Object.hasOwn(properties, name)
    this.names = { isKey, isCall }
  }

  /** Begins the argument at hand: `key=…`, `**{…}` or a value alone. Returns what reads its value. */
  begin(): PythonLiteral | 'more' | 'bad' {
    const { input } = this.context
    const { text, final } = input
    if (text.startsWith('*', input.at)) return this.beginMembers()
    const key = readKey(text, input.at)
    if (key === 'more' && !final) return 'more'
    if (typeof key === 'object') {
      input.at = key.end
      return this.literal(key.name)
    }
    const name = this.positionalKey()
    const takesObject = name !== undefined && this.context.tools.types(this.tool, name).has('object')
    // All arguments in one dictionary, as the other formats have them.
    if (text.charAt(input.at) === '{' && this.keys.size === 0 && !takesObject) return this.members()
    if (name === undefined) return 'bad'
    this.positional++
    return this.literal(name)
  }

  finish(): void {
    this.context.writer.delta(this.json.end())
  }

  private beginMembers(): PythonLiteral | 'more' | 'bad' {
    const { input } = this.context
    if (input.at + 1 === input.text.length && !input.final) return 'more'
    if (!input.text.startsWith('**', input.at)) return 'bad'
    input.at += 2
    return this.members()
  }

  private members(): PythonLiteral {
    const { writer } = this.context
    return new PythonLiteral(writer, {
      ends: this.ends,
      names: this.names,
      members: { key: (name) => this.key(name) },
    })
  }

  private literal(key: string): PythonLiteral {
    const { writer } = this.context
    writer.delta(this.key(key))
    return new PythonLiteral(writer, { ends: this.ends, names: this.names })
  }

  private key(name: string): string {
    if (this.keys.has(name)) {
      const message = `The parameter "${name}" was written twice.`
      this.context.writer.problem('duplicate-parameter', message, name)
    }
    this.keys.add(name)
    return this.json.key(name)
  }

  /** The parameter that a value without a name is meant for: the tool's definition lists them in order. */
  private positionalKey(): string | undefined {
    return Object.keys(this.context.tools.properties(this.tool) ?? {})[this.positional]
  }
}

/** Reads `key=`. Whatever stands before the sign is the key: `from` and `max-results` are names too. */
function readKey(text: string, from: number): { name: string; end: number } | 'more' | 'none' {
  let end = from
  while (end < text.length && end - from <= LONGEST_KEY && !/["'()[\]{},=:\n]/.test(text.charAt(end))) end++
  if (end - from > LONGEST_KEY) return 'none'
  if (end === text.length) return 'more'
  const sign = text.charAt(end)
  const name = text.slice(from, skipBack(text, from, end))
  if ((sign !== '=' && sign !== ':') || name === '') return 'none'
  return { name, end: skipSpace(text, end + 1) }
}

function skipBack(text: string, from: number, end: number): number {
  while (end > from && /\s/.test(text.charAt(end - 1))) end--
  return end
}

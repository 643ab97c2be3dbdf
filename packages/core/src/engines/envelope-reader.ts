import { problemCodes } from '../problems.ts'
import { JsonRepair } from '../text/json-repair.ts'
import { JsonScanner } from '../text/json-scanner.ts'
import { type MarkerSearch, NONE, PARTIAL } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import type { EngineContext } from './engine.ts'
import { NamelessArguments } from './nameless-arguments.ts'

/** Which keys of the object around a call hold what. */
export interface EnvelopeShape {
  readonly nameKeys: readonly string[]
  readonly argumentKeys: readonly string[]
  readonly idKeys: readonly string[]
  /**
   * Without markers around it an object is a call only if a declared tool is named, the arguments
   * are ones it takes, and there is nothing else.
   */
  readonly isStrict?: boolean
}

export const usualEnvelope: EnvelopeShape = {
  nameKeys: ['name', 'tool_name'],
  argumentKeys: ['arguments', 'parameters', 'args', 'input'],
  idKeys: ['id'],
}

type State =
  | { at: 'open' }
  | { at: 'key' }
  | { at: 'key-text'; value: JsonRepair }
  | { at: 'colon'; key: string }
  | { at: 'value'; key: string }
  | { at: 'other-value'; key: string; value: JsonRepair }
  | { at: 'arguments'; reader: ArgumentsReader; early: NamelessArguments | undefined }
  | { at: 'after-value' }
  | { at: 'done' }
  | { at: 'broken' }

/**
 * Reads one call written as an object, `{"name": …, "arguments": {…}}`. The keys may come in any
 * order: arguments that come before the name wait for it, others are sent on as they come.
 */
export class EnvelopeReader {
  /** The arguments are whole, whatever may be missing around them. */
  hasArguments = false
  private state: State = { at: 'open' }
  private depth = 0
  private id: string | null = null
  private name: string | null = null
  private early: NamelessArguments | undefined
  /** Fields of no known meaning, while they may still turn out to be the arguments. */
  private foreign: { key: string; json: string }[] = []
  private hasComma = false
  private readonly context: EngineContext
  private readonly shape: EnvelopeShape
  private readonly endMarkers: MarkerSearch<unknown>

  constructor(context: EngineContext, shape: EnvelopeShape, endMarkers: MarkerSearch<unknown>) {
    this.context = context
    this.shape = shape
    this.endMarkers = endMarkers
  }

  /** Reads on. At `done` the call is started and its arguments are out; it is not ended yet. */
  read(): 'more' | 'done' | 'broken' {
    for (;;) {
      const { state } = this
      if (state.at === 'done' || state.at === 'broken') return state.at
      const next = this.step(state)
      if (next === 'more') return 'more'
      this.state = next
    }
  }

  private step(state: State): State | 'more' {
    const { input } = this.context
    switch (state.at) {
      case 'key-text':
      case 'other-value':
        return this.readValue(state)
      case 'arguments':
        return this.readArguments(state.reader, state.early)
      case 'done':
      case 'broken':
        return state
      default:
    }
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    switch (state.at) {
      case 'open':
        if (char !== '{') return { at: 'broken' }
        input.at++
        return { at: 'key' }
      case 'key':
        if (char !== '"' && char !== "'") return this.afterValue(char)
        this.hasComma = false
        if (this.context.writer.isSeen) this.context.writer.holdBack()
        return { at: 'key-text', value: freshValue() }
      case 'colon':
        if (char !== ':') return { at: 'broken' }
        input.at++
        return { at: 'value', key: state.key }
      case 'value':
        return this.beginValue(state.key, char)
      case 'after-value':
        return this.afterValue(char)
    }
  }

  private readValue(state: Extract<State, { value: JsonRepair }>): State | 'more' {
    const { input } = this.context
    input.at = state.value.read(input.text, input.at)
    if (state.value.status === 'open') return 'more'
    if (state.value.status === 'stuck') return { at: 'broken' }
    const json = state.value.take()
    const value: unknown = JSON.parse(json)
    if (state.at === 'key-text') return { at: 'colon', key: String(value) }
    return this.keep(state.key, value, json)
  }

  private keep(key: string, value: unknown, json: string): State {
    if (this.context.writer.isOver()) return { at: 'broken' }
    this.context.writer.release()
    if (this.shape.nameKeys.includes(key) || (key === 'function' && typeof value === 'string')) {
      if (typeof value !== 'string' || value === '') return { at: 'broken' }
      if (this.name === null) return this.setName(value)
      this.reportExtra(key, json)
    } else if (
      this.shape.idKeys.includes(key) &&
      typeof value === 'string' &&
      !this.context.writer.isStarted
    ) {
      this.id = value
    } else if (key !== 'type') {
      if (this.context.writer.isStarted) this.reportExtra(key, json)
      else this.foreign.push({ key, json })
    }
    return { at: 'after-value' }
  }

  private setName(name: string): State {
    this.name = name
    if (this.shape.isStrict === true) {
      return this.context.tools.has(name) ? { at: 'after-value' } : { at: 'broken' }
    }
    if (this.early !== undefined) this.startWith(name, this.early)
    return { at: 'after-value' }
  }

  private startWith(name: string, { json, repairs }: NamelessArguments): void {
    this.start(name)
    this.context.writer.delta(json)
    for (const code of repairs) this.context.writer.repair(code)
  }

  private beginValue(key: string, char: string): State {
    if (this.shape.argumentKeys.includes(key) && !this.hasArguments) {
      if (this.name === null || this.shape.isStrict === true) {
        const early = new NamelessArguments()
        return { at: 'arguments', reader: new ArgumentsReader(early, this.endMarkers), early }
      }
      this.start(this.name)
      const reader = new ArgumentsReader(this.context.writer, this.endMarkers)
      return { at: 'arguments', reader, early: undefined }
    }
    if (key === 'function' && char === '{') {
      this.context.input.at++
      this.depth++
      return { at: 'key' }
    }
    if (this.shape.isStrict === true && !this.isExpected(key)) return { at: 'broken' }
    return { at: 'other-value', key, value: freshValue() }
  }

  private isExpected(key: string): boolean {
    const { nameKeys, idKeys } = this.shape
    return nameKeys.includes(key) || idKeys.includes(key) || key === 'type' || key === 'function'
  }

  private readArguments(reader: ArgumentsReader, early: NamelessArguments | undefined): State | 'more' {
    const result = reader.read(this.context.input)
    if (result === 'more') return 'more'
    if (result === 'broken') return { at: 'broken' }
    this.hasArguments = true
    this.early = early
    reader.reportTo(this.context.writer)
    return { at: 'after-value' }
  }

  private afterValue(char: string): State | 'more' {
    const { input } = this.context
    if (char === ',' && !this.hasComma) {
      this.hasComma = true
      input.at++
      return { at: 'key' }
    }
    if (char === '}') {
      input.at++
      if (this.hasComma) this.context.writer.repair('trailing-comma')
      this.hasComma = false
      if (this.depth === 0) return this.close()
      this.depth--
      return { at: 'after-value' }
    }
    const end = this.endMarkers.match(input.text, input.at, input.final)
    if (end === PARTIAL) return 'more'
    if (end === NONE) return { at: 'broken' }
    if (this.name !== null) {
      this.context.writer.repair('missing-closer')
    }
    return this.close()
  }

  private close(): State {
    if (this.name === null) return { at: 'broken' }
    if (this.shape.isStrict === true) return this.closeStrictly(this.name)
    if (!this.hasArguments && !this.closeWithout(this.name)) return { at: 'broken' }
    return { at: 'done' }
  }

  private closeStrictly(name: string): State {
    if (this.early === undefined || !this.early.fits(name, this.context.tools)) return { at: 'broken' }
    this.startWith(name, this.early)
    return { at: 'done' }
  }

  /** There is no field for arguments. Some write them beside the name; to run without any would be wrong then. */
  private closeWithout(name: string): boolean {
    const { tools, writer } = this.context
    const properties = tools.properties(name) ?? {}
    const fields = this.foreign
    if (!fields.every(({ key }) => Object.hasOwn(properties, key))) return false
    this.foreign = []
    this.hasArguments = true
    this.start(name)
    writer.delta(`{${fields.map(({ key, json }) => `${JSON.stringify(key)}:${json}`).join(',')}}`)
    writer.repair(fields.length === 0 ? 'empty-arguments' : 'unwrapped-arguments')
    return true
  }

  private start(name: string): void {
    this.context.writer.start(this.id, name)
    for (const { key, json } of this.foreign) this.reportExtra(key, json)
    this.foreign = []
  }

  private reportExtra(key: string, json: string): void {
    const source = `${JSON.stringify(key)}:${json}`
    this.context.writer.problem('extra-field', problemCodes['extra-field'], source)
  }
}

/** Reads a single value from its first character on, forgiving what can be forgiven. */
function freshValue(): JsonRepair {
  return new JsonRepair(new JsonScanner(), '')
}

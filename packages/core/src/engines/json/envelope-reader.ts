import { problemCodes } from '../../problems.ts'
import { JsonRepair } from '../../text/json-repair.ts'
import { JsonScanner } from '../../text/json-scanner.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import type { CallWriter } from '../call-writer.ts'
import type { EngineContext } from '../engine.ts'
import type { ToolSet } from '../tool-set.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import { type EnvelopeShape, isEnvelopeKey, wrapperKeys } from './grammar.ts'
import { NamelessArguments } from './nameless-arguments.ts'
import { passWrittenBreak } from './written-break.ts'
import { expectingPython } from './python-arguments.ts'

type State =
  | { at: 'open' }
  | { at: 'key' }
  | { at: 'key-text'; value: JsonRepair; from: number }
  | { at: 'colon'; key: string; from: number }
  | { at: 'value'; key: string; from: number }
  | { at: 'other-value'; key: string; value: JsonRepair; from: number }
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
  /** It names no tool, and says so. */
  isNoCall = false
  private state: State = { at: 'open' }
  private depth = 0
  private id: string | null = null
  private name: string | null = null
  private early: NamelessArguments | undefined
  /** There is a field for arguments with nothing in it; another may hold them. */
  private hasNull = false
  private readonly foreign = new ForeignFields()
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

  /** Starts a call that waits for nothing but its id, since no id will come. */
  startWithoutId(): void {
    if (this.name !== null && this.early !== undefined && this.shape.isStrict !== true) {
      this.startWith(this.name, this.early)
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
    const written = passWrittenBreak(this.context)
    if (written !== 'none') return written === 'more' ? 'more' : state
    const char = input.text.charAt(input.at)
    switch (state.at) {
      case 'open':
        if (char !== '{') return { at: 'broken' }
        input.at++
        return { at: 'key' }
      case 'key':
        if (char !== '"' && char !== "'") return this.afterValue(char)
        this.hasComma = false
        if (this.context.writer.isStarted || this.early !== undefined) this.context.writer.holdBack()
        return { at: 'key-text', value: freshValue(), from: input.position }
      case 'colon':
        if (char !== ':') return { at: 'broken' }
        input.at++
        return { at: 'value', key: state.key, from: state.from }
      case 'value':
        return this.beginValue(state, char)
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
    if (state.at === 'key-text') return { at: 'colon', key: String(value), from: state.from }
    const isName = this.name === null
    const next = this.keep(state.key, value, json)
    if (isName && this.name !== null) input.observer?.became('name', state.from + 1, input.position - 1)
    return next
  }

  private keep(key: string, value: unknown, json: string): State {
    if (this.context.writer.isOver()) return { at: 'broken' }
    this.context.writer.release()
    if (this.shape.nameKeys.includes(key) || this.isNameIn(key, value)) {
      if (typeof value !== 'string' || value === '') return { at: 'broken' }
      if (this.name === null) return this.setName(value)
      this.addForeign(key, json)
    } else if (
      this.shape.idKeys.includes(key) &&
      (typeof value === 'string' || typeof value === 'number') &&
      !this.context.writer.isStarted
    ) {
      this.id = typeof value === 'string' ? value : json
      this.startIfKnown()
    } else if (this.shape.argumentKeys.includes(key) && value === null) {
      this.hasNull = true
    } else if (key !== 'type' || typeof value !== 'string' || !/^[a-z_]+$/.test(value)) {
      this.addForeign(key, json)
    }
    return { at: 'after-value' }
  }

  /** Some write the name alone where an object with the name should stand. In plain JSON, data has such fields too. */
  private isNameIn(key: string, value: unknown): boolean {
    if (typeof value !== 'string' || !wrapperKeys.includes(key)) return false
    const { addressee, tools } = this.context
    const isMarked = this.shape.isStrict !== true && addressee === undefined
    return key === 'function' || (isMarked && tools.has(value))
  }

  private addForeign(key: string, json: string): void {
    this.foreign.add(key, json)
    if (this.context.writer.isStarted) this.foreign.report(this.context.writer)
  }

  private setName(name: string): State {
    this.name = name
    if (this.shape.isStrict === true) {
      return this.context.tools.has(name) ? { at: 'after-value' } : { at: 'broken' }
    }
    this.startIfKnown()
    return { at: 'after-value' }
  }

  /** Starts the call whose arguments were read before its name, or before its id. */
  private startIfKnown(): void {
    if (this.shape.isIdLast !== true || this.id !== null) this.startWithoutId()
  }

  private startWith(name: string, { json, repairs }: NamelessArguments): void {
    this.early = undefined
    this.start(name)
    this.context.writer.delta(json)
    for (const code of repairs) this.context.writer.repair(code)
  }

  private beginValue({ key, from }: Extract<State, { at: 'value' }>, char: string): State {
    const { observer, position } = this.context.input
    if (this.isTool(key, char)) {
      observer?.became('name', from + 1, from + 1 + key.length)
      if (this.setName(key).at === 'broken') return { at: 'broken' }
      return this.beginArguments()
    }
    const isNull = char === 'n' || char === 'N'
    if (this.shape.argumentKeys.includes(key) && !this.hasArguments && !isNull) return this.beginArguments()
    if (wrapperKeys.includes(key) && char === '{') {
      this.context.input.at++
      this.depth++
      return { at: 'key' }
    }
    if (this.shape.isStrict === true && !isEnvelopeKey(this.shape, key)) return { at: 'broken' }
    return { at: 'other-value', key, value: freshValue(), from: position }
  }

  /** Whether the key is the name of a tool, and not a field of an ordinary envelope. */
  private isTool(key: string, char: string): boolean {
    if (this.shape.isNameKey !== true || this.name !== null || this.depth > 0) return false
    return this.context.tools.has(key) || (char === '{' && !isEnvelopeKey(this.shape, key))
  }

  private beginArguments(): State {
    const { isStrict, isIdLast, indent } = this.shape
    if (this.name === null || isStrict === true || (isIdLast === true && this.id === null)) {
      const early = new NamelessArguments()
      return {
        at: 'arguments',
        reader: new ArgumentsReader(early, this.endMarkers, indent, false),
        early,
      }
    }
    this.start(this.name)
    const { writer } = this.context
    const output = this.shape.isPython === true ? expectingPython(writer) : writer
    const reader = new ArgumentsReader(output, this.endMarkers, indent, false)
    return { at: 'arguments', reader, early: undefined }
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
    if (this.name === null) this.nameAddressee()
    if (this.name === null) return { at: 'broken' }
    if (this.shape.isStrict === true) return this.closeStrictly(this.name)
    if (!this.hasArguments && !this.closeWithout(this.name)) return { at: 'broken' }
    this.startWithoutId()
    return { at: 'done' }
  }

  /** The tool stands in front of the object: that holds the arguments, or is them. */
  private nameAddressee(): void {
    const { addressee, tools, writer } = this.context
    if (addressee === undefined || !(this.hasArguments || this.foreign.fit(addressee, tools))) return
    this.name = addressee
    writer.repair('resolved-name')
  }

  private closeStrictly(name: string): State {
    const early = this.early ?? (this.hasNull ? NamelessArguments.none() : undefined)
    if (early === undefined || !early.mayBeFor(name, this.context.tools)) return { at: 'broken' }
    this.startWith(name, early)
    return { at: 'done' }
  }

  /** There are no arguments where they belong. Some write them beside the name; to run without any would be wrong then. */
  private closeWithout(name: string): boolean {
    const { tools, writer } = this.context
    const areArguments = this.foreign.fit(name, tools)
    if (!areArguments && !this.hasNull) return false
    const json = areArguments ? this.foreign.takeAsObject() : '{}'
    this.hasArguments = true
    this.start(name)
    writer.delta(json)
    writer.repair(json === '{}' ? 'empty-arguments' : 'unwrapped-arguments')
    return true
  }

  private start(name: string): void {
    const { noTools = [] } = this.shape
    this.isNoCall = noTools.includes(name) && !this.context.tools.has(name)
    if (this.isNoCall) return
    this.context.writer.start(this.id, name)
    this.foreign.report(this.context.writer)
  }
}

/** Reads a single value from its first character on, forgiving what can be forgiven. */
function freshValue(): JsonRepair {
  return new JsonRepair(new JsonScanner(), '')
}

/** Fields of the object around a call that have no known meaning. They may still turn out to be the arguments. */
class ForeignFields {
  private fields: { readonly key: string; readonly json: string }[] = []

  add(key: string, json: string): void {
    this.fields.push({ key, json })
  }

  /** Whether each of them is a parameter of the tool. */
  fit(tool: string, tools: ToolSet): boolean {
    const properties = tools.properties(tool) ?? {}
    return this.fields.every(({ key }) => Object.hasOwn(properties, key))
  }

  /** All of them as one object. Nothing is left to report then. */
  takeAsObject(): string {
    const members = this.fields.map(({ key, json }) => `${JSON.stringify(key)}:${json}`)
    this.fields = []
    return `{${members.join(',')}}`
  }

  /** The fields mean nothing to us. They are reported, since nothing is dropped in silence. */
  report(writer: CallWriter): void {
    for (const { key, json } of this.fields) {
      writer.problem('extra-field', problemCodes['extra-field'], `${JSON.stringify(key)}:${json}`)
    }
    this.fields = []
  }
}

import { repairCodes } from '../problems.ts'
import { type Marker, MarkerSearch, NONE, PARTIAL, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import { type CallHeader, type HeaderShape, readHeader } from './call-header.ts'
import type { EndReason, Engine, EngineContext, Probe } from './engine.ts'
import { EnvelopeReader, usualEnvelope } from './envelope-reader.ts'
import { NamelessArguments } from './nameless-arguments.ts'

/** `begin` header `separator` JSON `end`, in an optional section. */
export interface NameThenArgsGrammar {
  readonly engine: 'name-then-args'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  readonly callBegin: readonly Marker[]
  readonly separator: readonly Marker[]
  readonly callEnd: readonly Marker[]
  readonly header: HeaderShape
  /** A header of exactly this word: the name is on the line behind the separator instead. */
  readonly typeWord?: string
}

type Role = 'section-begin' | 'section-end' | 'call-begin' | 'separator' | 'call-end'

type State =
  | { at: 'section' }
  /** `scanned` characters of the header hold no marker. */
  | { at: 'header'; scanned: number }
  | { at: 'name-line'; scanned: number }
  | { at: 'fence' }
  | { at: 'arguments'; reader: ArgumentsReader }
  | { at: 'nameless'; reader: ArgumentsReader; buffer: NamelessArguments; id: string | null }
  | { at: 'envelope'; reader: EnvelopeReader }
  | { at: 'broken' }
  | { at: 'closing' }
  | { at: 'between' }

type Next = State | 'more' | 'done'

/** A header longer than this is none. */
const LONGEST_HEADER = 1024

export class NameThenArgs implements Engine {
  private state: State
  private readonly context: EngineContext
  private readonly grammar: NameThenArgsGrammar
  private readonly markers: MarkerSearch<Role>
  private readonly endMarkers: MarkerSearch<true>

  constructor(context: EngineContext, grammar: NameThenArgsGrammar, opener: 'section' | 'call') {
    this.context = context
    this.grammar = grammar
    const compiled = compile(grammar)
    this.markers = compiled.markers
    this.endMarkers = compiled.endMarkers
    this.state = opener === 'section' ? { at: 'section' } : { at: 'header', scanned: 0 }
  }

  step(): 'again' | 'more' | 'done' {
    const next = this.next(this.state)
    if (next === 'more' || next === 'done') return next
    this.state = next
    return 'again'
  }

  finish(_reason: EndReason | undefined): void {
    const { writer } = this.context
    switch (this.state.at) {
      case 'between':
        return
      case 'closing':
        this.endUnclosed()
        return
      case 'broken':
        this.failBroken()
        return
      case 'envelope':
        if (this.state.reader.hasArguments && writer.isStarted) this.endUnclosed()
        else this.failTruncated()
        return
      default:
        this.failTruncated()
    }
  }

  private next(state: State): Next {
    switch (state.at) {
      case 'section':
        return this.section()
      case 'header':
        return this.header(state.scanned)
      case 'name-line':
        return this.nameLine(state.scanned)
      case 'fence':
        return this.fence()
      case 'arguments':
        return this.arguments(state.reader)
      case 'nameless':
        return this.nameless(state)
      case 'envelope':
        return this.envelope(state.reader)
      case 'broken':
        return this.broken()
      case 'closing':
        return this.closing()
      case 'between':
        return this.between()
    }
  }

  private section(): Next {
    const { input, writer } = this.context
    const role = this.markerHere()
    if (role === 'more') return 'more'
    if (role === 'call-begin') {
      input.at += this.length
      return { at: 'header', scanned: 0 }
    }
    if (role === 'section-begin') {
      input.at += this.length
      return { at: 'section' }
    }
    writer.fail('no-call', 'A tool call section was opened, but no call follows.')
    return 'done'
  }

  private header(scanned: number): Next {
    const { input, writer } = this.context
    const start = skipSpace(input.text, input.at)
    if (input.text.charAt(start) === '{') {
      return { at: 'envelope', reader: new EnvelopeReader(this.context, usualEnvelope, this.endMarkers) }
    }
    const length = this.markers.find(input.text, input.at + scanned, input.final)
    const end = this.markers.index
    if (end - input.at > LONGEST_HEADER) {
      writer.fail('no-call', 'The header of a tool call does not end.')
      return 'done'
    }
    if (length === PARTIAL || length === NONE) {
      return this.waitFrom({ at: 'header', scanned: end - input.at }, scanned, end - input.at)
    }
    const role = this.markers.value
    const header = input.take(end)
    if (role === 'call-begin' || role === 'section-begin') {
      writer.fail('no-call', 'A tool call was opened twice; the first has no arguments.')
      return { at: 'between' }
    }
    if (role !== 'separator') return this.headerOnly(header)
    input.at += length
    if (header.trim() === this.grammar.typeWord) return { at: 'name-line', scanned: 0 }
    return this.beginArguments(readHeader(header, this.grammar.header, this.context.tools))
  }

  /** The end marker stands where the arguments should begin. */
  private headerOnly(header: string): Next {
    const { writer, tools } = this.context
    const { id, name } = readHeader(header, this.grammar.header, tools)
    if (name === null || (tools.isKnown && !tools.has(name))) {
      writer.fail('no-call', 'A tool call has neither a known name nor arguments.')
    } else {
      writer.start(id, name)
      writer.repair('empty-arguments', repairCodes['empty-arguments'])
      writer.delta('{}')
      writer.end()
    }
    return { at: 'between' }
  }

  /** The name is what stands before the end of the line, a code fence or the arguments. */
  private nameLine(scanned: number): Next {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    let end = input.at + scanned
    while (end < input.text.length && !/[\n`{<]/.test(input.text.charAt(end))) end++
    if (end - input.at > LONGEST_HEADER) {
      writer.fail('no-call', 'The name of a tool call does not end.')
      return 'done'
    }
    if (end === input.text.length) {
      return this.waitFrom({ at: 'name-line', scanned: end - input.at }, scanned, end - input.at)
    }
    return this.beginArguments({ id: null, name: input.take(end).trim() || null })
  }

  private beginArguments({ id, name }: CallHeader): State {
    const { writer } = this.context
    if (name === null) {
      const buffer = new NamelessArguments()
      return { at: 'nameless', reader: new ArgumentsReader(buffer, this.endMarkers), buffer, id }
    }
    writer.start(id, name)
    return { at: 'fence' }
  }

  /** Some write their arguments in a code fence, or leave a `json` behind that once stood on one. */
  private fence(): Next {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const length = openingFence.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'more'
    input.at += length
    if (length > 0) return { at: 'fence' }
    return { at: 'arguments', reader: new ArgumentsReader(writer, this.endMarkers) }
  }

  private arguments(reader: ArgumentsReader): Next {
    const result = reader.read(this.context.input)
    if (result === 'more') return 'more'
    if (result === 'broken') return { at: 'broken' }
    reader.reportTo(this.context.writer)
    return { at: 'closing' }
  }

  private nameless({ reader, buffer, id }: Extract<State, { at: 'nameless' }>): Next {
    const { input, tools, writer } = this.context
    const result = reader.read(input)
    if (result === 'more') return 'more'
    const call = result === 'done' ? buffer.resolve(tools) : undefined
    if (call === undefined) {
      writer.fail('unresolved-name', `The header "${id ?? ''}" names no tool, and the arguments fit none.`)
      return { at: 'between' }
    }
    writer.start(id, call.name)
    for (const { code, message } of buffer.repairs) writer.repair(code, message)
    writer.repair('resolved-name', `The header "${id ?? ''}" names no tool; the arguments say "${call.name}".`)
    writer.delta(call.json)
    return { at: 'closing' }
  }

  private envelope(reader: EnvelopeReader): Next {
    const result = reader.read()
    if (result === 'more') return 'more'
    if (result === 'done' || (reader.hasArguments && this.context.writer.isStarted)) return { at: 'closing' }
    return { at: 'broken' }
  }

  /** The arguments cannot be read: only the literal end marker tells where they end. */
  private broken(): Next {
    const { input } = this.context
    const length = this.endMarkers.find(input.text, input.at, input.final)
    input.at = this.endMarkers.index
    if (length === PARTIAL || length === NONE) return 'more'
    this.failBroken()
    return { at: 'between' }
  }

  private closing(): Next {
    const { input, writer } = this.context
    const role = this.markerHere()
    if (role === 'more') return 'more'
    const char = input.text.charAt(input.at)
    if (char === '}' || char === ']') {
      input.at++
      writer.repair('surplus-closer', repairCodes['surplus-closer'])
      return { at: 'closing' }
    }
    if (char === '`') {
      input.at++
      return { at: 'closing' }
    }
    if (role === 'call-end') {
      input.at += this.length
      writer.end()
    } else {
      this.endUnclosed()
    }
    return { at: 'between' }
  }

  private between(): Next {
    const { input, writer } = this.context
    const role = this.markerHere()
    if (role === 'more') return 'more'
    if (role === 'call-begin') {
      writer.begin()
      input.at += this.length
      return { at: 'header', scanned: 0 }
    }
    if (role === 'call-end') {
      input.at += this.length
      return { at: 'between' }
    }
    if (role === 'section-end') input.at += this.length
    return 'done'
  }

  private length = 0

  /** Which marker stands behind the white space; its length is in `length`. */
  private markerHere(): Role | 'none' | 'more' {
    const { input } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    this.length = this.markers.match(input.text, input.at, input.final)
    if (this.length === PARTIAL) return 'more'
    return this.length === NONE ? 'none' : (this.markers.value ?? 'none')
  }

  /** Waits for more text; the part that was looked at is remembered. */
  private waitFrom(state: State, before: number, after: number): Next {
    return after > before ? state : 'more'
  }

  private endUnclosed(): void {
    const { writer } = this.context
    writer.end()
    writer.problem('unclosed-call', 'The end marker of a tool call is missing; its arguments are whole.', '')
  }

  private failBroken(): void {
    const { writer } = this.context
    const source = writer.release()
    writer.fail('invalid-arguments', 'The arguments of a tool call are not valid JSON.', source)
  }

  private failTruncated(): void {
    this.context.writer.fail('truncated-call', 'The output ended inside a tool call.')
  }
}

/** What must follow the opener of a section: a call, after white space. */
export function probeNameThenArgs(
  grammar: NameThenArgsGrammar,
  opener: 'section' | 'call',
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (opener === 'call') return 'yes'
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const { markers } = compile(grammar)
  const length = markers.match(text, start, final)
  if (length === PARTIAL) return 'more'
  return length !== NONE && (markers.value === 'call-begin' || markers.value === 'section-begin') ? 'yes' : 'no'
}

const openingFence = searchFor('```json', '```JSON', '```', 'json')

interface Compiled {
  readonly markers: MarkerSearch<Role>
  /** What can stand where the arguments end. */
  readonly endMarkers: MarkerSearch<true>
}

const compiledGrammars = new WeakMap<NameThenArgsGrammar, Compiled>()

function compile(grammar: NameThenArgsGrammar): Compiled {
  let compiled = compiledGrammars.get(grammar)
  if (compiled === undefined) {
    const markers = new MarkerSearch<Role>()
    for (const marker of grammar.sectionBegin) markers.add(marker, 'section-begin')
    for (const marker of grammar.sectionEnd) markers.add(marker, 'section-end')
    for (const marker of grammar.callBegin) markers.add(marker, 'call-begin')
    for (const marker of grammar.separator) markers.add(marker, 'separator')
    for (const marker of grammar.callEnd) markers.add(marker, 'call-end')
    const endMarkers = searchFor(...grammar.callEnd, ...grammar.sectionEnd, ...grammar.callBegin)
    compiled = { markers, endMarkers }
    compiledGrammars.set(grammar, compiled)
  }
  return compiled
}

import type { ProblemCode } from '../problems.ts'
import { type MarkerSearch, NONE, PARTIAL } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import { type CallHeader, readHeader } from './call-header.ts'
import type { EndReason, EngineContext } from './engine.ts'
import { EnvelopeReader, usualEnvelope } from './envelope-reader.ts'
import {
  markersOf,
  type NameThenArgsGrammar,
  type NameThenArgsRole,
  openingFence,
} from './name-then-args-grammar.ts'
import { NamelessArguments } from './nameless-arguments.ts'
import { type Next, StateMachine } from './state-machine.ts'

type State =
  | { at: 'section' }
  /** The first `scanned` characters of the header hold no marker. */
  | { at: 'header'; scanned: number }
  | { at: 'name-line'; scanned: number }
  | { at: 'fence' }
  | { at: 'arguments'; reader: ArgumentsReader }
  | { at: 'nameless'; reader: ArgumentsReader; buffer: NamelessArguments; id: string | null }
  | { at: 'envelope'; reader: EnvelopeReader }
  /** The call cannot be read: only the literal end marker tells where it ends. */
  | { at: 'unreadable'; code: ProblemCode }
  | { at: 'closing' }
  | { at: 'between' }

/** A header longer than this is none. */
const LONGEST_HEADER = 256

/** Reads calls of the form name, then arguments as JSON. */
export class NameThenArgs extends StateMachine<State> {
  protected state: State
  private readonly isInSection: boolean
  private readonly context: EngineContext
  private readonly grammar: NameThenArgsGrammar
  private readonly markers: MarkerSearch<NameThenArgsRole>
  private readonly ends: MarkerSearch<NameThenArgsRole>

  constructor(context: EngineContext, grammar: NameThenArgsGrammar, opener: 'section' | 'call') {
    super()
    this.context = context
    this.grammar = grammar
    const { all, ends } = markersOf(grammar)
    this.markers = all
    this.ends = ends
    this.isInSection = opener === 'section'
    this.state = opener === 'section' ? { at: 'section' } : { at: 'header', scanned: 0 }
  }

  finish(_reason: EndReason | undefined): void {
    const { input, writer } = this.context
    input.takeAll()
    const { state } = this
    if (state.at === 'between') return
    const hasArguments = state.at === 'closing' || (state.at === 'envelope' && state.reader.hasArguments)
    if (hasArguments && writer.isStarted) this.endCall()
    else writer.fail(state.at === 'unreadable' ? state.code : 'truncated-call')
  }

  protected next(state: State): Next<State> {
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
      case 'unreadable':
        return this.unreadable(state.code)
      case 'closing':
        return this.closing()
      case 'between':
        return this.between()
    }
  }

  private section(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(input)
    if (role === 'more') return 'more'
    if (role === 'call-begin' || role === 'section-begin') {
      input.at += this.markers.length
      return role === 'call-begin' ? { at: 'header', scanned: 0 } : { at: 'section' }
    }
    writer.fail('no-call')
    return 'done'
  }

  private header(scanned: number): Next<State> {
    const { input, writer, tools } = this.context
    if (this.grammar.separator.length === 0) return this.bareHeader()
    const start = skipSpace(input.text, input.at)
    if (input.text.charAt(start) === '{') {
      return { at: 'envelope', reader: new EnvelopeReader(this.context, usualEnvelope, this.ends) }
    }
    const length = this.markers.find(input.text, input.at + scanned, input.final)
    const end = this.markers.index
    const withoutSeparator = this.headerBeforeJson(end)
    if (withoutSeparator !== undefined) return this.beginArguments(withoutSeparator)
    if (end - input.at > LONGEST_HEADER) {
      writer.fail('no-call')
      return 'done'
    }
    if (length === PARTIAL || length === NONE) {
      const passed = end - input.at
      return passed > scanned ? { at: 'header', scanned: passed } : 'more'
    }
    const role = this.markers.found
    const header = input.take(end)
    if (role === 'call-begin' || role === 'section-begin') {
      writer.fail('no-call')
      return { at: 'between' }
    }
    if (role !== 'separator') return this.headerOnly(header, role === 'call-end' ? length : 0)
    input.at += length
    if (header.trim() === this.grammar.typeWord) return { at: 'name-line', scanned: 0 }
    return this.beginArguments(readHeader(header, this.grammar.header, tools))
  }

  /** Some leave the separator out: a name that can be none but a declared tool's ends where the arguments begin. */
  private headerBeforeJson(end: number): CallHeader | undefined {
    const { input, tools } = this.context
    const text = input.text.slice(input.at, end)
    const at = text.search(/[{`]/)
    if (at <= 0) return undefined
    const header = readHeader(text.slice(0, at), this.grammar.header, tools)
    if (header.name === null || !tools.has(header.name)) return undefined
    input.at += at
    return header
  }

  /** The server stripped the markers: the header ends where the arguments begin. */
  private bareHeader(): Next<State> {
    const { input, tools } = this.context
    const end = input.text.indexOf('{', input.at)
    if (end < 0) return 'more'
    const header = (this.grammar.header.prefix ?? '') + input.take(end)
    return this.beginArguments(readHeader(header, this.grammar.header, tools))
  }

  /** The end marker stands where the arguments should begin. */
  private headerOnly(header: string, endLength: number): Next<State> {
    const { input, writer, tools } = this.context
    const { id, name } = readHeader(header, this.grammar.header, tools)
    const isName = name !== null && name !== this.grammar.typeWord
    if (!isName || (tools.isKnown && !tools.has(name))) return { at: 'unreadable', code: 'unresolved-name' }
    writer.start(id, name)
    writer.delta('{}')
    writer.repair('empty-arguments')
    writer.end()
    input.at += endLength
    return { at: 'between' }
  }

  /** The name is what stands before the end of the line, a code fence or the arguments. */
  private nameLine(scanned: number): Next<State> {
    const { input, writer } = this.context
    if (scanned === 0) {
      const role = this.markers.ahead(input)
      if (role === 'more') return 'more'
      if (role === 'separator') {
        input.at += this.markers.length
        return { at: 'name-line', scanned: 0 }
      }
    }
    let end = input.at + scanned
    while (end < input.text.length && !/[\n`{<]/.test(input.text.charAt(end))) end++
    const passed = end - input.at
    if (passed > LONGEST_HEADER) {
      writer.fail('no-call')
      return 'done'
    }
    if (end === input.text.length) return passed > scanned ? { at: 'name-line', scanned: passed } : 'more'
    return this.beginArguments({ id: null, name: input.take(end).trim() || null })
  }

  private beginArguments({ id, name }: CallHeader): State {
    if (name === null) {
      const buffer = new NamelessArguments()
      return { at: 'nameless', reader: new ArgumentsReader(buffer, this.ends), buffer, id }
    }
    this.context.writer.start(id, name)
    return { at: 'fence' }
  }

  /** Some write their arguments in a code fence, or leave a `json` behind that once stood on one. */
  private fence(): Next<State> {
    const { input, writer } = this.context
    // A second separator says nothing new.
    const role = this.markers.ahead(input)
    if (role === 'more') return 'more'
    if (role === 'separator') {
      input.at += this.markers.length
      return { at: 'fence' }
    }
    const found = openingFence.ahead(input)
    if (found === 'more') return 'more'
    if (found === 'none') return { at: 'arguments', reader: new ArgumentsReader(writer, this.ends) }
    input.at += openingFence.length
    return { at: 'fence' }
  }

  private arguments(reader: ArgumentsReader): Next<State> {
    const result = reader.read(this.context.input)
    if (result === 'more') return 'more'
    if (result === 'broken') return this.lookForEnd('invalid-arguments')
    reader.reportTo(this.context.writer)
    return { at: 'closing' }
  }

  private nameless({ reader, buffer, id }: Extract<State, { at: 'nameless' }>): Next<State> {
    const { input, tools, writer } = this.context
    const result = reader.read(input)
    if (result === 'more') return 'more'
    const call = result === 'done' ? buffer.resolve(tools) : undefined
    if (call === undefined) return { at: 'unreadable', code: 'unresolved-name' }
    writer.start(id, call.name)
    writer.delta(call.json)
    for (const code of buffer.repairs) writer.repair(code)
    writer.repair(
      'resolved-name',
      `The header "${id ?? ''}" names no tool; the arguments say "${call.name}".`,
    )
    return { at: 'closing' }
  }

  private envelope(reader: EnvelopeReader): Next<State> {
    const result = reader.read()
    if (result === 'more') return 'more'
    const { isStarted } = this.context.writer
    if (result === 'done' || (reader.hasArguments && isStarted)) return { at: 'closing' }
    return isStarted ? this.lookForEnd('invalid-arguments') : { at: 'unreadable', code: 'no-call' }
  }

  /** A string that was never closed has swallowed the end marker: what was held is looked through again. */
  private lookForEnd(code: ProblemCode): State {
    const { input, writer } = this.context
    input.unread(writer.release())
    return { at: 'unreadable', code }
  }

  private unreadable(code: ProblemCode): Next<State> {
    const { input, writer } = this.context
    if (!writer.isStarted) return this.giveUp(code)
    if (writer.isSeen) writer.holdBack()
    const length = this.ends.find(input.text, input.at, input.final)
    input.at = this.ends.index
    if (length === PARTIAL || length === NONE) return 'more'
    const endsHere = this.ends.found === 'call-end' ? input.at + length : input.at
    // What comes out as text comes out whole, its end marker included.
    if (!writer.isSeen) input.at = endsHere
    writer.fail(code)
    input.at = endsHere
    return { at: 'between' }
  }

  /** No call has begun, so nobody may be kept waiting: this is text. */
  private giveUp(code: ProblemCode): Next<State> {
    const { input, writer } = this.context
    const role = this.ends.ahead(input)
    if (role === 'more') return 'more'
    if (role === 'call-end') input.at += this.ends.length
    writer.fail(code)
    return { at: 'between' }
  }

  private closing(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(input)
    if (role === 'more') return 'more'
    const char = role === 'none' ? input.text.charAt(input.at) : ''
    if (char === '}' || char === ']') {
      input.at++
      writer.repair('surplus-closer')
      return { at: 'closing' }
    }
    if (char === '`') {
      input.at++
      return { at: 'closing' }
    }
    if (role === 'call-end') {
      input.at += this.markers.length
      writer.end()
    } else {
      this.endCall()
    }
    return { at: 'between' }
  }

  /** Nothing closes the call; where there is no end marker, none is missing. */
  private endCall(): void {
    const { writer } = this.context
    if (this.grammar.callEnd.length === 0) writer.end()
    else writer.endUnclosed()
  }

  private between(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(input)
    switch (role) {
      case 'more':
        return 'more'
      case 'call-begin':
        writer.begin()
        input.at += this.markers.length
        return { at: 'header', scanned: 0 }
      case 'call-end':
        input.at += this.markers.length
        writer.repair('residue')
        return { at: 'between' }
      case 'section-end':
        input.at += this.markers.length
        return 'done'
      default:
        this.leavesOpen = this.isInSection
        return 'done'
    }
  }
}

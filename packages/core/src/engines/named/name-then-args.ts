import type { ProblemCode } from '../../problems.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import { ArgumentsReader } from '../json/arguments-reader.ts'
import { findSwallowedEnd, isCutShort } from '../json/cut-short.ts'
import { EnvelopeReader } from '../json/envelope-reader.ts'
import { usualEnvelope } from '../json/grammar.ts'
import { NamelessArguments } from '../json/nameless-arguments.ts'
import { passWrittenBreak } from '../json/written-break.ts'
import { type Next, StateMachine } from '../state-machine.ts'
import type { CallHeader } from './call-header.ts'
import {
  isName,
  markersOf,
  type NameThenArgsGrammar,
  type NameThenArgsRole,
  openingFence,
} from './grammar.ts'
import { HeaderReader } from './header-reader.ts'

type State =
  | { at: 'section' }
  | { at: 'header'; reader: HeaderReader }
  /** The header was read before. */
  | { at: 'named'; header: CallHeader }
  | { at: 'fence' }
  | { at: 'arguments'; reader: ArgumentsReader }
  | { at: 'nameless'; reader: ArgumentsReader; buffer: NamelessArguments; id: string | null }
  | { at: 'envelope'; reader: EnvelopeReader }
  /** The call cannot be read: only the literal end marker tells where it ends. */
  | { at: 'unreadable'; code: ProblemCode }
  | { at: 'closing' }
  | { at: 'between' }

/** Reads calls of the form name, then arguments as JSON. */
export class NameThenArgs extends StateMachine<State> {
  protected state: State
  private readonly isInSection: boolean
  /** The arguments of the call at hand stand in a code fence. */
  private isFenced = false
  /** Where in the stream the arguments of the call at hand begin. */
  private argumentsFrom = 0
  private readonly context: EngineContext
  private readonly grammar: NameThenArgsGrammar
  private readonly markers: MarkerSearch<NameThenArgsRole>
  private readonly ends: MarkerSearch<NameThenArgsRole>

  constructor(context: EngineContext, grammar: NameThenArgsGrammar, opener: 'section' | 'call' | CallHeader) {
    super()
    this.context = context
    this.grammar = grammar
    const { all, ends } = markersOf(grammar)
    this.markers = all
    this.ends = ends
    this.isInSection = opener === 'section'
    this.state =
      opener === 'section'
        ? { at: 'section' }
        : opener === 'call'
          ? this.beginHeader()
          : { at: 'named', header: opener }
  }

  finish(_reason: EndReason | undefined): void {
    const { input, writer } = this.context
    const { state } = this
    input.takeAll()
    if (state.at === 'between') return
    if (state.at === 'arguments' && this.giveBackSwallowed()) {
      writer.fail('invalid-arguments')
      return
    }
    const hasArguments = state.at === 'closing' || (state.at === 'envelope' && state.reader.hasArguments)
    if (hasArguments && writer.isStarted) this.endCall()
    else writer.fail(state.at === 'unreadable' ? state.code : 'truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'section':
        return this.section()
      case 'header':
        return this.header(state.reader)
      case 'named':
        return this.beginArguments(state.header)
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
      return role === 'call-begin' ? this.beginHeader() : { at: 'section' }
    }
    if (role === 'section-end') {
      // Nothing was called: all of it is markup.
      input.at += this.markers.length
      writer.abandon()
      return 'done'
    }
    return role === 'none' ? this.unopened() : this.noCall()
  }

  /** Words before the first call, or a header that nothing opens. */
  private unopened(): Next<State> {
    const { input, writer } = this.context
    const length = this.markers.find(input.text, input.at, input.final)
    if (length === PARTIAL || length === NONE) return input.final ? this.noCall() : 'more'
    if (this.markers.found === 'separator') return this.beginHeader()
    writer.abandon()
    writer.stray(input.take(this.markers.index).trimEnd())
    return { at: 'between' }
  }

  private noCall(): 'done' {
    this.context.writer.fail('no-call')
    return 'done'
  }

  private beginHeader(): State {
    return { at: 'header', reader: new HeaderReader(this.context, this.grammar) }
  }

  private header(reader: HeaderReader): Next<State> {
    const { writer } = this.context
    const found = reader.read()
    if (found === 'more') return 'more'
    switch (found.is) {
      case 'header':
        return this.beginArguments(found.header)
      case 'envelope':
        this.markArguments()
        return { at: 'envelope', reader: new EnvelopeReader(this.context, usualEnvelope, this.ends) }
      case 'header-only':
        return this.headerOnly(found.header, found.endLength)
      case 'opener':
        writer.fail('no-call')
        return { at: 'between' }
      case 'none':
        writer.fail('no-call')
        return 'done'
    }
  }

  /** The end marker stands where the arguments should begin. */
  private headerOnly({ id, name }: CallHeader, endLength: number): Next<State> {
    const { input, writer, tools } = this.context
    if (id === null && name === null) {
      // Nothing was called: both tokens are markup.
      input.at += endLength
      writer.abandon()
      return { at: 'between' }
    }
    // What is no name holds the arguments, broken: to call it without any would be wrong.
    const isMeant = name !== null && name !== this.grammar.typeWord
    if (!isMeant || !(tools.isKnown ? tools.has(name) : isName(name))) {
      return { at: 'unreadable', code: 'unresolved-name' }
    }
    writer.start(id, name)
    writer.delta('{}')
    writer.repair('empty-arguments')
    writer.end()
    input.at += endLength
    return { at: 'between' }
  }

  private beginArguments({ id, name, hasNamespace }: CallHeader): State {
    this.markArguments()
    if (name === null) {
      const buffer = new NamelessArguments()
      return { at: 'nameless', reader: new ArgumentsReader(buffer, this.ends), buffer, id }
    }
    this.context.writer.start(id, name)
    if (hasNamespace === true) this.context.writer.repair('namespace')
    this.isFenced = false
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
    this.isFenced = true
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
    if (!this.giveBackSwallowed()) this.context.writer.giveBack()
    return { at: 'unreadable', code }
  }

  private markArguments(): void {
    const { input } = this.context
    this.argumentsFrom = input.base + input.at
  }

  /** Goes back to the end of the call, if a string has swallowed that and the beginning of the next. */
  private giveBackSwallowed(): boolean {
    const { input, writer } = this.context
    return writer.giveBackFrom(input.base + input.at - this.argumentsFrom, (source) =>
      findSwallowedEnd(source, this.markers, isCallEnd, isBehindCall),
    )
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
    const written = role === 'none' ? passWrittenBreak(this.context) : 'none'
    if (role === 'more' || written === 'more') return 'more'
    if (written === 'passed') return { at: 'closing' }
    const char = role === 'none' ? input.text.charAt(input.at) : ''
    if (char === '}' || char === ']') {
      input.at++
      writer.removed('surplus-closer', 1)
      return { at: 'closing' }
    }
    if (char === '`' && (this.isFenced || this.grammar.callEnd.length > 0)) {
      input.at++
      return { at: 'closing' }
    }
    const isShort =
      role === 'none' ? isCutShort(input, this.ends, this.needsEnd ? isCallEnd : undefined) : 'no'
    if (isShort === 'more') return 'more'
    if (isShort === 'yes') return this.lookForEnd('invalid-arguments')
    if (role === 'call-end') {
      input.at += this.markers.length
      writer.end()
    } else {
      this.endCall()
    }
    return { at: 'between' }
  }

  /** Nothing closes the call. A format that has no end marker misses none. */
  private endCall(): void {
    const { writer } = this.context
    if (this.needsEnd) writer.endUnclosed()
    else writer.end()
  }

  private get needsEnd(): boolean {
    return this.grammar.callEnd.length > 0 && this.grammar.isEndOptional !== true
  }

  private between(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(input)
    switch (role) {
      case 'more':
        return 'more'
      case 'call-begin':
        // Where prose may hold it, what follows it has to be looked at first.
        if (this.grammar.isPlain === true) return 'done'
        writer.begin()
        input.at += this.markers.length
        return this.beginHeader()
      case 'call-end':
        input.at += this.markers.length
        writer.removed('residue', this.markers.length)
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

function isCallEnd(role: NameThenArgsRole): boolean {
  return role === 'call-end'
}

/** What may stand behind the end of a call. */
function isBehindCall(role: NameThenArgsRole): boolean {
  return role === 'call-begin' || role === 'section-end' || role === 'section-begin' || role === 'stop'
}

import { madeOnce } from '../../text/made-once.ts'
import { MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import { type Next, StateMachine } from '../state-machine.ts'
import { findSwallowedEnd, isCutShort } from './cut-short.ts'
import { EnvelopeReader } from './envelope-reader.ts'
import type { DelimitedJsonGrammar } from './grammar.ts'
import { passWrittenBreak } from './written-break.ts'

type State =
  /** Before the first object, or between two. */
  | { at: 'between'; calls: number }
  | { at: 'object'; reader: EnvelopeReader; calls: number }
  | { at: 'broken'; calls: number }
  | { at: 'given-up' }
  /** Behind a list without calls. */
  | { at: 'empty' }
  /** The arguments were read; `isWhole`: so was the object around them. */
  | { at: 'after-object'; calls: number; isWhole: boolean }

export class DelimitedJson extends StateMachine<State> {
  protected state: State = { at: 'between', calls: 0 }
  private readonly context: EngineContext
  private readonly grammar: DelimitedJsonGrammar
  private readonly closers: MarkerSearch<true>
  private readonly boundaries: MarkerSearch<Boundary>
  private readonly lists: MarkerSearch<true>
  private readonly lineBegins: MarkerSearch<true>
  /** Where in the stream the object at hand begins. */
  private objectFrom = 0
  private isArray: boolean
  private isArrayClosed = false
  /** An object stands around the array. */
  private isWrapped = false

  constructor(context: EngineContext, grammar: DelimitedJsonGrammar) {
    super()
    this.context = context
    this.grammar = grammar
    const compiled = compile(grammar)
    this.closers = compiled.closers
    this.boundaries = compiled.boundaries
    this.lists = compiled.lists
    this.lineBegins = compiled.lineBegins
    this.isArray = grammar.opensArray === true
  }

  finish(_reason: EndReason | undefined): void {
    const { input, writer } = this.context
    const { state } = this
    input.takeAll()
    if (state.at === 'object' && writer.isStarted && this.giveBackSwallowed()) {
      this.failBroken()
      return
    }
    if (writer.isIdle) {
      if (this.isArrayClosed && (this.needsEnd || this.isWrapped)) writer.reportUnclosed()
      return
    }
    if (state.at === 'empty') {
      writer.abandon()
      return
    }
    if (state.at === 'object') state.reader.startWithoutId()
    const hasArguments = state.at === 'after-object' || (state.at === 'object' && state.reader.hasArguments)
    if (hasArguments && writer.isStarted) this.endCall(state.at === 'after-object' && state.isWhole)
    else if (state.at === 'broken') this.failBroken()
    else writer.fail('truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'between':
        return this.between(state.calls)
      case 'object':
        return this.object(state)
      case 'broken':
        return this.broken(state.calls)
      case 'given-up':
      case 'empty':
        return this.leave(state.at === 'empty')
      case 'after-object':
        return this.afterObject(state)
    }
  }

  private between(calls: number): Next<State> {
    const { input, writer } = this.context
    const list = this.lists.ahead(input)
    const written = list === 'none' ? passWrittenBreak(this.context) : 'none'
    if (list === 'more' || written === 'more') return 'more'
    if (written === 'passed') return { at: 'between', calls }
    const isList = list !== 'none'
    const char = input.text.charAt(input.at)
    const isAgain = char === '[' && this.isArrayClosed ? this.isFollowedBy('{') : calls === 0
    if (isAgain === 'more') return 'more'
    if ((isList || char === '[') && isAgain && !this.isArray) {
      this.isArray = true
      this.isArrayClosed = false
      this.isWrapped = isList
      input.at += isList ? this.lists.length : 1
      return { at: 'between', calls }
    }
    if (char === '{') {
      if (writer.isIdle) writer.begin()
      this.objectFrom = input.base + input.at
      const reader = new EnvelopeReader(this.context, this.grammar.envelope, this.closers)
      return { at: 'object', reader, calls }
    }
    if (calls > 0 && char === ']' && this.isArray) {
      this.isArray = false
      this.isArrayClosed = true
      input.at++
      return { at: 'between', calls }
    }
    if (char === '}' && this.isWrapped && this.isArrayClosed) {
      this.isWrapped = false
      input.at++
      return { at: 'between', calls }
    }
    const isSeparator = calls > 0 && (char === ',' || char === ';') ? this.isSeparator() : false
    if (isSeparator === 'more') return 'more'
    if (isSeparator) {
      input.at++
      return { at: 'between', calls }
    }
    if (!writer.isIdle) {
      const isEmpty = char === ']' && this.isArray
      // An empty list comes out in one piece.
      if (isEmpty) input.at++
      return isEmpty && this.grammar.isSpecial ? { at: 'empty' } : { at: 'given-up' }
    }
    const closer = this.closers.ahead(input)
    if (closer === 'more') return 'more'
    const line = closer === 'none' ? this.strayLine() : NONE
    if (line === PARTIAL) return 'more'
    if (line > NONE) {
      writer.stray(input.take(input.at + line).trimEnd())
      return { at: 'between', calls }
    }
    if (closer !== 'none') input.at += this.closers.length
    this.leavesOpen = closer === 'none' && this.grammar.callEnd.length > 0
    return 'done'
  }

  /** Length of a line among those of the calls that is no call itself, or NONE, or PARTIAL. */
  private strayLine(): number {
    const { text, at, final } = this.context.input
    if (this.grammar.hasLines !== true || this.isArrayClosed) return NONE
    const end = text.slice(at, at + LONGEST_LINE).indexOf('\n') + 1
    if (end === 0) return final || text.length - at >= LONGEST_LINE ? NONE : PARTIAL
    const next = skipSpace(text, at + end)
    if (next === text.length) return final ? NONE : PARTIAL
    if (text.charAt(next) === '{') return end
    const closer = this.closers.match(text, next, final)
    return closer === PARTIAL ? PARTIAL : closer === NONE ? NONE : end
  }

  /** Where nothing closes the calls, a comma that no call follows begins a text. */
  private isSeparator(): boolean | 'more' {
    const { input } = this.context
    if (this.isArray || this.needsEnd) return true
    const isEnd = skipSpace(input.text, input.at + 1) === input.text.length
    return (isEnd && input.final) || this.isFollowedBy('{')
  }

  /** Whether this character stands behind the one at hand, after white space. */
  private isFollowedBy(char: string): boolean | 'more' {
    const { text, at, final } = this.context.input
    const next = skipSpace(text, at + 1)
    return next === text.length && !final ? 'more' : text.charAt(next) === char
  }

  private object({ reader, calls }: Extract<State, { at: 'object' }>): Next<State> {
    const result = reader.read()
    if (result === 'more') return 'more'
    const { writer } = this.context
    if (result === 'broken') reader.startWithoutId()
    if (result === 'done' && reader.isNoCall) writer.abandon()
    // A string that was never closed has swallowed the end marker: what was held is looked through again.
    const mayBeSwallowed = result === 'broken' && !reader.hasArguments
    if (mayBeSwallowed && (this.giveBackLine() || (writer.isStarted && this.giveBackSwallowed()))) {
      return { at: 'broken', calls }
    }
    if (result === 'broken') writer.giveBack()
    if (result === 'done' || (reader.hasArguments && writer.isStarted)) {
      return { at: 'after-object', calls: calls + 1, isWhole: result === 'done' }
    }
    return { at: 'broken', calls }
  }

  /** Goes back to the end of the call, if a string has swallowed that and the beginning of the next. */
  private giveBackSwallowed(): boolean {
    const { input, writer } = this.context
    return writer.giveBackFrom(input.base + input.at - this.objectFrom, (source) =>
      findSwallowedEnd(source, this.boundaries, isClose, isOpen),
    )
  }

  /** Goes back to the end of the line, if a string has swallowed that and the beginning of the next object. */
  private giveBackLine(): boolean {
    const { input, writer } = this.context
    if (this.grammar.hasLines !== true || this.isArray) return false
    return writer.giveBackFrom(input.base + input.at - this.objectFrom, (source) => {
      if (this.lineBegins.find(source, 0, true) !== NONE) return this.lineBegins.index
      // The line break alone was taken for white space between two values.
      return source.endsWith('\n') ? source.length - 1 : -1
    })
  }

  /** The object cannot be read on: only a literal marker, or the next one of an array, tells where it ends. */
  private broken(calls: number): Next<State> {
    const { input, writer, isTentative } = this.context
    const hasItems = this.isArray || this.grammar.hasLines === true
    if (!writer.isStarted && (!hasItems || isTentative)) return this.leave(false)
    if (writer.isSeen) writer.holdBack()
    const length = this.boundaries.find(input.text, input.at, input.final)
    input.at = this.boundaries.index
    if (length === PARTIAL || length === NONE) return 'more'
    const isBetween = this.boundaries.found === 'item' || this.boundaries.found === 'line'
    if (isBetween && (this.boundaries.found === 'item') !== this.isArray) {
      input.at += length
      return { at: 'broken', calls }
    }
    // What comes out as text comes out whole, its end marker included.
    if (!writer.isSeen && this.boundaries.found === 'close') input.at += length
    this.failBroken()
    return { at: 'between', calls: calls + 1 }
  }

  /**
   * No call has begun, so nobody may be kept waiting: this is text, and so is what follows. Where nothing was called, all
   * of it is markup between special tokens.
   */
  private leave(isEmpty: boolean): Next<State> {
    const { input, writer } = this.context
    const closer = this.closers.ahead(input)
    if (closer === 'more') return 'more'
    if (closer !== 'none') input.at += this.closers.length
    if (isEmpty) writer.abandon()
    else writer.fail('no-call')
    return 'done'
  }

  private afterObject({ calls, isWhole }: Extract<State, { at: 'after-object' }>): Next<State> {
    const { input, writer } = this.context
    const closer = this.closers.ahead(input)
    const written = closer === 'none' ? passWrittenBreak(this.context) : 'none'
    if (closer === 'more' || written === 'more') return 'more'
    if (written === 'passed') return { at: 'after-object', calls, isWhole }
    const char = closer === 'none' ? input.text.charAt(input.at) : ''
    if (char === '}' || (char === ']' && !this.isArray)) {
      input.at++
      writer.removed('surplus-closer', 1)
      return { at: 'after-object', calls, isWhole }
    }
    const isSeparated = char !== '' && ',;{]'.includes(char)
    const isShort =
      closer === 'none' && !isSeparated
        ? isCutShort(input, this.boundaries, this.needsEnd ? isClose : undefined)
        : 'no'
    if (isShort === 'more') return 'more'
    if (isShort === 'yes') {
      this.giveBackSwallowed()
      return { at: 'broken', calls: calls - 1 }
    }
    if (isSeparated && !isWhole) writer.repair('missing-closer')
    if (closer !== 'none' || isSeparated) writer.end()
    else this.endCall(isWhole)
    return { at: 'between', calls }
  }

  /** Nothing closes the call. A format that has no end marker misses none. */
  private endCall(isWhole: boolean): void {
    const { writer } = this.context
    if (isWhole && !this.needsEnd && !this.isArray) writer.end()
    else writer.endUnclosed()
  }

  private get needsEnd(): boolean {
    return this.grammar.callEnd.length > 0 && this.grammar.isEndOptional !== true
  }

  private failBroken(): void {
    const { writer } = this.context
    writer.fail(writer.isStarted ? 'invalid-arguments' : 'no-call')
  }
}

/** Where a broken object may end: at the end marker, at the next opener, or in front of the next object of an array or a line. */
type Boundary = 'open' | 'close' | 'item' | 'line'

/** A longer line among those of calls is prose. */
const LONGEST_LINE = 256

function isClose(boundary: Boundary): boolean {
  return boundary === 'close'
}

function isOpen(boundary: Boundary): boolean {
  return boundary === 'open'
}

interface Compiled {
  readonly closers: MarkerSearch<true>
  readonly boundaries: MarkerSearch<Boundary>
  readonly lists: MarkerSearch<true>
  readonly lineBegins: MarkerSearch<true>
}

const compile = madeOnce((grammar: DelimitedJsonGrammar): Compiled => {
  const boundaries = new MarkerSearch<Boundary>()
  // A bracket ends nothing: without markers broken JSON goes on to the end.
  if (grammar.isBare !== true) for (const marker of grammar.callBegin) boundaries.add(marker, 'open')
  for (const marker of grammar.callEnd) boundaries.add(marker, 'close')
  const { nameKeys, argumentKeys, idKeys } = grammar.envelope
  for (const key of [...nameKeys, ...argumentKeys, ...idKeys]) boundaries.add([',', '{', `"${key}"`], 'item')
  const lines = grammar.hasLines === true ? nameKeys.map((key) => ['\n{', `"${key}"`]) : []
  for (const line of lines) boundaries.add(line, 'line')
  const lists = searchFor(...(grammar.listBegin ?? []))
  return { closers: searchFor(...grammar.callEnd), boundaries, lists, lineBegins: searchFor(...lines) }
})

import { problemCodes } from '../../problems.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import type { PythonLiteral } from '../../text/python-literal.ts'
import { skipSpace } from '../../text/space.ts'
import type { SourceRecording } from '../../text/text-window.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import { type Next, StateMachine } from '../state-machine.ts'
import { PythonicArguments } from './arguments.ts'
import {
  type CallName,
  endsOf,
  findSwallowed,
  isAmongCode,
  isMethod,
  isPrint,
  type PythonicGrammar,
  readCallName,
  toolNamed,
} from './grammar.ts'

type State =
  /** Before the first call, or between two. */
  | { at: 'between' }
  /** In a call, before an argument. */
  | { at: 'arguments' }
  | { at: 'value'; literal: PythonLiteral }
  | { at: 'after-value' }
  /** Behind the closing parenthesis. */
  | { at: 'after-call' }
  | { at: 'broken' }
  /** Behind a section, where it may be written once more. */
  | { at: 'echo'; source: string }

/** More text than this in one line between calls is left to whoever reads text. */
const LONGEST_LINE = 256
/** Of a longer section no echo is waited for. */
const LONGEST_ECHO = 2048
/** So many values of a call are looked through for others: each look may read all that was held of it. */
const MOST_LOOKS = 64

export class Pythonic extends StateMachine<State> {
  protected state: State = { at: 'between' }
  private readonly context: EngineContext
  private readonly grammar: PythonicGrammar
  private readonly ends: MarkerSearch<'end' | 'begin'>
  private readonly isInSection: boolean
  private call: PythonicArguments
  /** Where in the stream the argument at hand begins. */
  private valueFrom = 0
  private looks = 0
  private hasCalls = false
  private isInList = false
  /** How many calls are open that only print the result of another. */
  private printing = 0
  /** The section as it is written, where the model may write it twice. */
  private recording: SourceRecording | undefined

  constructor(context: EngineContext, grammar: PythonicGrammar, opens: 'section' | 'bare') {
    super()
    this.context = context
    this.grammar = grammar
    this.ends = endsOf(grammar)
    this.isInSection = opens === 'section' && grammar.sectionEnd.length > 0
    this.call = new PythonicArguments(context, '', this.ends, () => true)
    const mayEcho = this.isInSection && grammar.isEchoed === true
    this.recording = mayEcho ? context.input.record(context.input.at) : undefined
    this.recording?.keepTail(LONGEST_ECHO)
  }

  finish(_reason: EndReason | undefined): void {
    const { input, writer } = this.context
    if (this.state.at === 'echo') return
    this.stopRecording()
    if (this.state.at === 'after-call') {
      this.endCall('unclosed')
      return
    }
    // What the list goes on with is the name of a call that was cut off.
    if (writer.isIdle && this.isInList && !input.isEmpty) writer.begin()
    if (writer.isIdle) {
      if (this.isInList || this.isInSection)
        writer.problem('unclosed-call', problemCodes['unclosed-call'], '')
      return
    }
    input.takeAll()
    writer.fail(this.state.at === 'broken' ? 'invalid-arguments' : 'truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'between':
        return this.between()
      case 'arguments':
      case 'value':
      case 'after-value':
        return this.inArguments(state)
      case 'after-call':
        return this.afterCall()
      case 'broken':
        return this.broken()
      case 'echo':
        return this.echo(state.source)
    }
  }

  private between(): Next<State> {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === '[' && !this.isInList && (this.isInSection || !this.hasCalls)) {
      this.isInList = true
      input.at++
      return { at: 'between' }
    }
    const isEmpty = this.isInSection && !this.hasCalls && this.grammar.isSpecial
    if (char === ']' && this.isInList && (this.hasCalls || isEmpty)) {
      this.isInList = false
      input.at++
      // Nothing was called: between special tokens all of it is markup.
      if (isEmpty) writer.abandon()
      return this.isInSection ? { at: 'between' } : 'done'
    }
    if (this.hasCalls && (char === ',' || char === ';')) {
      input.at++
      return { at: 'between' }
    }
    // In a list, a name at the end of the stream is that of a call which was cut off.
    const name = readCallName(input.text, input.at, input.final && !this.isInList)
    if (name === 'more') return 'more'
    return name !== 'none' && this.isCall(name.name) ? this.startCall(name) : this.leave()
  }

  /** No call follows: the end of the section, or text. */
  private leave(): Next<State> {
    const { input, writer } = this.context
    const end = this.ends.ahead(input)
    if (end === 'more') return 'more'
    if (end === 'none' && this.isInSection && writer.isIdle) return this.strayLine()
    if (end === 'end') input.at += this.ends.length
    const source = this.stopRecording()
    if (!writer.isIdle) writer.fail('no-call')
    const mayEcho = end === 'end' && this.hasCalls && source !== '' && source.length < LONGEST_ECHO
    return mayEcho ? { at: 'echo', source } : 'done'
  }

  /** The same calls again were not meant again. */
  private echo(source: string): Next<State> {
    const { input, writer } = this.context
    const at = skipSpace(input.text, input.at)
    const ahead = input.text.slice(at, at + source.length)
    if (ahead !== source) return !input.final && source.startsWith(ahead) ? 'more' : 'done'
    input.at = at + source.length
    writer.repair('residue')
    return 'done'
  }

  private stopRecording(): string {
    const { recording } = this
    this.recording = undefined
    return recording === undefined ? '' : this.context.input.stop(recording)
  }

  /** One line of text between calls. A longer text is no slip: nobody may be kept waiting for the end of it. */
  private strayLine(): Next<State> {
    const { input, writer } = this.context
    const { text, at: from } = input
    const length = this.ends.find(text, from, input.final)
    const lineBreak = text.slice(from, this.ends.index).indexOf('\n')
    const end = lineBreak < 0 ? this.ends.index : from + lineBreak
    if (end - from > LONGEST_LINE || (input.final && end === text.length)) {
      this.stopRecording()
      this.leavesOpen = true
      return 'done'
    }
    if (lineBreak < 0 && (length === NONE || length === PARTIAL)) return 'more'
    const stray = input.take(end).trimEnd()
    input.observer?.became('stray', input.base + from, input.base + from + stray.length)
    writer.stray(stray)
    return { at: 'between' }
  }

  /** Outside of a list and of markers of its own, the next line may be anything. */
  private isCall(name: string): boolean {
    const { grammar } = this
    const { tools } = this.context
    const isSure = this.isInList || (this.isInSection && !isAmongCode(grammar)) || !tools.isKnown
    if (isSure || isMethod(grammar, name) || isPrint(grammar, tools, name)) return true
    return tools.has(toolNamed(grammar, tools, name))
  }

  /** Whether the name, behind a comma, begins another call and not a piece of code in a text. */
  private mayBeCalled(name: string): boolean {
    const { tools } = this.context
    return !tools.isKnown || tools.has(toolNamed(this.grammar, tools, name))
  }

  private startCall({ name, end }: CallName): Next<State> {
    const { input, writer, tools } = this.context
    if (writer.isIdle) writer.begin()
    input.at = end
    input.observer?.became('name', input.position - name.length - 1, input.position - 1)
    if (isPrint(this.grammar, tools, name)) {
      this.printing++
      return { at: 'between' }
    }
    const tool = writer.start(null, toolNamed(this.grammar, tools, name))
    this.call = new PythonicArguments(this.context, tool, this.ends, (each) => this.mayBeCalled(each))
    this.hasCalls = true
    return { at: 'arguments' }
  }

  private inArguments(state: Extract<State, { at: 'arguments' | 'value' | 'after-value' }>): Next<State> {
    const { input } = this.context
    const from = input.position
    const next =
      state.at === 'value'
        ? this.value(state.literal)
        : state.at === 'arguments'
          ? this.arguments()
          : this.afterValue()
    input.observer?.became('arguments', from, input.position)
    return next
  }

  private arguments(): Next<State> {
    const { input } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === ')') return this.closeCall()
    this.valueFrom = input.position
    const literal = this.call.begin()
    if (literal === 'more') return 'more'
    return literal === 'bad' ? { at: 'broken' } : { at: 'value', literal }
  }

  private value(literal: PythonLiteral): Next<State> {
    const { input, writer } = this.context
    const result = literal.read(input)
    const isOver = result === 'more'
    if (isOver && !input.final) return 'more'
    const isDoubtful = isOver ? this.isInSection : literal.hasBareQuotes && this.looks++ < MOST_LOOKS
    if (isDoubtful && this.giveBackSwallowed(isOver)) return { at: 'broken' }
    if (result !== 'broken') return isOver ? 'more' : { at: 'after-value' }
    // A string that was never closed may have swallowed the end marker: what was held is looked through again.
    writer.giveBack()
    return { at: 'broken' }
  }

  /** Goes back to the calls that a string took in which was never closed. */
  private giveBackSwallowed(isOver: boolean): boolean {
    const { input, writer, tools } = this.context
    return writer.giveBackFrom(input.position - this.valueFrom, (source) =>
      findSwallowed(this.grammar, tools, source, isOver),
    )
  }

  private afterValue(): Next<State> {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === ',') {
      input.at++
      return { at: 'arguments' }
    }
    if (char === ')') return this.closeCall()
    const end = this.endAt(char === ']' && this.isInList ? input.at + 1 : input.at)
    if (end === 'more') return 'more'
    if (end === 'no') return { at: 'broken' }
    writer.repair('missing-closer')
    this.call.finish()
    return { at: 'after-call' }
  }

  /** Whether the section ends at `from`, after white space. */
  private endAt(from: number): 'yes' | 'no' | 'more' {
    const { text, final } = this.context.input
    const at = skipSpace(text, from)
    if (at === text.length) return final ? 'no' : 'more'
    const length = this.ends.match(text, at, final)
    return length === PARTIAL ? 'more' : length === NONE ? 'no' : 'yes'
  }

  private closeCall(): Next<State> {
    this.context.input.at++
    this.call.finish()
    return { at: 'after-call' }
  }

  private afterCall(): Next<State> {
    const { input, writer } = this.context
    const end = this.ends.ahead(input)
    if (end === 'more') return 'more'
    const char = end === 'none' ? input.text.charAt(input.at) : ''
    if (char === ')') {
      input.at++
      if (this.printing > 0) this.printing--
      else writer.removed('surplus-closer', 1)
      return { at: 'after-call' }
    }
    const next = readCallName(input.text, input.at, input.final)
    if (end === 'none' && next === 'more') return 'more'
    const goesOn = this.isInSection && !this.isInList
    const isFollowed = goesOn || end !== 'none' || ',;]'.includes(char) || next !== 'none'
    this.endCall(isFollowed ? 'closed' : 'unclosed')
    return { at: 'between' }
  }

  /** Where nothing had to be closed, nothing is missing. */
  private endCall(closing: 'closed' | 'unclosed'): void {
    const { writer } = this.context
    const isMissing = closing === 'unclosed' && (this.isInList || this.isInSection)
    if (isMissing) writer.endUnclosed()
    else writer.end()
  }

  /** The arguments cannot be read on: only the end marker tells where they end. */
  private broken(): Next<State> {
    const { input, writer } = this.context
    if (!this.isInSection) {
      writer.fail('invalid-arguments')
      return 'done'
    }
    if (writer.isSeen) writer.holdBack()
    const length = this.ends.find(input.text, input.at, input.final)
    input.at = this.ends.index
    if (length === PARTIAL || length === NONE) return 'more'
    // What comes out as text comes out whole, its end marker included.
    if (!writer.isSeen && this.ends.found === 'end') input.at += length
    writer.fail('invalid-arguments')
    return { at: 'between' }
  }
}

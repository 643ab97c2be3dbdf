import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import { type Next, StateMachine } from '../state-machine.ts'
import { type KeyValuesGrammar, keyValuesMarkers, readHead, toolMeant } from './grammar.ts'
import { KeyValuesReader } from './reader.ts'

type State =
  /** Before the name of a call. */
  { at: 'head' } | { at: 'arguments'; reader: KeyValuesReader } | { at: 'after-call' } | { at: 'broken' }

export class KeyValues extends StateMachine<State> {
  protected state: State = { at: 'head' }
  private readonly context: EngineContext
  private readonly grammar: KeyValuesGrammar
  private readonly stops: MarkerSearch<'end' | 'begin'>

  constructor(context: EngineContext, grammar: KeyValuesGrammar) {
    super()
    this.context = context
    this.grammar = grammar
    this.stops = keyValuesMarkers(grammar).stops
  }

  finish(_reason: EndReason | undefined): void {
    const { input, writer } = this.context
    if (writer.isIdle) return
    input.takeAll()
    if (this.state.at === 'after-call') this.endUnclosed()
    else writer.fail(this.state.at === 'broken' ? 'invalid-arguments' : 'truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'head':
        return this.head()
      case 'arguments':
        return this.arguments(state.reader)
      case 'after-call':
        return this.afterCall()
      case 'broken':
        return this.broken()
    }
  }

  private head(): Next<State> {
    const { input, writer, tools } = this.context
    const head = readHead(this.grammar, input.text, input.at, input.final)
    if (head === 'more') return 'more'
    const isShort = head !== 'none' && head.isBare === true && !this.takesNone(head.name)
    if (head === 'none' || isShort) {
      // What comes out as text comes out whole, its end marker included.
      if (isShort) input.at = head.end + this.stops.match(input.text, head.end, input.final)
      writer.fail('no-call')
      return 'done'
    }
    input.observer?.became('name', input.base + head.from, input.base + head.from + head.name.length)
    input.at = head.end
    const name = toolMeant(this.grammar.namePrefix, tools, head.name)
    const tool = writer.start(null, name)
    if (name !== head.name) writer.repair('namespace')
    if (head.isBare === true) {
      writer.delta('{}')
      writer.repair('empty-arguments')
      return { at: 'after-call' }
    }
    return { at: 'arguments', reader: new KeyValuesReader(this.context, this.grammar, tool) }
  }

  /** Without the arguments that its tool demands, a call would be wrong and look whole. */
  private takesNone(name: string): boolean {
    const { tools } = this.context
    return tools.has(name) && tools.required(name).length === 0
  }

  private arguments(reader: KeyValuesReader): Next<State> {
    const result = reader.read()
    if (result === 'more') return 'more'
    if (result === 'done') return { at: 'after-call' }
    this.context.writer.giveBack()
    return { at: 'broken' }
  }

  private afterCall(): Next<State> {
    const { input, writer } = this.context
    const stop = this.stops.ahead(input)
    if (stop === 'more') return 'more'
    if (stop === 'end') {
      input.at += this.stops.length
      writer.end()
      return 'done'
    }
    if (/[)\]}]/.test(input.text.charAt(input.at))) {
      input.at++
      writer.removed('surplus-closer', 1)
      return { at: 'after-call' }
    }
    return this.nextCall()
  }

  /** Several calls may share one pair of markers. */
  private nextCall(): Next<State> {
    const { input, writer } = this.context
    const { namePrefix } = this.grammar
    const at = input.text.charAt(input.at) === ',' ? skipSpace(input.text, input.at + 1) : input.at
    const rest = input.text.slice(at, at + namePrefix.length)
    if (!input.final && rest.length < namePrefix.length && namePrefix.startsWith(rest)) return 'more'
    const head = rest === namePrefix ? readHead(this.grammar, input.text, at, input.final) : 'none'
    if (head === 'more') return 'more'
    if (head === 'none' || namePrefix === '') {
      this.endUnclosed()
      this.leavesOpen = true
      return 'done'
    }
    input.at = at
    writer.end()
    writer.begin()
    return { at: 'head' }
  }

  /** A format that has no end marker misses none. */
  private endUnclosed(): void {
    const { writer } = this.context
    if (this.grammar.callEnd.length === 0) writer.end()
    else writer.endUnclosed()
  }

  /** The arguments cannot be read on: only the end marker, or the beginning of another call, tells where they end. */
  private broken(): Next<State> {
    const { input, writer } = this.context
    if (this.grammar.callEnd.length === 0) {
      writer.fail('invalid-arguments')
      return 'done'
    }
    if (writer.isSeen) writer.holdBack()
    const { stops } = this
    const length = stops.find(input.text, input.at, input.final)
    input.at = stops.index
    if (length === PARTIAL || length === NONE) return 'more'
    if (stops.found === 'end') input.at += length
    writer.fail('invalid-arguments')
    return 'done'
  }
}

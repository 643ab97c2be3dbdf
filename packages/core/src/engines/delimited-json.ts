import { repairCodes } from '../problems.ts'
import { type Marker, MarkerSearch, NONE, PARTIAL, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import type { EndReason, Engine, EngineContext, Probe } from './engine.ts'
import { EnvelopeReader, type EnvelopeShape } from './envelope-reader.ts'

/** Calls as JSON objects between two markers: one object, several, or an array of them. */
export interface DelimitedJsonGrammar {
  readonly engine: 'delimited-json'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly callBegin: readonly Marker[]
  readonly callEnd: readonly Marker[]
  readonly envelope: EnvelopeShape
}

type State =
  /** Before the first object, or between two. */
  | { at: 'between'; calls: number }
  | { at: 'object'; reader: EnvelopeReader; calls: number }
  | { at: 'broken'; calls: number }
  | { at: 'after-object'; calls: number }

type Next = State | 'more' | 'done'

export class DelimitedJson implements Engine {
  private state: State = { at: 'between', calls: 0 }
  private readonly context: EngineContext
  private readonly grammar: DelimitedJsonGrammar
  private readonly closers: MarkerSearch<true>
  private readonly boundaries: MarkerSearch<'open' | 'close'>
  private isArray = false

  constructor(context: EngineContext, grammar: DelimitedJsonGrammar) {
    this.context = context
    this.grammar = grammar
    const compiled = compile(grammar)
    this.closers = compiled.closers
    this.boundaries = compiled.boundaries
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
        if (!writer.isIdle) this.failTruncated()
        return
      case 'after-object':
        this.endUnclosed()
        return
      case 'broken':
        this.failBroken()
        return
      case 'object':
        if (this.state.reader.hasArguments && writer.isStarted) this.endUnclosed()
        else this.failTruncated()
    }
  }

  private next(state: State): Next {
    switch (state.at) {
      case 'between':
        return this.between(state.calls)
      case 'object':
        return this.object(state)
      case 'broken':
        return this.broken(state.calls)
      case 'after-object':
        return this.afterObject(state.calls)
    }
  }

  private between(calls: number): Next {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === '{') {
      if (writer.isIdle) writer.begin()
      const reader = new EnvelopeReader(this.context, this.grammar.envelope, this.closers)
      return { at: 'object', reader, calls }
    }
    if (char === '[' && calls === 0 && !this.isArray) {
      this.isArray = true
      input.at++
      return { at: 'between', calls }
    }
    if (calls > 0 && (char === ',' || char === ';' || (char === ']' && this.isArray))) {
      if (char === ']') this.isArray = false
      input.at++
      return { at: 'between', calls }
    }
    const length = this.closers.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'more'
    if (calls > 0) {
      input.at += length
      return 'done'
    }
    input.at += length
    writer.fail('no-call', 'A tool call was opened, but there is no call in it.')
    return 'done'
  }

  private object({ reader, calls }: Extract<State, { at: 'object' }>): Next {
    const result = reader.read()
    if (result === 'more') return 'more'
    if (result === 'done' || (reader.hasArguments && this.context.writer.isStarted)) return { at: 'after-object', calls: calls + 1 }
    return { at: 'broken', calls }
  }

  /** The object cannot be read on: only a literal marker tells where it ends. */
  private broken(calls: number): Next {
    const { input, writer } = this.context
    if (writer.isStarted) writer.holdBack()
    const length = this.boundaries.find(input.text, input.at, input.final)
    input.at = this.boundaries.index
    if (length === PARTIAL || length === NONE) return 'more'
    if (!writer.isStarted && this.boundaries.value === 'close') input.at += length
    this.failBroken()
    return { at: 'between', calls: calls + 1 }
  }

  private afterObject(calls: number): Next {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === '}' || (char === ']' && !this.isArray)) {
      input.at++
      writer.repair('surplus-closer', repairCodes['surplus-closer'])
      return { at: 'after-object', calls }
    }
    const isSeparated = char === ',' || char === ';' || char === '{' || char === ']'
    const length = this.closers.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'more'
    if (length !== NONE || isSeparated) writer.end()
    else this.endUnclosed()
    return { at: 'between', calls }
  }

  private endUnclosed(): void {
    const { writer } = this.context
    writer.end()
    writer.problem('unclosed-call', 'The end marker of a tool call is missing; its arguments are whole.', '')
  }

  private failBroken(): void {
    const { writer } = this.context
    const source = writer.isStarted ? writer.release() : undefined
    if (source === undefined) writer.fail('no-call', 'There is no readable tool call between these markers.')
    else writer.fail('invalid-arguments', 'The arguments of a tool call are not valid JSON.', source)
  }

  private failTruncated(): void {
    this.context.writer.fail('truncated-call', 'The output ended inside a tool call.')
  }
}

/** What must follow the opener: an object or an array, after white space. */
export function probeDelimitedJson(text: string, at: number, final: boolean): Probe {
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const char = text.charAt(start)
  return char === '{' || char === '[' ? 'yes' : 'no'
}

interface Compiled {
  readonly closers: MarkerSearch<true>
  readonly boundaries: MarkerSearch<'open' | 'close'>
}

const compiledGrammars = new WeakMap<DelimitedJsonGrammar, Compiled>()

function compile(grammar: DelimitedJsonGrammar): Compiled {
  let compiled = compiledGrammars.get(grammar)
  if (compiled === undefined) {
    const boundaries = new MarkerSearch<'open' | 'close'>()
    for (const marker of grammar.callBegin) boundaries.add(marker, 'open')
    for (const marker of grammar.callEnd) boundaries.add(marker, 'close')
    compiled = { closers: searchFor(...grammar.callEnd), boundaries }
    compiledGrammars.set(grammar, compiled)
  }
  return compiled
}

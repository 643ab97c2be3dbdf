import { type MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import type { Next } from '../state-machine.ts'
import { type ElementTreeGrammar, type ElementTreeRole, treeMarkersOf } from './element-grammar.ts'
import { ElementReader } from './element-reader.ts'
import { readElementTag } from './element-tag.ts'
import type { OpeningTag } from './grammar.ts'
import { type CallPlace, TaggedCalls } from './tagged-calls.ts'

type Inside =
  | { at: 'element' }
  /** Behind the tag that closes a call, unless its arguments follow. */
  | { at: 'closed'; length: number }
type State = CallPlace | Inside

/** White space behind a closing tag is looked through this far to see what follows. */
const LONGEST_GAP = 256

/** Reads calls whose arguments are written as a tree of elements. */
export class ElementTree extends TaggedCalls<Inside, ElementTreeRole> {
  private readonly grammar: ElementTreeGrammar
  /** Where a tag may begin. */
  private readonly tagStart: MarkerSearch<true>
  private elements: ElementReader

  constructor(context: EngineContext, grammar: ElementTreeGrammar, tag: OpeningTag | undefined) {
    super(context, treeMarkersOf(grammar), tag)
    this.grammar = grammar
    this.tagStart = searchFor(grammar.prefix === '' ? '<' : grammar.prefix)
    this.elements = new ElementReader(context, grammar, '')
  }

  /** Without its closing tag a call counts only where the server says that the model had finished. */
  finish(reason: EndReason | undefined): void {
    const { input, writer } = this.context
    const hasFinished = reason === 'stop' || reason === 'tool_calls'
    const isAfterElements = this.state.at === 'body' && skipSpace(input.text, input.at) === input.text.length
    input.takeAll()
    if (writer.isIdle) return
    if (this.state.at === 'closed') this.endCall('closed')
    else if (isAfterElements && hasFinished && this.elements.mayBeAll()) this.endCall('unclosed')
    else writer.fail('truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'between':
        return this.between()
      case 'call-tag':
        return this.callTag(state.tag, this.context.input.at)
      // Calls of this kind always have a tag.
      case 'named':
      case 'body':
        return this.body()
      case 'junk':
        return this.inJunk(this.tagStart)
      case 'element':
        return this.insideElement()
      case 'closed':
        return this.closed(state.length)
    }
  }

  protected beginArguments(tool: string): void {
    this.elements = new ElementReader(this.context, this.grammar, tool)
  }

  protected get hasArguments(): boolean {
    return !this.elements.isEmpty
  }

  protected finishArguments(): void {
    this.elements.finish()
  }

  private body(): Next<State> {
    const { input, writer } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty || writer.isOver()) return 'more'
    const tag = readElementTag(input.text, input.at, this.grammar.prefix, input.final)
    if (tag === 'more') return 'more'
    const isOwn = tag !== 'none' && tag.is !== 'close' && this.elements.declares(tag.name)
    const role = isOwn ? 'none' : this.roleHere()
    if (role === 'more') return 'more'
    if (role !== 'none') return this.endAt(role)
    if (tag === 'none') {
      writer.holdBack()
      this.takeJunk(input.at + 1)
      return { at: 'junk' }
    }
    const length = tag.end - input.at
    input.at = tag.end
    if (tag.is === 'close') {
      writer.removed('residue', length)
      return { at: 'body' }
    }
    // A value that streams on is not held, whatever was held before it.
    writer.release()
    this.elements.begin(tag)
    return { at: 'element' }
  }

  private roleHere(): ElementTreeRole | 'none' | 'more' {
    const { input } = this.context
    const length = this.markers.match(input.text, input.at, input.final)
    if (length === PARTIAL) return 'more'
    return length > 0 ? this.markers.found : 'none'
  }

  /** The call ends here; its own end marker is taken, any other is for whoever comes next. */
  private endAt(role: ElementTreeRole): Next<State> {
    const { input } = this.context
    if (role.is !== 'call-end') {
      this.endCall('unclosed')
      return { at: 'between' }
    }
    const length = this.markers.match(input.text, input.at, input.final)
    input.at += length
    return { at: 'closed', length }
  }

  /** A call that is closed before its arguments goes on behind the tag that closes it: without them it would look whole. */
  private closed(length: number): Next<State> {
    const { input, writer } = this.context
    const at = skipSpace(input.text, input.at)
    if (this.elements.isEmpty && at - input.at <= LONGEST_GAP) {
      if (at === input.text.length && !input.final) return 'more'
      const tag = readElementTag(input.text, at, this.grammar.prefix, input.final)
      if (tag === 'more') return 'more'
      if (tag !== 'none' && tag.is !== 'close' && this.elements.declares(tag.name)) {
        writer.removed('residue', length)
        input.at = at
        return { at: 'body' }
      }
    }
    this.endCall('closed')
    return { at: 'between' }
  }

  private insideElement(): Next<State> {
    const result = this.elements.read()
    if (result === 'more') return 'more'
    if (result === 'done') return { at: 'body' }
    return this.giveUp()
  }
}

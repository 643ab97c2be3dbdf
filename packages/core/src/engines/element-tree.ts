import { PARTIAL } from '../text/marker.ts'
import { type MarkerSearch, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { readTag } from '../text/tag-reader.ts'
import { ElementReader } from './element-reader.ts'
import { readElementTag } from './element-tag.ts'
import { type ElementTreeGrammar, type ElementTreeRole, treeMarkersOf } from './element-tree-grammar.ts'
import type { EndReason, EngineContext } from './engine.ts'
import { type Next, StateMachine } from './state-machine.ts'
import type { OpeningTag } from './tagged-params-grammar.ts'

type State =
  /** In a section, outside any call. */
  | { at: 'between' }
  | { at: 'call-tag'; tag: OpeningTag }
  /** In a call, outside any element. */
  | { at: 'body' }
  /** In a call, in text that belongs to no element. */
  | { at: 'junk' }
  | { at: 'element' }

/** More text than this outside of elements is no slip: nobody may be kept waiting for the end of it. */
const LONGEST_JUNK = 256

/** Reads calls whose arguments are written as a tree of elements. */
export class ElementTree extends StateMachine<State> {
  protected state: State
  private readonly context: EngineContext
  private readonly grammar: ElementTreeGrammar
  private readonly markers: MarkerSearch<ElementTreeRole>
  /** Where a tag may begin. */
  private readonly tagStart: MarkerSearch<true>
  private readonly isInSection: boolean
  private elements: ElementReader
  private junk = ''

  constructor(context: EngineContext, grammar: ElementTreeGrammar, tag: OpeningTag | undefined) {
    super()
    this.context = context
    this.grammar = grammar
    this.markers = treeMarkersOf(grammar)
    this.tagStart = searchFor(grammar.prefix === '' ? '<' : grammar.prefix)
    this.elements = new ElementReader(context, grammar, '')
    this.isInSection = tag === undefined
    this.state = tag === undefined ? { at: 'between' } : { at: 'call-tag', tag }
  }

  /** Without its closing tag a call counts only where the server says that the model had finished. */
  finish(reason: EndReason | undefined): void {
    const { input, writer } = this.context
    const hasFinished = reason === 'stop' || reason === 'tool_calls'
    const isAfterElements = this.state.at === 'body' && skipSpace(input.text, input.at) === input.text.length
    input.takeAll()
    if (writer.isIdle) return
    if (isAfterElements && hasFinished && this.elements.mayBeAll()) this.endCall('unclosed')
    else writer.fail('truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'between':
        return this.between()
      case 'call-tag':
        return this.callTag(state.tag, this.context.input.at)
      case 'body':
        return this.body()
      case 'junk':
        return this.inJunk()
      case 'element':
        return this.insideElement()
    }
  }

  private between(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(input)
    if (role === 'more') return 'more'
    if (role === 'none' || role.is === 'section-begin') {
      this.leavesOpen = this.isInSection
      if (!writer.isIdle) writer.fail('no-call')
      return 'done'
    }
    if (role.is === 'call-begin') return this.callTag(role.tag, input.at + this.markers.length)
    input.at += this.markers.length
    if (role.is === 'section-end') {
      if (!writer.isIdle) writer.fail('no-call')
      return 'done'
    }
    writer.repair('residue')
    return { at: 'between' }
  }

  private callTag(shape: OpeningTag, from: number): Next<State> {
    const { input, writer } = this.context
    const tag = readTag(input.text, from, shape, input.final)
    if (tag === 'more') return 'more'
    if (writer.isIdle) writer.begin()
    if (tag === 'bad') {
      input.at = from
      writer.fail('no-call')
      return 'done'
    }
    input.at = tag.end
    const name = writer.start(null, tag.name)
    this.elements = new ElementReader(this.context, this.grammar, name)
    this.junk = ''
    if (!tag.isSelfClosing) return { at: 'body' }
    this.endCall('closed')
    return { at: 'between' }
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
      this.junk += input.take(input.at + 1)
      return { at: 'junk' }
    }
    input.at = tag.end
    if (tag.is === 'close') {
      writer.repair('residue')
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
    input.at += this.markers.match(input.text, input.at, input.final)
    this.endCall('closed')
    return { at: 'between' }
  }

  private inJunk(): Next<State> {
    const { input, writer, isTentative } = this.context
    const length = this.tagStart.find(input.text, input.at, input.final)
    this.junk += input.take(this.tagStart.index)
    if (isTentative || this.junk.length > LONGEST_JUNK) {
      input.unread(this.junk.slice(isTentative ? 0 : LONGEST_JUNK))
      this.leavesOpen = this.isInSection
      writer.fail('invalid-arguments')
      return 'done'
    }
    return length > 0 ? { at: 'body' } : 'more'
  }

  private insideElement(): Next<State> {
    const result = this.elements.read()
    if (result === 'more') return 'more'
    if (result === 'done') return { at: 'body' }
    this.leavesOpen = this.isInSection
    this.context.writer.fail('invalid-arguments')
    return 'done'
  }

  private endCall(closing: 'closed' | 'unclosed'): void {
    const { writer } = this.context
    if (writer.isOver()) return
    // Arguments in no form that can be read are not the same as no arguments.
    if (this.junk !== '' && this.elements.isEmpty) {
      writer.fail('invalid-arguments')
      return
    }
    writer.release()
    this.elements.finish()
    if (closing === 'closed') writer.end()
    else writer.endUnclosed()
    if (this.junk !== '') writer.stray(this.junk.trimEnd())
    this.junk = ''
  }
}

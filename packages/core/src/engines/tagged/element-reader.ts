import { problemCodes } from '../../problems.ts'
import { JsonWriter } from '../../text/json-writer.ts'
import { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { EngineContext, Probe } from '../engine.ts'
import { isPureString } from '../untyped-value.ts'
import { type ElementTreeGrammar, treeMarkersOf } from './element-grammar.ts'
import { type ElementTag, readElementTag } from './element-tag.ts'
import { type Element, elementJson, SchemaView } from './element.ts'

type State =
  /** What comes first tells text from elements. */
  | { at: 'start' }
  /** Nothing but a string is possible: it is sent on while it comes in. */
  | { at: 'string' }
  /** Collected, and decided when it is whole. The innermost element is the last. */
  | { at: 'tree'; open: [Element, ...Element[]] }
  | { at: 'done' }
  | { at: 'broken' }

/** White space behind a closing tag is looked through this far to see what follows. */
const LONGEST_GAP = 256
/** Nobody nests arguments this deep; converting them would exhaust the stack. */
const DEEPEST = 128

/** Turns the elements of one call into one JSON object. */
export class ElementReader {
  private readonly context: EngineContext
  private readonly grammar: ElementTreeGrammar
  private readonly tool: string
  private readonly schema: SchemaView
  private readonly json = new JsonWriter()
  private readonly keys = new Set<string>()
  private key = ''
  private state: State = { at: 'done' }
  private marks = new MarkerSearch<'tag' | 'bare-end'>()
  /** Elements that were opened inside of a string, where they are text, and so are the tags that close them. */
  private opened: string[] = []
  /** A whole call stands in the string, as text. */
  private holdsCall = false

  constructor(context: EngineContext, grammar: ElementTreeGrammar, tool: string) {
    this.context = context
    this.grammar = grammar
    this.tool = tool
    this.schema = new SchemaView(context.tools.schema(tool))
  }

  get isEmpty(): boolean {
    return this.keys.size === 0
  }

  declares(name: string): boolean {
    return Object.hasOwn(this.context.tools.properties(this.tool) ?? {}, name)
  }

  /** A call that was cut before its first element is whole only if its tool takes none. */
  mayBeAll(): boolean {
    const { tools } = this.context
    return (
      !this.isEmpty || (tools.has(this.tool) && Object.keys(tools.properties(this.tool) ?? {}).length === 0)
    )
  }

  begin({ name, is }: ElementTag): void {
    const { writer } = this.context
    if (this.keys.has(name)) {
      writer.problem('duplicate-parameter', `The parameter "${name}" was written twice.`, name)
    }
    this.keys.add(name)
    this.key = name
    this.opened = []
    this.holdsCall = false
    this.marks = new MarkerSearch()
    this.marks.add(this.grammar.prefix === '' ? '<' : this.grammar.prefix, 'tag')
    if (this.grammar.prefix !== '') this.marks.add(`</${name}>`, 'bare-end')
    this.state = { at: 'start' }
    if (is === 'empty') this.endTree({ name, text: '', children: [] })
  }

  /** Reads on in the element. At `done` the input stands behind it. */
  read(): 'more' | 'done' | 'broken' {
    for (;;) {
      const { state } = this
      if (state.at === 'done' || state.at === 'broken') return state.at
      const next = this.step(state)
      if (next === 'more') return 'more'
      this.state = next
    }
  }

  /** All elements are written. */
  finish(): void {
    this.context.writer.delta(this.json.end())
  }

  private step(state: Exclude<State, { at: 'done' | 'broken' }>): State | 'more' {
    switch (state.at) {
      case 'start':
        return this.start()
      case 'string':
        return this.insideString()
      case 'tree':
        return this.insideTree(state.open)
    }
  }

  private start(): State | 'more' {
    const { input, writer } = this.context
    const types = this.schema.property(this.key).types()
    if (isPureString(types)) {
      const at = skipSpace(input.text, input.at)
      const tag = at - input.at > LONGEST_GAP ? 'none' : this.tagAt(at)
      if (tag === 'more') return 'more'
      const isTree = tag !== 'none' && tag.is !== 'close' && !(types.size > 0 && this.expects(tag.name))
      if (!isTree) {
        writer.delta(`${this.json.key(this.key)}"`)
        return { at: 'string' }
      }
    }
    writer.holdBack()
    return { at: 'tree', open: [{ name: this.key, text: '', children: [] }] }
  }

  private tagAt(at: number): ElementTag | 'more' | 'none' {
    const { input } = this.context
    if (at === input.text.length) return input.final ? 'none' : 'more'
    return readElementTag(input.text, at, this.grammar.prefix, input.final)
  }

  private insideString(): State | 'more' {
    const { input, writer } = this.context
    const length = this.marks.find(input.text, input.at, false)
    writer.delta(this.json.stringPiece(this.takeValue(this.marks.index)))
    if (length === PARTIAL || length === NONE) return 'more'
    const end = this.marks.found === 'tag' ? this.endAtTag() : this.endBare(length)
    if (end === 'more') return 'more'
    if (end === 'swallowed') return { at: 'broken' }
    if (end === 'no') {
      writer.delta(this.json.stringPiece(this.takeValue(input.at + length)))
      return { at: 'string' }
    }
    input.at = end
    writer.delta(this.json.endString())
    return { at: 'done' }
  }

  private takeValue(end: number): string {
    const { input } = this.context
    const from = input.position
    const value = input.take(end)
    input.observer?.became('arguments', from, input.position)
    return value
  }

  /** Where the value ends, if the tag here ends it: its own closing tag does, and what may only follow one. */
  private endAtTag(): number | 'no' | 'more' | 'swallowed' {
    const { input } = this.context
    const tag = this.tagAt(input.at)
    if (tag === 'more') return 'more'
    if (tag === 'none') return 'no'
    if (tag.is === 'close' && tag.name === this.key) {
      const isTag = this.isFollowedByTag(tag.end)
      const isEnd = isTag === 'no' ? this.isFollowedByJunk(tag.end) : isTag
      return isEnd === 'yes' ? tag.end : isEnd
    }
    if (tag.is !== 'close') {
      if (this.opened.length === 0 && this.expects(tag.name)) return this.endUnclosed()
      if (tag.is === 'open' && this.opened.length < DEEPEST) this.opened.push(tag.word)
      return 'no'
    }
    const depth = this.opened.lastIndexOf(tag.name)
    if (depth >= 0) {
      this.opened.length = depth
      this.holdsCall ||= this.isCallEnd(input.at)
      return 'no'
    }
    if (this.isCallEnd(input.at)) {
      // Its own call has no end: what looks like a call in the string is the next one, and the whole would be a wrong call.
      const isSwallowed = this.holdsCall && treeMarkersOf(this.grammar).found.is !== 'call-end'
      return isSwallowed ? 'swallowed' : this.endUnclosed()
    }
    return this.endWrongly(tag)
  }

  private endUnclosed(): number {
    const { input, writer } = this.context
    writer.problem('missing-tag', problemCodes['missing-tag'], this.grammar.prefix)
    return input.at
  }

  /** The closing tag has another name. With further markup behind it, it was meant for this element. */
  private endWrongly({ end }: ElementTag): number | 'no' | 'more' {
    const { input, writer } = this.context
    const isEnd = this.grammar.prefix === '' ? 'no' : this.isFollowedByTag(end)
    if (isEnd !== 'yes') return isEnd
    writer.problem('extra-field', problemCodes['extra-field'], input.text.slice(input.at, end))
    return end
  }

  /** The token before the closing tag was forgotten. */
  private endBare(length: number): number | 'no' | 'more' {
    const { input } = this.context
    const behind = input.at + length
    const isEnd = this.isFollowedByTag(behind)
    if (isEnd !== 'yes') return isEnd
    const tag = this.tagAt(skipSpace(input.text, behind))
    // With the real one behind it, it is text.
    const isText = typeof tag === 'object' && tag.is === 'close' && tag.name === this.key
    return isText ? 'no' : behind
  }

  private isFollowedByTag(from: number): Probe {
    const { input } = this.context
    const at = skipSpace(input.text, from)
    if (at - from > LONGEST_GAP) return 'no'
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    const tag = this.tagAt(at)
    return tag === 'more' ? 'more' : tag === 'none' ? (input.final && this.isCut(at) ? 'yes' : 'no') : 'yes'
  }

  /** Words that belong to nothing, and behind them what can only follow the end of the element. */
  private isFollowedByJunk(from: number): Probe {
    const { grammar } = this
    const { input } = this.context
    const window = input.text.slice(from, from + LONGEST_GAP)
    const at = grammar.prefix === '' ? -1 : window.indexOf(grammar.prefix)
    if (at < 0) return grammar.prefix === '' || input.final || window.length === LONGEST_GAP ? 'no' : 'more'
    const tag = this.tagAt(from + at)
    if (typeof tag === 'string') return tag === 'more' ? 'more' : 'no'
    return (tag.is === 'close' ? this.isCallEnd(from + at) : this.expects(tag.name)) ? 'yes' : 'no'
  }

  /** A tag that was cut off at the end of the stream follows too. */
  private isCut(at: number): boolean {
    const { input } = this.context
    return readElementTag(input.text, at, this.grammar.prefix, false) === 'more'
  }

  /** Whether a parameter of this name may follow: the tool declares it and it was not given yet. */
  private expects(name: string): boolean {
    return !this.keys.has(name) && this.declares(name)
  }

  private isCallEnd(at: number): boolean {
    return treeMarkersOf(this.grammar).match(this.context.input.text, at, true) > 0
  }

  private insideTree(open: [Element, ...Element[]]): State | 'more' {
    const { input } = this.context
    const length = this.marks.find(input.text, input.at, false)
    const top = open.at(-1) ?? open[0]
    top.text += this.takeValue(this.marks.index)
    if (length === PARTIAL || length === NONE) return 'more'
    const tag = this.marks.found === 'tag' ? this.tagAt(input.at) : 'none'
    if (tag === 'more') return 'more'
    if (tag === 'none') {
      top.text += this.takeValue(input.at + length)
      return { at: 'tree', open }
    }
    const isOwnEnd = tag.is === 'close' && tag.name === top.name
    const bare = isOwnEnd ? undefined : this.closeBare(open)
    if (bare !== undefined) return bare
    if (tag.is !== 'close') return this.openChild(open, top, tag)
    const isWrong = this.isWrongEnd(open, tag)
    return isWrong === 'more' ? 'more' : isWrong ? this.dropEnd(open, tag) : this.takeEnd(open, tag, length)
  }

  /** Whether it closes nothing that is open, with further markup behind it. */
  private isWrongEnd(open: readonly Element[], tag: ElementTag): boolean | 'more' {
    if (
      this.grammar.prefix === '' ||
      open.some(({ name }) => name === tag.name) ||
      this.isCallEnd(this.context.input.at)
    )
      return false
    const isFollowed = this.isFollowedByTag(tag.end)
    return isFollowed === 'more' ? 'more' : isFollowed === 'yes'
  }

  private dropEnd(open: [Element, ...Element[]], tag: ElementTag): State {
    const { input, writer } = this.context
    const source = input.take(tag.end)
    writer.problem('extra-field', problemCodes['extra-field'], source)
    return { at: 'tree', open }
  }

  /** The text ends in the closing tag of its element: the token before it was forgotten. */
  private closeBare(open: [Element, ...Element[]]): State | undefined {
    const top = open.at(-1) ?? open[0]
    const closer = `</${top.name}>`
    const text = top.text.trimEnd()
    if (!text.endsWith(closer)) return undefined
    top.text = text.slice(0, -closer.length)
    return this.closeTo(open, open.length - 1)
  }

  private openChild(open: [Element, ...Element[]], top: Element, tag: ElementTag): State {
    const { input } = this.context
    if (open.length >= DEEPEST) return { at: 'broken' }
    input.at = tag.end
    const child: Element = { name: tag.name, text: '', children: [] }
    top.children.push(child)
    if (tag.is === 'open') open.push(child)
    return { at: 'tree', open }
  }

  private takeEnd(open: [Element, ...Element[]], tag: ElementTag, length: number): State {
    const { input } = this.context
    const depth = open.findLastIndex((element) => element.name === tag.name)
    if (depth >= 0) {
      if (depth < open.length - 1) this.endUnclosed()
      input.at = tag.end
      return this.closeTo(open, depth)
    }
    if (this.isCallEnd(input.at)) {
      this.endUnclosed()
      return this.closeTo(open, 0)
    }
    const top = open.at(-1) ?? open[0]
    top.text += this.takeValue(input.at + length)
    return { at: 'tree', open }
  }

  /** Closes the element at this depth, and those inside it that were left open. */
  private closeTo(open: [Element, ...Element[]], depth: number): State {
    const [root, ...inner] = open
    if (depth > 0) return { at: 'tree', open: [root, ...inner.slice(0, depth - 1)] }
    return this.endTree(root)
  }

  private endTree(root: Element): State {
    const { writer } = this.context
    if (writer.isOver()) return { at: 'done' }
    const typed = elementJson(root, this.schema.property(this.key), this.grammar.item)
    writer.release()
    if (typed.mismatch === true) {
      const message = `The value of "${this.key}" does not fit the type that "${this.tool}" declares.`
      writer.problem('type-mismatch', message, typed.json)
    }
    writer.delta(this.json.key(this.key) + typed.json)
    for (const code of typed.repairs ?? []) writer.repair(code)
    this.state = { at: 'done' }
    return { at: 'done' }
  }
}

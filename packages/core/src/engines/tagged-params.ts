import { repairCodes } from '../problems.ts'
import { type Marker, MarkerSearch, NONE, PARTIAL, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { readTag, type TagShape } from '../text/tag-reader.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import type { EndReason, Engine, EngineContext, Probe } from './engine.ts'
import { type ParameterShape, ParameterWriter } from './parameter-writer.ts'

/** An opening tag: its marker, and how the rest of it is written. */
export interface OpeningTag extends TagShape {
  readonly open: Marker
}

/** A call as a tag with a tag for each parameter, in an optional section. */
export interface TaggedParamsGrammar {
  readonly engine: 'tagged-params'
  readonly id: string
  /** The markers are tokens of their own in the model's vocabulary: never prose. */
  readonly isSpecial: boolean
  readonly sectionBegin: readonly Marker[]
  readonly sectionEnd: readonly Marker[]
  readonly callBegin: readonly OpeningTag[]
  readonly callEnd: readonly Marker[]
  readonly parameterBegin: readonly OpeningTag[]
  readonly parameterEnd: readonly Marker[]
  readonly parameter: ParameterShape
  /** The section may be missing: the tag of a call is an opener of its own. */
  readonly isSectionOptional: boolean
}

type Role =
  | { readonly is: 'section-begin' | 'section-end' | 'call-end' | 'parameter-end' }
  | { readonly is: 'call-begin' | 'parameter-begin'; readonly tag: OpeningTag }

type State =
  /** In a section, outside any call. */
  | { at: 'between' }
  | { at: 'call-tag'; tag: OpeningTag }
  /** In a call, outside any parameter. */
  | { at: 'body' }
  | { at: 'value' }
  | { at: 'json'; reader: ArgumentsReader }
  | { at: 'broken-json' }
  | { at: 'after-json' }

type Next = State | 'more' | 'done'

/** White space behind a closing tag is looked through this far to see what follows. */
const LONGEST_GAP = 256

export class TaggedParams implements Engine {
  private state: State
  private readonly context: EngineContext
  private readonly grammar: TaggedParamsGrammar
  private readonly markers: MarkerSearch<Role>
  private readonly callEnds: MarkerSearch<true>
  private parameters: ParameterWriter
  /** Text in a call that belongs to no parameter. */
  private junk = ''

  constructor(context: EngineContext, grammar: TaggedParamsGrammar, tag: OpeningTag | undefined) {
    this.context = context
    this.grammar = grammar
    const compiled = compile(grammar)
    this.markers = compiled.markers
    this.callEnds = compiled.callEnds
    this.parameters = new ParameterWriter(context, grammar.parameter, '')
    this.state = tag === undefined ? { at: 'between' } : { at: 'call-tag', tag }
  }

  step(): 'again' | 'more' | 'done' {
    const next = this.next(this.state)
    if (next === 'more' || next === 'done') return next
    this.state = next
    return 'again'
  }

  /**
   * Without the closing tag nobody knows whether more parameters were to come. Only where the
   * server says that the model had finished does the call count.
   */
  finish(reason: EndReason | undefined): void {
    const { writer } = this.context
    const hasFinished = reason === 'stop' || reason === 'tool_calls'
    switch (this.state.at) {
      case 'after-json':
        this.endUnclosed()
        return
      case 'body':
        if (hasFinished) {
          this.parameters.finish()
          this.endUnclosed()
          return
        }
        break
      case 'broken-json':
        this.failBroken()
        return
      case 'between':
        if (writer.isIdle) return
        break
      default:
    }
    writer.fail('truncated-call', 'The output ended inside a tool call.')
  }

  private next(state: State): Next {
    switch (state.at) {
      case 'between':
        return this.between()
      case 'call-tag':
        return this.callTag(state.tag, this.context.input.at)
      case 'body':
        return this.body()
      case 'value':
        return this.insideValue()
      case 'json':
        return this.json(state.reader)
      case 'broken-json':
        return this.brokenJson()
      case 'after-json':
        return this.afterJson()
    }
  }

  private between(): Next {
    const { input, writer } = this.context
    const role = this.roleHere()
    if (role === 'more') return 'more'
    if (role === 'none' || role.is === 'section-begin' || role.is === 'parameter-begin') {
      if (!writer.isIdle) writer.fail('no-call', 'A tool call was opened, but there is no call in it.')
      return 'done'
    }
    if (role.is === 'call-begin') return this.callTag(role.tag, input.at + this.length)
    input.at += this.length
    if (role.is !== 'section-end') return { at: 'between' }
    if (!writer.isIdle) writer.fail('no-call', 'A tool call was opened, but there is no call in it.')
    return 'done'
  }

  private callTag(shape: OpeningTag, from: number): Next {
    const { input, writer } = this.context
    const tag = readTag(input.text, from, shape, input.final)
    if (tag === 'more') return 'more'
    if (writer.isIdle) writer.begin()
    if (tag === 'bad') {
      input.at = from
      writer.fail('no-call', 'The tag of a tool call holds no name.')
      return 'done'
    }
    input.at = tag.end
    const name = writer.start(null, tag.name)
    this.parameters = new ParameterWriter(this.context, this.grammar.parameter, name)
    this.junk = ''
    if (!tag.isSelfClosing) return { at: 'body' }
    this.parameters.finish()
    writer.end()
    return { at: 'between' }
  }

  private body(): Next {
    const { input, writer } = this.context
    const role = this.roleHere()
    if (role === 'more') return 'more'
    if (role === 'none') {
      if (this.parameters.isEmpty && input.text.charAt(input.at) === '{') {
        return { at: 'json', reader: new ArgumentsReader(writer, this.callEnds) }
      }
      this.skipJunk(input.at + 1)
      return { at: 'body' }
    }
    switch (role.is) {
      case 'parameter-begin':
        return this.parameterTag(role.tag)
      case 'parameter-end':
        input.at += this.length
        return { at: 'body' }
      case 'call-end':
        input.at += this.length
        this.parameters.finish()
        this.endCall()
        return { at: 'between' }
      default:
        this.parameters.finish()
        this.endUnclosed()
        return { at: 'between' }
    }
  }

  private parameterTag(shape: OpeningTag): Next {
    const { input } = this.context
    const tag = readTag(input.text, input.at + this.length, shape, input.final)
    if (tag === 'more') return 'more'
    if (tag === 'bad') {
      this.skipJunk(input.at + this.length)
      return { at: 'body' }
    }
    input.at = tag.end
    this.parameters.begin(tag)
    if (!tag.isSelfClosing) return { at: 'value' }
    this.parameters.end()
    return { at: 'body' }
  }

  private insideValue(): Next {
    const { input } = this.context
    const length = this.markers.find(input.text, input.at, input.final)
    const role = this.markers.value
    this.parameters.text(input.take(this.markers.index))
    if (length === PARTIAL || length === NONE || role === undefined) return 'more'
    const closes = this.closesValue(role, input.at + length)
    if (closes === 'more') return 'more'
    if (closes === 'no') {
      this.parameters.text(input.take(input.at + length))
      return { at: 'value' }
    }
    if (role.is === 'parameter-end') input.at += length
    this.parameters.end()
    return { at: 'body' }
  }

  /**
   * Values are not escaped, so a closing tag may be part of one. It closes the value only if what
   * may come next in the grammar does come next; a value without closing tag ends at the next
   * parameter that the tool declares, or at the end of the call.
   */
  private closesValue(role: Role, behind: number): Probe {
    const { input } = this.context
    switch (role.is) {
      case 'parameter-end':
        return this.isFollowedBy(behind, afterParameter)
      case 'call-end':
        return this.isFollowedBy(behind, afterCall)
      case 'parameter-begin': {
        if (!this.parameters.isAtLineStart) return 'no'
        const tag = readTag(input.text, behind, role.tag, input.final)
        if (tag === 'more') return 'more'
        return tag !== 'bad' && this.parameters.expects(tag.name) ? 'yes' : 'no'
      }
      default:
        return 'no'
    }
  }

  private isFollowedBy(from: number, allowed: ReadonlySet<Role['is']>): Probe {
    const { input } = this.context
    const at = skipSpace(input.text, from)
    if (at - from > LONGEST_GAP) return 'no'
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    const length = this.markers.match(input.text, at, input.final)
    if (length === PARTIAL) return 'more'
    const role = this.markers.value
    return length !== NONE && role !== undefined && allowed.has(role.is) ? 'yes' : 'no'
  }

  private json(reader: ArgumentsReader): Next {
    const result = reader.read(this.context.input)
    if (result === 'more') return 'more'
    if (result === 'broken') return { at: 'broken-json' }
    reader.reportTo(this.context.writer)
    return { at: 'after-json' }
  }

  private brokenJson(): Next {
    const { input } = this.context
    const length = this.callEnds.find(input.text, input.at, input.final)
    input.at = this.callEnds.index
    if (length === PARTIAL || length === NONE) return 'more'
    this.failBroken()
    return { at: 'between' }
  }

  private afterJson(): Next {
    const { input, writer } = this.context
    const role = this.roleHere()
    if (role === 'more') return 'more'
    if (role === 'none' && (input.text.charAt(input.at) === '}' || input.text.charAt(input.at) === ']')) {
      input.at++
      writer.repair('surplus-closer', repairCodes['surplus-closer'])
      return { at: 'after-json' }
    }
    if (role !== 'none' && role.is === 'call-end') {
      input.at += this.length
      this.endCall()
    } else {
      this.endUnclosed()
    }
    return { at: 'between' }
  }

  private length = 0

  /** Which marker stands behind the white space; its length is in `length`. */
  private roleHere(): Role | 'none' | 'more' {
    const { input } = this.context
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    this.length = this.markers.match(input.text, input.at, input.final)
    if (this.length === PARTIAL) return 'more'
    return this.length === NONE ? 'none' : (this.markers.value ?? 'none')
  }

  private skipJunk(from: number): void {
    const { input, writer } = this.context
    writer.holdBack()
    this.markers.find(input.text, from, input.final)
    this.junk += input.take(this.markers.index)
  }

  private endCall(): void {
    const { writer } = this.context
    writer.release()
    writer.end()
    if (this.junk !== '') writer.stray(this.junk)
    this.junk = ''
  }

  private endUnclosed(): void {
    this.endCall()
    this.context.writer.problem(
      'unclosed-call',
      'The closing tag of a tool call is missing; its arguments are whole.',
      '',
    )
  }

  private failBroken(): void {
    const { writer } = this.context
    const source = writer.release()
    writer.fail('invalid-arguments', 'The arguments of a tool call are not valid JSON.', source)
  }
}

const afterParameter: ReadonlySet<Role['is']> = new Set([
  'parameter-begin',
  'call-end',
  'section-end',
  'call-begin',
  'section-begin',
])
const afterCall: ReadonlySet<Role['is']> = new Set(['section-end', 'call-begin', 'section-begin'])

/** What must follow the opener of a section: the tag of a call, after white space. */
export function probeTaggedParams(
  grammar: TaggedParamsGrammar,
  tag: OpeningTag | undefined,
  text: string,
  at: number,
  final: boolean,
): Probe {
  if (tag !== undefined) return probeTag(tag, text, at, final)
  const start = skipSpace(text, at)
  if (start === text.length) return final ? 'no' : 'more'
  const { markers } = compile(grammar)
  const length = markers.match(text, start, final)
  if (length === PARTIAL) return 'more'
  const role = markers.value
  if (length === NONE || role === undefined || role.is !== 'call-begin') return 'no'
  return probeTag(role.tag, text, start + length, final)
}

function probeTag(shape: OpeningTag, text: string, at: number, final: boolean): Probe {
  const tag = readTag(text, at, shape, final)
  return tag === 'more' ? 'more' : tag === 'bad' ? 'no' : 'yes'
}

interface Compiled {
  readonly markers: MarkerSearch<Role>
  readonly callEnds: MarkerSearch<true>
}

const compiledGrammars = new WeakMap<TaggedParamsGrammar, Compiled>()

function compile(grammar: TaggedParamsGrammar): Compiled {
  let compiled = compiledGrammars.get(grammar)
  if (compiled === undefined) {
    const markers = new MarkerSearch<Role>()
    for (const marker of grammar.sectionBegin) markers.add(marker, { is: 'section-begin' })
    for (const marker of grammar.sectionEnd) markers.add(marker, { is: 'section-end' })
    for (const marker of grammar.callEnd) markers.add(marker, { is: 'call-end' })
    for (const marker of grammar.parameterEnd) markers.add(marker, { is: 'parameter-end' })
    for (const tag of grammar.callBegin) markers.add(tag.open, { is: 'call-begin', tag })
    for (const tag of grammar.parameterBegin) markers.add(tag.open, { is: 'parameter-begin', tag })
    compiled = { markers, callEnds: searchFor(...grammar.callEnd, ...grammar.sectionEnd) }
    compiledGrammars.set(grammar, compiled)
  }
  return compiled
}

import { problemCodes } from '../problems.ts'
import { NONE, PARTIAL } from '../text/marker.ts'
import { type MarkerSearch, searchFor } from '../text/marker-search.ts'
import { skipSpace } from '../text/space.ts'
import { readTag, type Tag } from '../text/tag-reader.ts'
import { ArgumentsReader } from './arguments-reader.ts'
import type { CallWriter } from './call-writer.ts'
import type { EndReason, EngineContext } from './engine.ts'
import { ParameterWriter } from './parameter-writer.ts'
import {
  markersOf,
  type OpeningTag,
  type TaggedParamsGrammar,
  type TaggedParamsRole,
} from './tagged-params-grammar.ts'
import { type Next, StateMachine } from './state-machine.ts'
import { ValueEnd } from './value-end.ts'

type State =
  /** In a section, outside any call. */
  | { at: 'between' }
  | { at: 'call-tag'; tag: OpeningTag }
  /** In a call, outside any parameter. */
  | { at: 'body' }
  /** In a call, in text that belongs to no parameter. */
  | { at: 'junk' }
  /** The output ended inside a tag. */
  | { at: 'cut' }
  | { at: 'value-start' | 'cdata' | 'value' }
  | { at: 'json'; reader: ArgumentsReader }
  | { at: 'broken-json' }
  | { at: 'after-json' }

const cdataBegin = searchFor('<![CDATA[')
const cdataEnd = searchFor(']]>')

/** More text than this outside of parameters is no slip: nobody may be kept waiting for the end of it. */
const LONGEST_JUNK = 256

export class TaggedParams extends StateMachine<State> {
  protected state: State
  private readonly context: EngineContext
  private readonly grammar: TaggedParamsGrammar
  private readonly markers: MarkerSearch<TaggedParamsRole>
  private readonly ends: MarkerSearch<true>
  private readonly parameterBegins: MarkerSearch<true>
  private parameters: ParameterWriter
  private readonly valueEnd: ValueEnd
  /** Text in a call that belongs to no parameter. */
  private junk = ''
  private tool = ''
  /** The arguments came as JSON, not as parameters. */
  private hasJson = false
  private readonly isInSection: boolean

  constructor(context: EngineContext, grammar: TaggedParamsGrammar, tag: OpeningTag | undefined) {
    super()
    this.context = context
    this.grammar = grammar
    const { all, ends, parameterBegins } = markersOf(grammar)
    this.markers = all
    this.ends = ends
    this.parameterBegins = parameterBegins
    this.parameters = new ParameterWriter(context, grammar.parameter, '')
    this.valueEnd = new ValueEnd(context.input, grammar)
    this.isInSection = tag === undefined
    this.state = tag === undefined ? { at: 'between' } : { at: 'call-tag', tag }
  }

  /**
   * Without the closing tag nobody knows whether more parameters were to come. Only where the
   * server says that the model had finished does the call count.
   */
  finish(reason: EndReason | undefined): void {
    const { input, writer } = this.context
    const hasFinished = reason === 'stop' || reason === 'tool_calls'
    input.takeAll()
    if (writer.isIdle) return
    const isAfterParameters = this.state.at === 'body' || this.state.at === 'junk'
    if (this.state.at === 'after-json' || (isAfterParameters && hasFinished && this.mayBeWhole())) {
      this.endCall('unclosed')
    } else {
      writer.fail(this.state.at === 'broken-json' ? 'invalid-arguments' : 'truncated-call')
    }
  }

  /** A call that was cut before its first parameter is whole only if its tool takes none. */
  private mayBeWhole(): boolean {
    if (!this.parameters.isEmpty) return true
    const properties = this.context.tools.properties(this.tool)
    return this.context.tools.has(this.tool) && Object.keys(properties ?? {}).length === 0
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
      case 'cut':
        return 'more'
      case 'value-start':
        return this.valueStart()
      case 'cdata':
        return this.insideCdata()
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

  private between(): Next<State> {
    const { input, writer } = this.context
    const role = this.markers.ahead(this.context.input)
    if (role === 'more') return 'more'
    if (role === 'none' || role.is === 'section-begin' || role.is === 'parameter-begin') {
      return this.leave()
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

  /** What follows is no call in this syntax, but it may be one in another. */
  private leave(): Next<State> {
    this.leavesOpen = this.isInSection
    if (!this.context.writer.isIdle) this.context.writer.fail('no-call')
    return 'done'
  }

  private callTag(shape: OpeningTag, from: number): Next<State> {
    const { input, writer } = this.context
    const tag = readTag(input.text, from, shape, input.final)
    if (tag === 'more') return 'more'
    // Other syntaxes open with the same tag.
    if (tag === 'bad' && shape.name === 'word' && writer.isIdle) return this.leave()
    if (writer.isIdle) writer.begin()
    if (tag === 'bad') {
      input.at = from
      writer.fail('no-call')
      return 'done'
    }
    input.at = tag.end
    const name = writer.start(null, tag.name)
    reportExtra(tag, shape, writer)
    this.parameters = new ParameterWriter(this.context, this.grammar.parameter, name)
    this.tool = name
    this.hasJson = false
    this.junk = ''
    if (!tag.isSelfClosing) return { at: 'body' }
    this.endCall()
    return { at: 'between' }
  }

  private body(): Next<State> {
    const { input, writer } = this.context
    if (input.final && this.isCutParameter()) return { at: 'cut' }
    const byName = this.closeByName()
    if (byName !== undefined) return byName
    const role = this.markers.ahead(this.context.input)
    if (role === 'more' || writer.isOver()) return 'more'
    if (role === 'none') {
      const isJson = this.parameters.isEmpty && this.junk === '' && input.text.charAt(input.at) === '{'
      return isJson ? { at: 'json', reader: new ArgumentsReader(writer, this.ends) } : { at: 'junk' }
    }
    switch (role.is) {
      case 'parameter-begin':
        return this.parameterTag(role.tag)
      case 'key-end':
        return this.lateKey()
      case 'parameter-end':
        input.at += this.markers.length
        writer.repair('residue')
        return { at: 'body' }
      case 'call-end':
        input.at += this.markers.length
        this.endCall()
        return { at: 'between' }
      default:
        this.endCall('unclosed')
        return { at: 'between' }
    }
  }

  /** The key was closed but never opened: then it is the word that stands there, belonging to nothing. */
  private lateKey(): Next<State> {
    const { input, writer } = this.context
    const [, before = '', key = ''] = /^(.*?)([\w.-]*)\s*$/s.exec(this.junk) ?? []
    const shape = this.grammar.parameterBegin[0]
    if (key === '' || shape === undefined) {
      input.at += this.markers.length
      writer.repair('residue')
      return { at: 'body' }
    }
    const tag = readTag(key + input.text.slice(input.at), 0, shape, false)
    if (tag === 'more') return input.final ? { at: 'cut' } : 'more'
    if (tag === 'bad') {
      this.junk += input.take(input.at + this.markers.length)
      return { at: 'junk' }
    }
    input.at += tag.end - key.length
    this.junk = before.trimEnd()
    return this.beginParameter(tag)
  }

  /** What the output was cut off in may have been another parameter: then more was to come. */
  private isCutParameter(): boolean {
    const { input } = this.context
    const at = skipSpace(input.text, input.at)
    return at < input.text.length && this.parameterBegins.match(input.text, at, false) === PARTIAL
  }

  private inJunk(): Next<State> {
    const { input, writer, isTentative } = this.context
    writer.holdBack()
    const length = this.markers.find(input.text, input.at, input.final)
    this.junk += input.take(this.markers.index)
    if (isTentative || this.junk.length > LONGEST_JUNK) {
      input.unread(this.junk.slice(isTentative ? 0 : LONGEST_JUNK))
      this.leavesOpen = this.isInSection
      writer.fail('invalid-arguments')
      return 'done'
    }
    return length === PARTIAL || length === NONE ? 'more' : { at: 'body' }
  }

  private parameterTag(shape: OpeningTag): Next<State> {
    const { input, writer } = this.context
    const tag = readTag(input.text, input.at + this.markers.length, shape, false)
    if (tag === 'more') return input.final ? { at: 'cut' } : 'more'
    if (tag === 'bad') {
      this.junk += input.take(input.at + this.markers.length)
      return { at: 'junk' }
    }
    input.at = tag.end
    reportExtra(tag, shape, writer)
    return this.beginParameter(tag)
  }

  private beginParameter(tag: Tag): Next<State> {
    // A value that streams on is not held, whatever was held before it.
    this.context.writer.release()
    this.parameters.begin(tag)
    if (tag.isSelfClosing) {
      this.parameters.end()
      return { at: 'body' }
    }
    return { at: this.grammar.parameter.hasCdata === true ? 'value-start' : 'value' }
  }

  /** A value may be wrapped up as character data, so that markup in it is text. */
  private valueStart(): Next<State> {
    const { input } = this.context
    const at = skipSpace(input.text, input.at)
    const length = at === input.text.length ? PARTIAL : cdataBegin.match(input.text, at, false)
    if (length === PARTIAL && !input.final) return 'more'
    if (length <= 0) return { at: 'value' }
    input.at = at + length
    return { at: 'cdata' }
  }

  private insideCdata(): Next<State> {
    const { input } = this.context
    const length = cdataEnd.find(input.text, input.at, false)
    this.parameters.text(input.take(cdataEnd.index))
    if (length === PARTIAL || length === NONE) return 'more'
    const behind = input.at + length
    const next = this.valueEnd.isFollowedByEnd(behind)
    if (next === 'more') return 'more'
    if (next === 'no') {
      this.parameters.text(input.take(behind))
      return { at: 'cdata' }
    }
    input.at = skipSpace(input.text, behind)
    return { at: 'value' }
  }

  private insideValue(): Next<State> {
    const { input } = this.context
    const length = this.markers.find(input.text, input.at, false)
    this.parameters.text(input.take(this.markers.index))
    if (length === PARTIAL || length === NONE) return 'more'
    const role = this.markers.found
    const closes = this.valueEnd.closes(role, input.at + length, this.parameters)
    if (closes === 'more') return 'more'
    if (closes === 'no') {
      this.parameters.text(input.take(input.at + length))
      return { at: 'value' }
    }
    this.parameters.end()
    if (role.is === 'parameter-end') input.at += length
    return { at: 'body' }
  }

  private json(reader: ArgumentsReader): Next<State> {
    const result = reader.read(this.context.input)
    if (result === 'more') return 'more'
    if (result === 'broken') {
      this.context.writer.giveBack()
      return { at: 'broken-json' }
    }
    reader.reportTo(this.context.writer)
    this.hasJson = true
    return { at: 'after-json' }
  }

  private brokenJson(): Next<State> {
    const { input, writer } = this.context
    writer.holdBack()
    const length = this.ends.find(input.text, input.at, input.final)
    input.at = this.ends.index
    if (length === PARTIAL || length === NONE) return 'more'
    writer.fail('invalid-arguments')
    return { at: 'between' }
  }

  private afterJson(): Next<State> {
    const { input, writer } = this.context
    const byName = this.closeByName()
    if (byName !== undefined) return byName
    const role = this.markers.ahead(this.context.input)
    if (role === 'more') return 'more'
    if (role === 'none' && (input.text.charAt(input.at) === '}' || input.text.charAt(input.at) === ']')) {
      input.at++
      writer.repair('surplus-closer')
      return { at: 'after-json' }
    }
    if (role !== 'none' && role.is === 'call-end') {
      input.at += this.markers.length
      this.endCall()
    } else {
      this.endCall('unclosed')
    }
    return { at: 'between' }
  }

  /** Takes a closing tag with the name of the tool. Undefined if none stands here. */
  private closeByName(): Next<State> | undefined {
    if (this.grammar.closesByName !== true) return undefined
    const { input } = this.context
    const closer = `</${this.tool}>`
    const at = skipSpace(input.text, input.at)
    const rest = input.text.slice(at, at + closer.length)
    if (rest === closer) {
      input.at = at + closer.length
      this.endCall()
      return { at: 'between' }
    }
    return !input.final && closer.startsWith(rest) ? 'more' : undefined
  }

  private endCall(closing: 'closed' | 'unclosed' = 'closed'): void {
    const { writer } = this.context
    if (writer.isOver()) return
    // Arguments in no form that can be read are not the same as no arguments.
    if (this.junk !== '' && this.parameters.isEmpty) {
      writer.fail('invalid-arguments')
      return
    }
    writer.release()
    if (!this.hasJson) this.parameters.finish()
    if (closing === 'closed') writer.end()
    else writer.endUnclosed()
    // White space next to the tags is theirs.
    if (this.junk !== '') writer.stray(this.junk.trimEnd())
    this.junk = ''
  }
}

/** Attributes that mean nothing are not dropped in silence. */
function reportExtra(tag: Tag, shape: OpeningTag, writer: CallWriter): void {
  for (const [key, value] of tag.attributes) {
    if (typeof shape.name === 'object' && 'attribute' in shape.name && key === shape.name.attribute) continue
    if (shape.attributes?.includes(key) === true) continue
    writer.problem('extra-field', problemCodes['extra-field'], `${key}="${value}"`)
  }
}

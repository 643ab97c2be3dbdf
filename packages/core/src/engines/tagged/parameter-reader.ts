import { problemCodes } from '../../problems.ts'
import { type MarkerSearch, searchFor } from '../../text/marker-search.ts'
import { matchTag, NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { noAttributes, type Tag } from '../../text/tag-reader.ts'
import type { EngineContext, Probe } from '../engine.ts'
import type { ElementTag } from './element-tag.ts'
import { markersOf, type TaggedParamsGrammar, type TaggedParamsRole } from './grammar.ts'
import { type ParameterShape, ParameterWriter } from './parameter-writer.ts'
import { ValueEnd } from './value-end.ts'

const cdataBegin = searchFor('<![CDATA[')
const cdataEnd = searchFor(']]>')

/** Reads the parameters of calls, each from behind its opening tag to behind its closing tag. */
export class ParameterReader {
  private readonly context: EngineContext
  private readonly shape: ParameterShape
  private readonly markers: MarkerSearch<TaggedParamsRole>
  private readonly valueEnd: ValueEnd
  /** No tags stand around the value. */
  private readonly isText: boolean
  private tool = ''
  private parameters: ParameterWriter
  private place: 'value-start' | 'cdata' | 'value' | 'element' | 'done' = 'done'
  /** The closing tag of an element that is a parameter. */
  private closer = ''

  constructor(context: EngineContext, grammar: TaggedParamsGrammar) {
    this.context = context
    this.shape = grammar.parameter
    this.markers = markersOf(grammar).all
    this.isText = grammar.bodyKey !== undefined
    this.valueEnd = new ValueEnd(context.input, grammar)
    this.parameters = new ParameterWriter(context, grammar.parameter, '')
  }

  /** What comes from now on are the parameters of a call of this tool. */
  beginCall(tool: string): void {
    this.tool = tool
    this.parameters = new ParameterWriter(this.context, this.shape, tool)
  }

  get isEmpty(): boolean {
    return this.parameters.isEmpty
  }

  /** A call that was cut before its first parameter is whole only if its tool takes none. */
  mayBeAll(): boolean {
    if (!this.isEmpty) return true
    const { tools } = this.context
    return tools.has(this.tool) && Object.keys(tools.properties(this.tool) ?? {}).length === 0
  }

  begin(tag: Tag, isInBytes = false): void {
    // A value that streams on is not held, whatever was held before it.
    this.context.writer.release()
    this.valueEnd.begin()
    this.parameters.begin(tag, isInBytes)
    if (tag.value === 'bare') this.reportMissing(tag.name)
    if (tag.isSelfClosing) this.end()
    else this.place = this.mayBeWrapped ? 'value-start' : 'value'
  }

  /** The first parameter has no tags, and this name. Returns whether the tool has it. */
  beginText(name = ''): boolean {
    if (!this.isEmpty || !this.expects(name)) return false
    this.begin({ name, attributes: noAttributes, isSelfClosing: false, end: 0 })
    return true
  }

  private get mayBeWrapped(): boolean {
    return this.shape.hasCdata === true || this.shape.strayTags !== undefined
  }

  expects(name: string): boolean {
    return this.parameters.expects(name)
  }

  /** The parameter is an element of its own name. */
  beginElement({ name, word, is }: ElementTag): void {
    this.context.writer.release()
    this.parameters.begin({ name, attributes: noAttributes, isSelfClosing: false, end: 0 })
    this.closer = `</${word}>`
    this.place = 'element'
    if (is === 'empty') this.end()
  }

  /** Reads on in the parameter. `again`: there was progress. At `done` the input stands behind it. */
  read(): 'again' | 'more' | 'done' {
    switch (this.place) {
      case 'value-start':
        return this.valueStart()
      case 'cdata':
        return this.insideCdata()
      case 'value':
        return this.insideValue()
      case 'element':
        return this.insideElement()
      case 'done':
        return 'done'
    }
  }

  /** All parameters of the call are written. */
  finish(): void {
    this.parameters.finish()
  }

  /** A value may be wrapped up as character data, so that markup in it is text; or in tags that mean nothing. */
  private valueStart(): 'again' | 'more' {
    const { input } = this.context
    const at = skipSpace(input.text, input.at)
    const { strayTags } = this.shape
    if (strayTags !== undefined) {
      const tag = matchTag(input.text, at, strayTags.begin)
      if ((at === input.text.length || tag === PARTIAL) && !input.final) return 'more'
      this.place = 'value'
      if (tag > NONE) this.parameters.holdTags()
      return 'again'
    }
    const length = at === input.text.length ? PARTIAL : cdataBegin.match(input.text, at, false)
    if (length === PARTIAL && !input.final) return 'more'
    this.place = 'value'
    if (length <= 0) return 'again'
    input.at = at + length
    this.place = 'cdata'
    return 'again'
  }

  private insideCdata(): 'again' | 'more' {
    const { input } = this.context
    const length = cdataEnd.find(input.text, input.at, false)
    this.parameters.text(input.take(cdataEnd.index))
    if (length === PARTIAL || length === NONE) return 'more'
    const behind = input.at + length
    const next = this.valueEnd.isFollowedByEnd(behind)
    if (next === 'more') return 'more'
    if (next === 'no') {
      this.parameters.text(input.take(behind))
      return 'again'
    }
    input.at = skipSpace(input.text, behind)
    this.place = 'value'
    return 'again'
  }

  private insideValue(): 'again' | 'more' | 'done' {
    const { input } = this.context
    const length = this.markers.find(input.text, input.at, false)
    this.parameters.text(input.take(this.markers.index))
    if (length === PARTIAL || length === NONE) return 'more'
    const role = this.markers.found
    const closes = this.valueEnd.closes(role, input.at + length, this.parameters)
    if (closes === 'more') return 'more'
    if (closes === 'no') {
      this.parameters.text(input.take(input.at + length))
      return 'again'
    }
    const isExpected = role.is === (this.isText ? 'call-end' : 'parameter-end')
    this.end(!isExpected)
    if (!isExpected || ('isWorn' in role && role.isWorn)) {
      this.reportMissing(input.text.slice(input.at, input.at + length))
    }
    if (role.is === 'parameter-end') input.at += length
    return 'done'
  }

  /** An element ends at its own closing tag with further markup behind it, or at the end of the call. */
  private insideElement(): 'again' | 'more' | 'done' {
    const { input } = this.context
    let at = input.text.indexOf('<', input.at)
    if (at < 0) at = input.text.length
    this.parameters.text(input.take(at))
    if (at === input.text.length) return 'more'
    const rest = input.text.slice(at, at + this.closer.length)
    if (rest === this.closer) {
      const next = this.isMarkupBehind(at + rest.length)
      if (next === 'more') return 'more'
      if (next === 'yes') {
        this.end()
        input.at = at + rest.length
        return 'done'
      }
    } else if (!input.final && this.closer.startsWith(rest)) return 'more'
    const length = this.markers.match(input.text, at, false)
    if (length === PARTIAL && !input.final) return 'more'
    const role = length > 0 ? this.markers.found : undefined
    const closes = role === undefined ? 'no' : this.valueEnd.closes(role, at + length, this.parameters)
    if (closes === 'more') return 'more'
    if (closes === 'yes' && role !== undefined && role.is !== 'parameter-end') {
      this.end(true)
      this.reportMissing(input.text.slice(at, at + length))
      return 'done'
    }
    this.parameters.text(input.take(at + 1))
    return 'again'
  }

  private isMarkupBehind(from: number): Probe {
    const { input } = this.context
    const at = skipSpace(input.text, from)
    if (at === input.text.length) return input.final ? 'yes' : 'more'
    return input.text.charAt(at) === '<' ? 'yes' : 'no'
  }

  /** `source`: what stands where the tag should. */
  private reportMissing(source: string): void {
    this.context.writer.problem('missing-tag', problemCodes['missing-tag'], source)
  }

  private end(isCut = false): void {
    this.parameters.end(isCut)
    this.place = 'done'
  }
}

import { problemCodes } from '../../problems.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { matchTag, NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import { readTag, type Tag } from '../../text/tag-reader.ts'
import type { EndReason, EngineContext } from '../engine.ts'
import { ArgumentsReader } from '../json/arguments-reader.ts'
import { isCutShort } from '../json/cut-short.ts'
import { DelimitedJson } from '../json/delimited-json.ts'
import type { Next } from '../state-machine.ts'
import { firstWord, keyMeant, probeValue, readDamagedTag, tagBeforeKey } from './damaged-tags.ts'
import { readElementTag } from './element-tag.ts'
import {
  envelopesOf,
  hasKeyText,
  markersOf,
  type OpeningTag,
  probeEnvelope,
  probeLooseKey,
  type TaggedParamsGrammar,
  type TaggedParamsRole,
} from './grammar.ts'
import { argumentsBehind } from './late-arguments.ts'
import { ParameterReader } from './parameter-reader.ts'
import { type CallPlace, reportExtra, TaggedCalls, tellName } from './tagged-calls.ts'

type Inside =
  /** The output ended inside a tag. */
  | { at: 'cut' }
  | { at: 'parameter' }
  | { at: 'json'; reader: ArgumentsReader }
  | { at: 'broken-json' }
  | { at: 'after-json' }
  /** Behind the tag that closes a value, where none was begun: the call may take none. */
  | { at: 'emptied' }
  /** Behind the tag that closes a call, unless its arguments follow. */
  | { at: 'closed'; length: number }
  /** Name and arguments stand in an object, or several do in a list. */
  | { at: 'envelopes'; engine: DelimitedJson }

type State = CallPlace | Inside

/** Reads calls with a tag for each parameter, or, where a model forgets them, with its arguments as JSON. */
export class TaggedParams extends TaggedCalls<Inside, TaggedParamsRole> {
  private readonly grammar: TaggedParamsGrammar
  private readonly ends: MarkerSearch<true>
  private readonly parameterBegins: MarkerSearch<true>
  private readonly parameters: ParameterReader
  private tool = ''
  /** The arguments came as JSON, not as parameters. */
  private hasJson = false

  constructor(
    context: EngineContext,
    grammar: TaggedParamsGrammar,
    tag: OpeningTag | undefined,
    name: string | null,
  ) {
    const { all, ends, parameterBegins } = markersOf(grammar)
    super(context, all, tag, name)
    this.grammar = grammar
    this.ends = ends
    this.parameterBegins = parameterBegins
    this.parameters = new ParameterReader(context, grammar)
  }

  /**
   * Without the closing tag nobody knows whether more parameters were to come. Only where the
   * server says that the model had finished does the call count.
   */
  finish(reason: EndReason | undefined): void {
    const { input, writer, tools } = this.context
    if (this.state.at === 'envelopes') {
      this.state.engine.finish(reason)
      return
    }
    const hasFinished = reason === 'stop' || reason === 'tool_calls'
    input.takeAll()
    if (writer.isIdle) return
    const isEmptied = this.state.at === 'emptied' && tools.required(this.tool).length === 0
    const isAfterParameters = this.state.at === 'body' || this.state.at === 'junk'
    const mayBeAll = isEmptied || (isAfterParameters && this.parameters.mayBeAll())
    if (this.state.at === 'closed') this.endCall('closed')
    else if (this.state.at === 'after-json' || (hasFinished && mayBeAll)) this.endCall('unclosed')
    else writer.fail(this.state.at === 'broken-json' ? 'invalid-arguments' : 'truncated-call')
  }

  protected next(state: State): Next<State> {
    switch (state.at) {
      case 'between':
        return this.between()
      case 'call-tag':
        return this.callTag(state.tag, this.context.input.at)
      case 'named':
        return this.named(state.name)
      case 'body':
      case 'emptied':
        return this.body()
      case 'closed':
        return this.closed(state.length)
      case 'junk':
        return this.inJunk(this.markers)
      case 'cut':
        return 'more'
      case 'parameter':
        return this.insideParameter()
      case 'json':
        return this.json(state.reader)
      case 'broken-json':
        return this.brokenJson()
      case 'after-json':
        return this.afterJson()
      case 'envelopes': {
        const result = state.engine.step()
        return result === 'again' ? state : result === 'more' ? 'more' : { at: 'between' }
      }
    }
  }

  protected override instead(from: number): Next<State> | undefined {
    const { input, writer } = this.context
    const probe = probeEnvelope(this.grammar, input.text, from, input.final)
    if (probe !== 'yes') return probe === 'more' ? 'more' : undefined
    if (writer.isIdle) writer.begin()
    input.at = from
    return { at: 'envelopes', engine: new DelimitedJson(this.context, envelopesOf(this.grammar)) }
  }

  protected beginArguments(tool: string, tag: Tag, shape: OpeningTag): void {
    reportExtra(tag, shape, this.context.writer)
    this.parameters.beginCall(tool)
    this.tool = tool
    this.hasJson = false
  }

  protected get hasArguments(): boolean {
    return this.hasJson || !this.parameters.isEmpty
  }

  protected finishArguments(): void {
    if (!this.hasJson) this.parameters.finish()
  }

  private named(name: string): State {
    const tool = this.context.writer.start(null, name)
    this.parameters.beginCall(tool)
    this.tool = tool
    this.hasJson = false
    return { at: 'body' }
  }

  private body(): Next<State> {
    const { input, writer } = this.context
    if (input.final && this.isCutParameter()) return { at: 'cut' }
    const byName = this.closeByName()
    if (byName !== undefined) return byName
    const role = this.markers.ahead(this.context.input)
    if (role === 'more' || writer.isOver()) return 'more'
    // Where the bracket alone opens a call, that of a parameter would end this one before its arguments.
    const mayBeElement = role === 'none' || (role.is === 'call-begin' && role.tag.open === '<')
    const element = mayBeElement ? this.element() : undefined
    if (element !== undefined) return element
    if (role === 'none') {
      const isJson = this.parameters.isEmpty && this.junk === '' && input.text.charAt(input.at) === '{'
      if (isJson) return { at: 'json', reader: new ArgumentsReader(writer, this.ends) }
      return { at: this.parameters.beginText(this.grammar.bodyKey) ? 'parameter' : 'junk' }
    }
    switch (role.is) {
      case 'parameter-begin':
        return this.parameterTag(role.tag)
      case 'key-end':
        return this.lateKey()
      case 'empty':
        input.at += this.markers.length
        return { at: 'body' }
      case 'json-begin':
        return this.jsonTag(role.tag)
      case 'json-end':
      case 'parameter-end':
        input.at += this.markers.length
        writer.removed('residue', this.markers.length)
        return this.hasArguments || this.junk !== '' ? { at: 'body' } : { at: 'emptied' }
      case 'call-end':
        if (role.isWorn === true) this.reportMissing(this.markers.length)
        input.at += this.markers.length
        if (this.junk === '') return { at: 'closed', length: this.markers.length }
        this.endCall('closed')
        return { at: 'between' }
      case 'call-begin': {
        const behind = input.at + this.markers.length
        const key = probeLooseKey(this.grammar, input.text, behind, input.final)
        const tag = key !== 'no' || this.hasArguments ? 'bad' : readTag(input.text, behind, role.tag, false)
        if (key === 'more' || tag === 'more') return 'more'
        const isSecond = tag !== 'bad' && tag.name === this.tool
        if (key === 'no' && !isSecond) break
        // The tag that opens a call stands where that of a key should, or is written twice.
        input.at = isSecond ? tag.end : behind
        if (isSecond) writer.repair('residue')
        return { at: 'body' }
      }
      default:
    }
    this.endCall('unclosed')
    return { at: 'between' }
  }

  /** A call that is closed before its arguments goes on behind the tags that close it. */
  private closed(length: number): Next<State> {
    const { input, writer } = this.context
    const behind = argumentsBehind(this.markers, input, this.parameters)
    if (behind === 'more') return 'more'
    if (behind === 'none') {
      this.endCall('closed')
      return { at: 'between' }
    }
    writer.removed('residue', length)
    input.at = behind
    return { at: 'body' }
  }

  /** The first key may run on from the name, without its opening tag: `get_weathercity</arg_key>`. */
  protected override tagMeant(tag: Tag, { name }: OpeningTag): Tag | undefined {
    const { input, tools } = this.context
    if (!tools.isKnown || tools.has(tag.name)) return tag
    if (this.grammar.bodyKey !== undefined) {
      const word = firstWord(input.text, tag.end, input.final)
      return word === 'more' ? undefined : { ...tag, ...word }
    }
    const hasKeys = name === 'word' && this.grammar.keyEnd !== undefined
    return hasKeys ? tagBeforeKey(this.markers, tools, input, tag) : tag
  }

  /** An element that is named after a parameter. Undefined if none stands here. */
  private element(): Next<State> | undefined {
    if (this.grammar.readsElements !== true) return undefined
    const { input, writer } = this.context
    const tag = readElementTag(input.text, input.at, '', input.final)
    if (tag === 'more') return 'more'
    if (tag === 'none' || tag.is === 'close' || !this.parameters.expects(tag.name)) return undefined
    input.at = tag.end
    if (this.parameters.isEmpty) writer.repair('foreign-tags')
    this.parameters.beginElement(tag)
    return { at: 'parameter' }
  }

  /** All the arguments follow as JSON. */
  private jsonTag(shape: OpeningTag): Next<State> {
    const { input, writer } = this.context
    const tag = readTag(input.text, input.at + this.markers.length, shape, false)
    if (tag === 'more') return input.final ? { at: 'cut' } : 'more'
    if (tag === 'bad' || !this.parameters.isEmpty) {
      this.junk += input.take(input.at + this.markers.length)
      return { at: 'junk' }
    }
    input.at = tag.end
    return { at: 'json', reader: new ArgumentsReader(writer, this.ends) }
  }

  /** The key was closed but never opened: then it is the word that stands there, belonging to nothing. */
  private lateKey(): Next<State> {
    const { input, writer } = this.context
    const [, before = '', key = ''] = /^(.*?)([\w.-]*)\s*$/s.exec(this.junk) ?? []
    const shape = this.grammar.parameterBegin[0]
    if (key === '' || shape === undefined) {
      input.at += this.markers.length
      writer.removed('residue', this.markers.length)
      return { at: 'body' }
    }
    const tag = readTag(key + input.text.slice(input.at), 0, shape, false)
    if (tag === 'more') return input.final ? { at: 'cut' } : 'more'
    if (tag === 'bad') {
      this.takeJunk(input.at + this.markers.length)
      return { at: 'junk' }
    }
    const keyFrom = input.position - this.junk.length + before.length
    input.observer?.became('arguments', keyFrom, keyFrom + key.length)
    input.at += tag.end - key.length
    this.junk = before.trimEnd()
    writer.problem('missing-tag', problemCodes['missing-tag'], key)
    this.parameters.begin(tag)
    return { at: 'parameter' }
  }

  /** What the output was cut off in may have been another parameter: then more was to come. */
  private isCutParameter(): boolean {
    const { input } = this.context
    const at = skipSpace(input.text, input.at)
    return at < input.text.length && this.parameterBegins.match(input.text, at, false) === PARTIAL
  }

  private parameterTag(shape: OpeningTag): Next<State> {
    const { input, writer } = this.context
    const inside = skipSpace(input.text, input.at + this.markers.length)
    // A key has no brace: all the arguments stand here as one object.
    if (this.parameters.isEmpty && hasKeyText(shape) && input.text.charAt(inside) === '{') {
      input.at = inside
      return { at: 'json', reader: new ArgumentsReader(writer, this.ends) }
    }
    const tag = readTag(input.text, input.at + this.markers.length, shape, false)
    if (tag === 'more') return input.final ? { at: 'cut' } : 'more'
    if (tag === 'bad') {
      const from = input.at + this.markers.length
      const kind = hasKeyText(shape) ? 'text' : 'inline'
      const damaged = readDamagedTag(input.text, from, kind, (key) => this.parameters.expects(key))
      if (damaged !== undefined) {
        input.at = damaged.end
        return this.beginParameter(damaged)
      }
      this.takeJunk(from)
      return { at: 'junk' }
    }
    tellName(input, 'arguments', input.at + this.markers.length, shape, tag)
    const hasValue = probeValue(this.markers, input, tag)
    if (hasValue === 'more') return 'more'
    const source = input.text.slice(input.at, tag.end)
    input.at = tag.end
    if (hasValue === 'no') {
      writer.problem('extra-field', problemCodes['extra-field'], source)
      return { at: 'body' }
    }
    reportExtra(tag, shape, writer)
    return this.beginParameter(tag, shape.isInBytes)
  }

  private beginParameter(tag: Tag, isInBytes?: boolean): State {
    const { context, parameters } = this
    const name = keyMeant(tag.name, (key) => parameters.expects(key))
    if (name !== tag.name) context.writer.repair('foreign-tags')
    parameters.begin({ ...tag, name }, isInBytes)
    return { at: 'parameter' }
  }

  private insideParameter(): Next<State> {
    const result = this.parameters.read()
    if (result === 'more') return 'more'
    return { at: result === 'done' ? 'body' : 'parameter' }
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
      writer.removed('surplus-closer', 1)
      return { at: 'after-json' }
    }
    if (role !== 'none' && role.is === 'json-end') {
      input.at += this.markers.length
      return { at: 'after-json' }
    }
    const isShort = role === 'none' ? isCutShort(input, this.ends, Boolean) : 'no'
    if (isShort === 'more') return 'more'
    if (isShort === 'yes') return { at: 'broken-json' }
    if (role !== 'none' && role.is === 'call-end') {
      input.at += this.markers.length
      this.endCall('closed')
    } else {
      this.endCall('unclosed')
    }
    return { at: 'between' }
  }

  /** Takes a closing tag with the name of the tool. Undefined if none stands here. */
  private closeByName(): Next<State> | undefined {
    if (this.grammar.closesByName !== true) return undefined
    const { input } = this.context
    const at = skipSpace(input.text, input.at)
    const length = matchTag(input.text, at, `</${this.tool}>`)
    if (length === NONE) return undefined
    if (length === PARTIAL) return input.final ? undefined : 'more'
    input.at = at + length
    this.endCall('closed')
    return { at: 'between' }
  }
}

import { problemCodes } from '../../problems.ts'
import { JsonWriter } from '../../text/json-writer.ts'
import { skipSpace } from '../../text/space.ts'
import type { Tag } from '../../text/tag-reader.ts'
import type { EngineContext } from '../engine.ts'
import {
  isPureString,
  jsonOrString,
  objectOrString,
  plainJson,
  type TypedValue,
  wholeOrString,
} from '../untyped-value.ts'

/** How a grammar writes the value of a parameter. */
export interface ParameterShape {
  /** `newline`: one line break behind the opening tag and one before the closing tag belong to the tags. */
  readonly trim: 'newline' | 'none'
  /** An attribute that tells strings from JSON. Without it the tool's schema decides. */
  readonly typeAttribute?: TypeAttribute
  /** A value may stand in `<![CDATA[` and `]]>`. */
  readonly hasCdata?: boolean
  /** Tags that models put around a value although the syntax has none there. */
  readonly strayTags?: StrayTags
}

export interface StrayTags {
  readonly begin: string
  readonly end: string
}

export interface TypeAttribute {
  readonly name: string
  /** The values that mean text as it stands. */
  readonly string: readonly string[]
  /** The values that mean JSON. */
  readonly json: readonly string[]
  /** It counts only where the schema says nothing: models write a type that they were never told. */
  readonly isHint?: boolean
}

type Value =
  /** Nothing but a string is possible: it is sent on while it comes in. */
  | { is: 'string' }
  /** Decided when it is whole. */
  | { is: 'collected'; text: string; type: (text: string) => TypedValue }

/** Names of a parameter that holds all the arguments. */
const wrappers: ReadonlySet<string> = new Set(['arguments', 'input', 'parameters', 'args', 'properties'])

/** Turns the parameters of one call, which arrive as tags, into one JSON object. */
export class ParameterWriter {
  private readonly context: EngineContext
  private readonly shape: ParameterShape
  private readonly tool: string
  private readonly json = new JsonWriter()
  private readonly keys = new Set<string>()
  private key = ''
  private value: Value = { is: 'string' }
  private place: 'start' | 'inside' = 'start'
  /** The JSON of a lone `arguments` parameter that the tool does not know: it may be all of them. */
  private wrapped: string | undefined
  /** A line break that is part of the value unless the closing tag follows, or the next one in its place. */
  private heldNewline = ''
  /** No tag opened the value: white space before it is not part of it. */
  private isBare = false
  /** Blanks and line breaks are written as letters. */
  private isInBytes = false
  /** The value as it is written, while one cannot know whether the tags around it belong to it. */
  private tagged: string | undefined

  constructor(context: EngineContext, shape: ParameterShape, tool: string) {
    this.context = context
    this.shape = shape
    this.tool = tool
  }

  get isEmpty(): boolean {
    return this.keys.size === 0
  }

  /** Whether the value at hand has just begun a new line. */
  get isAtLineStart(): boolean {
    return this.place === 'start' || this.heldNewline !== ''
  }

  /** Whether a parameter of this name may follow: the tool declares it and it was not given yet. */
  expects(key: string): boolean {
    return !this.keys.has(key) && Object.hasOwn(this.context.tools.properties(this.tool) ?? {}, key)
  }

  /** The same where nobody knows what the tool declares: then any other name may follow. */
  mayFollow(key: string): boolean {
    const isOpen = this.context.tools.properties(this.tool) === undefined
    return isOpen ? !this.keys.has(key) : this.expects(key)
  }

  begin(tag: Tag, isInBytes = false): void {
    const { writer } = this.context
    this.writeWrapped()
    this.key = tag.name
    if (this.keys.has(tag.name)) {
      writer.problem('duplicate-parameter', `The parameter "${tag.name}" was written twice.`, tag.name)
    }
    this.keys.add(tag.name)
    this.place = 'start'
    this.heldNewline = ''
    this.isBare = tag.value === 'bare'
    this.isInBytes = isInBytes
    this.value = this.beginValue(tag)
    if (this.value.is === 'string') writer.delta(`${this.json.key(tag.name)}"`)
    else writer.holdBack()
  }

  /** The value begins with a tag that may be none of its own: where it ends with the other, both are taken off. */
  holdTags(): void {
    this.tagged = ''
    this.context.writer.holdBack()
  }

  text(piece: string): void {
    const { observer, position } = this.context.input
    observer?.became('arguments', position - piece.length, position)
    if (piece === '') return
    if (this.isBare) {
      const start = skipSpace(piece, 0)
      this.isBare = start === piece.length
      if (this.isBare) return
      this.place = 'inside'
      this.text(piece.slice(start))
      return
    }
    let text = this.heldNewline + piece
    this.heldNewline = ''
    if (this.place === 'start' && this.shape.trim === 'newline') {
      // Half a line break: the next piece tells.
      if (text === '\r') {
        this.heldNewline = text
        return
      }
      this.place = 'inside'
      text = text.replace(/^\r?\n/, '')
    }
    this.heldNewline = /\r?\n$|\r$/.exec(text)?.[0] ?? ''
    this.write(text.slice(0, text.length - this.heldNewline.length))
  }

  /** `isCut`: the next tag stands where the closing one should. */
  end(isCut = false): void {
    const { writer } = this.context
    // A carriage return alone is no line break. Templates break the line between two tags: the break before one is no part of
    // the text even where there would be none before the tag that is missing.
    if (this.heldNewline === '\r' || (this.shape.trim === 'none' && !isCut)) this.write(this.heldNewline)
    this.heldNewline = ''
    if (writer.isOver()) return
    if (this.tagged !== undefined) this.writeTagged(this.tagged)
    if (this.value.is === 'string') {
      writer.delta(this.json.endString())
      return
    }
    if (writer.isOver()) return
    const typed = this.value.type(this.value.text)
    const source = this.value.text
    writer.release()
    if (typed.mismatch === true) {
      const message = `The value of "${this.key}" does not fit the type that "${this.tool}" declares.`
      writer.problem('type-mismatch', message, source)
    }
    if (typed.json.startsWith('{') && this.mayWrap(this.key)) this.wrapped = typed.json
    else writer.delta(this.json.key(this.key) + typed.json)
    for (const code of typed.repairs ?? []) writer.repair(code)
  }

  /** All parameters are written. */
  finish(): void {
    const { writer } = this.context
    if (this.wrapped === undefined) {
      writer.delta(this.json.end())
    } else {
      writer.delta(this.wrapped)
      writer.repair('unwrapped-arguments')
    }
  }

  /** Some models write all their arguments as one parameter, of a name that their tool does not have. */
  private mayWrap(key: string): boolean {
    const properties = this.context.tools.properties(this.tool)
    const isFirst = this.keys.size === 1
    return isFirst && wrappers.has(key) && properties !== undefined && !Object.hasOwn(properties, key)
  }

  /** Another parameter follows, so it was no wrapper. */
  private writeWrapped(): void {
    if (this.wrapped === undefined) return
    this.context.writer.delta(this.json.key(this.key) + this.wrapped)
    this.wrapped = undefined
  }

  private beginValue(tag: Tag): Value {
    if (this.mayWrap(tag.name)) return { is: 'collected', text: '', type: objectOrString }
    const attribute = this.shape.typeAttribute
    const types = this.context.tools.types(this.tool, tag.name)
    const isAsked = attribute !== undefined && (attribute.isHint !== true || types.size === 0)
    const type = isAsked ? tag.attributes.get(attribute.name) : undefined
    if (attribute !== undefined && type !== undefined) {
      if (attribute.string.includes(type)) return this.beginMarkedText(tag.name)
      if (attribute.json.includes(type)) return { is: 'collected', text: '', type: jsonOrString }
      const source = `${attribute.name}="${type}"`
      this.context.writer.problem('extra-field', problemCodes['extra-field'], source)
    }
    if (isPureString(types)) return { is: 'string' }
    return { is: 'collected', text: '', type: (text) => plainJson(text, types) }
  }

  /** The model says that it is a text. A whole number is one all the same, where the tool takes nothing else. */
  private beginMarkedText(key: string): Value {
    const types = this.context.tools.types(this.tool, key)
    const isNumber = types.size > 0 && [...types].every((type) => type === 'integer' || type === 'number')
    return isNumber ? { is: 'collected', text: '', type: wholeOrString } : { is: 'string' }
  }

  private writeTagged(written: string): void {
    const { writer } = this.context
    const { begin, end } = this.shape.strayTags ?? { begin: '', end: '' }
    const text = written.trim()
    const isWrapped = text.length >= begin.length + end.length && text.startsWith(begin) && text.endsWith(end)
    this.tagged = undefined
    writer.release()
    if (isWrapped) writer.repair('foreign-tags')
    const inside = text.slice(begin.length, text.length - end.length)
    this.write(isWrapped ? inside.replace(/^\r?\n|\r?\n$/g, '') : written)
  }

  private write(written: string): void {
    if (this.tagged !== undefined) {
      this.tagged += written
      return
    }
    const text = this.isInBytes ? written.replaceAll('Ġ', ' ').replaceAll('Ċ', '\n') : written
    if (this.value.is === 'string') this.context.writer.delta(this.json.stringPiece(text))
    else this.value.text += text
  }
}

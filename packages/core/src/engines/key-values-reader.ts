import { DEEPEST } from '../text/json-scanner.ts'
import { JsonWriter } from '../text/json-writer.ts'
import { NONE, PARTIAL } from '../text/marker.ts'
import { scalarJson } from '../text/python-scalar.ts'
import { PythonString, readOpeningQuote } from '../text/python-string.ts'
import { skipSpace } from '../text/space.ts'
import { bareJson, textJson } from './bare-value.ts'
import type { EngineContext } from './engine.ts'
import { type Container, endsCall, endsValue, readKey } from './key-values-ahead.ts'
import { type KeyValuesGrammar, type KeyValuesMarkers, keyValuesMarkers } from './key-values-grammar.ts'
import { isPureString, type TypedValue } from './untyped-value.ts'

interface Frame extends Container {
  count: number
}

type State =
  /** Before a key, a value of a list, or what closes them. */
  | { at: 'member' }
  | { at: 'value' }
  /** A text between its marks: sent on while it comes in, or collected to be given a type. */
  | { at: 'text'; collected: string | undefined }
  | { at: 'quoted'; string: PythonString }
  /** Without marks: where it ends and what it is depends on what follows. */
  | { at: 'bare'; text: string }
  | { at: 'after-value' }
  | { at: 'broken' }
  | { at: 'done' }

/** Reads the arguments of one call, from their bracket on, and writes them as JSON. */
export class KeyValuesReader {
  private readonly context: EngineContext
  private readonly grammar: KeyValuesGrammar
  private readonly markers: KeyValuesMarkers
  private readonly tool: string
  private readonly json = new JsonWriter()
  private readonly frames: Frame[] = []
  private readonly keys = new Set<string>()
  private key = ''
  private state: State = { at: 'member' }

  /** The input stands at the bracket. */
  constructor(context: EngineContext, grammar: KeyValuesGrammar, tool: string) {
    this.context = context
    this.grammar = grammar
    this.markers = keyValuesMarkers(grammar)
    this.tool = tool
    const { input, writer } = context
    const closer = input.text.charAt(input.at) === '{' ? '}' : ')'
    input.at++
    this.open('object', closer)
    writer.delta('{')
  }

  /** Reads on. `done` and `broken` are final. */
  read(): 'more' | 'done' | 'broken' {
    for (;;) {
      const { state } = this
      if (state.at === 'done' || state.at === 'broken') return state.at
      const next = this.context.writer.isOver() ? 'more' : this.next(state)
      if (next === 'more') return 'more'
      this.state = next
    }
  }

  private next(state: State): State | 'more' {
    switch (state.at) {
      case 'member':
        return this.member()
      case 'value':
        return this.value()
      case 'text':
        return this.text(state)
      case 'quoted':
        return this.quoted(state.string)
      case 'bare':
        return this.bare(state)
      default:
        return this.afterValue()
    }
  }

  private member(): State | 'more' {
    const { input } = this.context
    const frame = this.frames.at(-1)
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (frame === undefined) return { at: 'broken' }
    if (char === frame.closer) return this.close(frame)
    if (frame.is === 'list') {
      if (frame.count++ > 0) this.write(',')
      return { at: 'value' }
    }
    if (this.markers.ends.match(input.text, input.at, input.final) !== NONE) return { at: 'after-value' }
    const key = readKey(this.markers, input.text, input.at, input.final)
    if (key === 'more') return 'more'
    if (key === 'none') return { at: 'broken' }
    input.at = key.end
    this.beginMember(frame, key.name)
    return { at: 'value' }
  }

  private beginMember(frame: Frame, key: string): void {
    if (frame.isOutermost) {
      this.key = key
      if (this.keys.has(key)) {
        const message = `The parameter "${key}" was written twice.`
        this.context.writer.problem('duplicate-parameter', message, key)
      }
      this.keys.add(key)
    }
    this.write(`${frame.count++ > 0 ? ',' : ''}${JSON.stringify(key)}:`)
  }

  private value(): State | 'more' {
    const { input, writer } = this.context
    const { text, final } = input
    input.at = skipSpace(text, input.at)
    if (input.isEmpty) return 'more'
    const mark = this.markers.textMarks.match(text, input.at, final)
    if (mark === PARTIAL) return 'more'
    if (mark !== NONE) {
      input.at += mark
      return this.beginText()
    }
    const char = text.charAt(input.at)
    switch (char) {
      case '{':
      case '[':
        if (this.frames.length >= DEEPEST) return { at: 'broken' }
        input.at++
        this.write(char)
        this.open(char === '{' ? 'object' : 'list', char === '{' ? '}' : ']')
        return { at: 'member' }
      case '"':
      case "'": {
        const quotes = readOpeningQuote(text, input.at, final)
        if (quotes === 'more') return 'more'
        input.at += quotes
        this.write('"')
        return { at: 'quoted', string: new PythonString(char, quotes === 3, '') }
      }
      default:
        writer.holdBack()
        return { at: 'bare', text: '' }
    }
  }

  private beginText(): State {
    const isTyped = this.grammar.isUntyped === true && this.frames.length === 1
    if (isTyped && !isPureString(this.context.tools.types(this.tool, this.key))) {
      this.context.writer.holdBack()
      return { at: 'text', collected: '' }
    }
    this.write('"')
    return { at: 'text', collected: undefined }
  }

  private text(state: { at: 'text'; collected: string | undefined }): State | 'more' {
    const { input } = this.context
    const { textMarks } = this.markers
    for (;;) {
      const length = textMarks.find(input.text, input.at, input.final)
      this.passText(state, input.take(textMarks.index))
      if (length === PARTIAL || length === NONE) return 'more'
      const ends = this.endsValue(input.at + length)
      if (ends === 'more') return 'more'
      if (ends === 'yes') {
        input.at += length
        return this.endText(state.collected)
      }
      this.passText(state, input.take(input.at + length))
    }
  }

  private passText(state: { collected: string | undefined }, piece: string): void {
    if (state.collected === undefined) this.write(this.json.stringPiece(piece))
    else state.collected += piece
  }

  private endText(collected: string | undefined): State | 'more' {
    if (collected === undefined) this.write(this.json.endString())
    else if (!this.writeTyped(textJson(collected, this.types()), collected)) return 'more'
    return { at: 'after-value' }
  }

  private quoted(string: PythonString): State | 'more' {
    const result = string.read(
      this.context.input,
      (_text, at) => this.endsValue(at),
      (piece) => this.write(this.json.stringPiece(piece)),
    )
    if (result === 'more') return 'more'
    this.write(this.json.endString())
    return { at: 'after-value' }
  }

  /** Models forget the mark before a text, or both: bare text ends where the value may end. */
  private bare(state: { at: 'bare'; text: string }): State | 'more' {
    const { input, writer } = this.context
    for (;;) {
      const { text } = input
      let end = input.at
      while (end < text.length && !/[,}\])<]/.test(text.charAt(end))) end++
      state.text += input.take(end)
      if (end === text.length) return 'more'
      const mark = text.charAt(end) === '<' ? this.markers.textMarks.match(text, end, input.final) : NONE
      if (mark === PARTIAL) return 'more'
      const ends = this.endsBare(state.text, end, mark)
      if (ends === 'more') return 'more'
      if (ends === 'yes') {
        input.at += mark
        if (writer.isOver()) return 'more'
        if (mark !== NONE) writer.repair('residue')
        return this.endBare(state.text, mark !== NONE)
      }
      state.text += input.take(end + Math.max(1, mark))
    }
  }

  /** A bracket behind a number, or before the end marker, is none of a text, even if it closes nothing here. */
  private endsBare(bare: string, at: number, mark: number): 'yes' | 'no' | 'more' {
    const { input } = this.context
    const isBracket = /[}\])]/.test(input.text.charAt(at))
    if (isBracket && scalarJson(bare.trim()) !== undefined) return 'yes'
    const isLast = this.frames.length === 1 && input.text.charAt(at) === this.frames[0]?.closer
    const ends = isLast ? 'no' : this.endsValue(at + mark)
    return ends === 'no' && isBracket ? endsCall(input, at) : ends
  }

  private endBare(text: string, isText: boolean): State | 'more' {
    const types = this.frames.length === 1 ? this.types() : undefined
    const value = isText ? { json: JSON.stringify(text) } : bareJson(text.trim(), types)
    return this.writeTyped(value, text) ? { at: 'after-value' } : 'more'
  }

  /** Returns whether it was written: what was held for too long is refused. */
  private writeTyped(value: TypedValue, source: string): boolean {
    const { writer } = this.context
    if (writer.isOver()) return false
    writer.release()
    if (value.mismatch === true) {
      const message = `The value of "${this.key}" does not fit the type that "${this.tool}" declares.`
      writer.problem('type-mismatch', message, source)
    }
    this.write(value.json)
    for (const code of value.repairs ?? []) writer.repair(code)
    return true
  }

  private afterValue(): State | 'more' {
    const { input, writer } = this.context
    const frame = this.frames.at(-1)
    if (frame === undefined) return { at: 'done' }
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === frame.closer) return this.close(frame)
    if (char === ',') {
      input.at++
      return { at: 'member' }
    }
    const end = this.markers.ends.match(input.text, input.at, input.final)
    if (end === PARTIAL) return 'more'
    if (end === NONE) return /[\])}]/.test(char) ? { at: 'broken' } : { at: 'member' }
    while (this.frames.length > 0) this.write(this.frames.pop()?.is === 'list' ? ']' : '}')
    writer.repair('missing-closer')
    return { at: 'done' }
  }

  private close(frame: Frame): State {
    this.context.input.at++
    this.frames.pop()
    this.write(frame.is === 'list' ? ']' : '}')
    return { at: 'after-value' }
  }

  private open(is: 'object' | 'list', closer: string): void {
    const isOutermost = this.frames.length === 0
    this.frames.push({
      is,
      closer,
      isOutermost,
      count: 0,
      expects: (key) => isOutermost && this.expects(key),
    })
  }

  private expects(key: string): boolean {
    return !this.keys.has(key) && Object.hasOwn(this.context.tools.properties(this.tool) ?? {}, key)
  }

  private endsValue(at: number): 'yes' | 'no' | 'more' {
    const frame = this.frames.at(-1)
    return frame === undefined ? 'yes' : endsValue(this.markers, frame, this.context.input, at)
  }

  private types(): ReturnType<EngineContext['tools']['types']> {
    return this.context.tools.types(this.tool, this.key)
  }

  private write(json: string): void {
    this.context.writer.delta(json)
  }
}

import { DEEPEST } from '../../text/json-scanner.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { scalarJson } from '../../text/python-literal.ts'
import { PythonString, readOpeningQuote } from '../../text/python-string.ts'
import { skipSpace } from '../../text/space.ts'
import type { EngineContext } from '../engine.ts'
import { bareJson, isPureString, textJson } from '../untyped-value.ts'
import { endsCall, endsValue, readKey } from './ahead.ts'
import { type KeyValuesGrammar, type KeyValuesMarkers, keyValuesMarkers, readHead } from './grammar.ts'
import { closersAtEnd, endsInKey, endsUnclosed, tailStart } from './text-tail.ts'
import { KeyValuesWriter } from './writer.ts'

type State =
  /** Before a key, a value of a list, or what closes them. */
  | { at: 'member' }
  | { at: 'value' }
  /** A text between its marks: sent on while it comes in, or collected to be given a type. */
  | Text
  | { at: 'quoted'; string: PythonString }
  /** Without marks: where it ends and what it is depends on what follows. */
  | Bare
  | { at: 'after-value' }
  | { at: 'broken' }
  | { at: 'done' }

interface Bare {
  at: 'bare'
  text: string
  /** What would close the brackets that were opened in it. */
  closers: string
}

interface Text {
  at: 'text'
  collected: string | undefined
  /** The end of what was read, which is no part of the text if its closing mark was forgotten. */
  tail: string
  /** A call stands in it, as text: the marks of its texts are text as well, up to its end. */
  inner?: 'call' | 'text' | undefined
  /** What was read last of it that is no white space. */
  last: string
}

/** Reads the arguments of one call, from their bracket on, and writes them as JSON. */
export class KeyValuesReader {
  private readonly context: EngineContext
  private readonly grammar: KeyValuesGrammar
  private readonly markers: KeyValuesMarkers
  private readonly json: KeyValuesWriter
  private state: State = { at: 'member' }

  /** The input stands at the bracket. */
  constructor(context: EngineContext, grammar: KeyValuesGrammar, tool: string) {
    this.context = context
    this.grammar = grammar
    this.markers = keyValuesMarkers(grammar)
    this.json = new KeyValuesWriter(context, tool)
    const { input } = context
    const closer = input.text.charAt(input.at) === '{' ? '}' : ')'
    input.at++
    input.observer?.became('arguments', input.position - 1, input.position)
    this.json.open('object', closer)
  }

  /** Reads on. `done` and `broken` are final. */
  read(): 'more' | 'done' | 'broken' {
    const { input } = this.context
    for (;;) {
      const { state } = this
      if (state.at === 'done' || state.at === 'broken') return state.at
      const from = input.position
      const next = this.context.writer.isOver() ? 'more' : this.next(state)
      input.observer?.became('arguments', from, input.position)
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
    const container = this.json.innermost
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (container === undefined) return { at: 'broken' }
    if (char === container.closer) return this.close()
    if (container.is === 'list') {
      this.json.beginItem()
      return { at: 'value' }
    }
    if (this.markers.stops.match(input.text, input.at, input.final) !== NONE) return { at: 'after-value' }
    const key = readKey(this.markers, input.text, input.at, input.final)
    if (key === 'more') return 'more'
    if (key === 'none') return { at: 'broken' }
    input.at = key.end
    this.json.beginMember(key.name)
    return { at: 'value' }
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
        if (this.json.depth >= DEEPEST) return { at: 'broken' }
        input.at++
        this.json.open(char === '{' ? 'object' : 'list', char === '{' ? '}' : ']')
        return { at: 'member' }
      case '"':
      case "'": {
        const quotes = readOpeningQuote(text, input.at, final)
        if (quotes === 'more') return 'more'
        input.at += quotes
        this.json.beginString()
        return { at: 'quoted', string: new PythonString(char, quotes === 3, '') }
      }
      default:
        writer.holdBack()
        return { at: 'bare', text: '', closers: '' }
    }
  }

  private beginText(): State {
    const isTyped = this.grammar.isUntyped === true && this.json.depth === 1
    if (isTyped && !isPureString(this.json.types)) {
      this.context.writer.holdBack()
      return { at: 'text', collected: '', tail: '', last: '' }
    }
    this.json.beginString()
    return { at: 'text', collected: undefined, tail: '', last: '' }
  }

  private text(state: Text): State | 'more' {
    const { input } = this.context
    const { inText } = this.markers
    for (;;) {
      const length = inText.find(input.text, input.at, input.final)
      this.readText(state, input.take(inText.index))
      if (length === PARTIAL || length === NONE) return 'more'
      const next =
        inText.found === 'begin'
          ? this.atBegin(state, length)
          : inText.found === 'mark'
            ? this.atMark(state, length)
            : this.atEnd(state, length)
      if (next !== 'text') return next
      this.passText(state, state.tail + input.take(input.at + length))
      state.tail = ''
    }
  }

  /** Text was read: all of it goes on but the end, which may turn out to be markup. */
  private readText(state: Text, piece: string): void {
    if (piece === '') return
    state.last = piece.trimEnd().slice(-1) || state.last
    const text = state.tail + piece
    const start = tailStart(text)
    state.tail = text.slice(start)
    this.passText(state, text.slice(0, start))
  }

  /** A mark closes the text, or opens the next one where the mark that closes this was forgotten; or it is text. */
  private atMark(state: Text, length: number): State | 'more' | 'text' {
    const { input } = this.context
    if (state.inner === 'text' || (state.inner === 'call' && ':=[,{'.includes(state.last))) {
      state.inner = state.inner === 'call' ? 'text' : 'call'
      return 'text'
    }
    const ends = this.endsValue(input.at + length)
    if (ends === 'more') return 'more'
    if (ends === 'no') {
      const isNext = endsInKey(state.tail, this.json.closers, (key) => this.json.mayFollow(key))
      return isNext ? this.endUnclosed(state, state.tail.length) : 'text'
    }
    input.at += length
    this.passText(state, state.tail)
    return this.endText(state.collected)
  }

  /** The end of the call stands in the text: the mark that closes the text was forgotten, or it is text. */
  private atEnd(state: Text, length: number): State | 'more' | 'text' {
    const { input } = this.context
    const ends = state.inner === undefined ? endsUnclosed(this.markers, input, input.at + length) : 'no'
    state.inner = undefined
    if (ends !== 'yes') return ends === 'no' ? 'text' : 'more'
    return this.endUnclosed(state, closersAtEnd(state.tail, this.json.closers))
  }

  /** A whole call may stand in a text. Where the text was never closed, its own call is cut off then, and not wrong. */
  private atBegin(state: Text, length: number): 'more' | 'text' {
    const { input } = this.context
    const at = skipSpace(input.text, input.at + length)
    const head = readHead(this.grammar, input.text, at, input.final)
    if (head === 'more') return 'more'
    // A token that is only mentioned begins none.
    if (head !== 'none' && input.text.startsWith(this.grammar.namePrefix, at)) state.inner = 'call'
    return 'text'
  }

  /** The text ends that much before where the input stands. */
  private endUnclosed(state: Text, markup: number): State | 'more' {
    const { input, writer } = this.context
    const end = state.tail.length - markup
    this.passText(state, state.tail.slice(0, end))
    input.unread(state.tail.slice(end))
    const next = this.endText(state.collected)
    if (next !== 'more') writer.repair('missing-closer')
    return next
  }

  private passText(state: { collected: string | undefined }, piece: string): void {
    if (piece === '') return
    if (state.collected === undefined) this.json.stringPiece(piece)
    else state.collected += piece
  }

  private endText(collected: string | undefined): State | 'more' {
    if (collected === undefined) this.json.endString()
    else if (!this.json.typed(textJson(collected, this.json.types), collected)) return 'more'
    return { at: 'after-value' }
  }

  private quoted(string: PythonString): State | 'more' {
    const { input, writer } = this.context
    const { textMarks } = this.markers
    const result = string.read(
      input,
      (text, at, _quote, final) => {
        // A mark that opens nothing may stand behind the quote.
        const mark = textMarks.match(text, at, final)
        return mark === PARTIAL ? 'more' : this.endsValue(at + mark)
      },
      (piece) => this.json.stringPiece(piece),
    )
    if (result === 'more') return 'more'
    if (string.hasBareQuotes) writer.repair('unescaped-quote')
    if (string.hasBrokenEscapes) writer.repair('invalid-escape')
    const mark = textMarks.match(input.text, input.at, true)
    if (mark !== NONE) {
      input.at += mark
      writer.repair('residue')
    }
    this.json.endString()
    return { at: 'after-value' }
  }

  /** Models forget the mark before a text, or both: bare text ends where the value may end. */
  private bare(state: Bare): State | 'more' {
    const { input, writer } = this.context
    for (;;) {
      const { text } = input
      let end = input.at
      while (end < text.length && !/[,}\])<]/.test(text.charAt(end))) {
        const closer = closerOf(text.charAt(end))
        if (closer !== undefined && state.closers.length < DEEPEST) state.closers += closer
        end++
      }
      state.text += input.take(end)
      if (end === text.length) return 'more'
      // A bracket that closes one of the text's own is part of it.
      if (state.closers !== '' && state.closers.endsWith(text.charAt(end))) {
        state.closers = state.closers.slice(0, -1)
        state.text += input.take(end + 1)
        continue
      }
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

  /** A bracket behind a number, or before the end marker, is not part of a text, even if it closes nothing here. */
  private endsBare(bare: string, at: number, mark: number): 'yes' | 'no' | 'more' {
    const { input } = this.context
    const isBracket = /[}\])]/.test(input.text.charAt(at))
    if (isBracket && scalarJson(bare.trim()) !== undefined) return 'yes'
    const container = this.json.innermost
    const isLast = container?.isOutermost === true && input.text.charAt(at) === container.closer
    const isText = mark === NONE && scalarJson(bare.trim()) === undefined
    const ends = isLast ? 'no' : this.endsValue(at + mark, isText)
    return ends === 'no' && isBracket ? endsCall(input, at) : ends
  }

  private endBare(text: string, isText: boolean): State | 'more' {
    const types = this.json.depth === 1 ? this.json.types : undefined
    const value = isText ? { json: JSON.stringify(text) } : bareJson(text.trim(), types)
    return this.json.typed(value, text) ? { at: 'after-value' } : 'more'
  }

  private afterValue(): State | 'more' {
    const { input, writer } = this.context
    const container = this.json.innermost
    if (container === undefined) return { at: 'done' }
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return 'more'
    const char = input.text.charAt(input.at)
    if (char === container.closer) return this.close()
    if (char === ',') {
      input.at++
      return { at: 'member' }
    }
    const { stops } = this.markers
    const end = stops.match(input.text, input.at, input.final)
    if (end === PARTIAL) return 'more'
    if (end === NONE) return /[\])}]/.test(char) ? { at: 'broken' } : { at: 'member' }
    if (stops.found === 'begin') return { at: 'broken' }
    while (this.json.depth > 0) this.json.close()
    writer.repair('missing-closer')
    return { at: 'done' }
  }

  private close(): State {
    this.context.input.at++
    this.json.close()
    return { at: 'after-value' }
  }

  /** `isBareText`: the value is a text without marks. */
  private endsValue(at: number, isBareText = false): 'yes' | 'no' | 'more' {
    const container = this.json.innermost
    if (container === undefined) return 'yes'
    return endsValue(this.markers, container, this.context.input, at, isBareText)
  }
}

function closerOf(bracket: string): string | undefined {
  return bracket === '(' ? ')' : bracket === '[' ? ']' : bracket === '{' ? '}' : undefined
}

import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { skipSpace } from '../../text/space.ts'
import type { EngineContext } from '../engine.ts'
import { type CallHeader, nameWithin, readHeader } from './call-header.ts'
import { isName, markersOf, type NameThenArgsGrammar, type NameThenArgsRole } from './grammar.ts'

/** What stands where the header of a call is expected. */
export type HeaderFound =
  /** A header; the arguments follow. */
  | { readonly is: 'header'; readonly header: CallHeader }
  /** An object that holds both name and arguments. */
  | { readonly is: 'envelope' }
  /** A header with the end of the call, or of the section, right behind it. */
  | { readonly is: 'header-only'; readonly header: CallHeader; readonly endLength: number }
  /** The beginning of another call. */
  | { readonly is: 'opener' }
  | { readonly is: 'none' }

type State =
  /** The first `scanned` characters hold no marker. `first` is the part in front of an inner marker. */
  { at: 'header'; scanned: number; first: FirstPart | undefined } | { at: 'name-line'; scanned: number }

interface FirstPart {
  readonly role: 'id-begin' | 'name-begin' | 'namespace-end'
  readonly text: string
}

/** Longer text is not a header. */
const LONGEST_HEADER = 256

/** Reads what stands in front of the arguments of a call: a name, and in some grammars an id. */
export class HeaderReader {
  private state: State = { at: 'header', scanned: 0, first: undefined }
  private readonly context: EngineContext
  private readonly grammar: NameThenArgsGrammar
  private readonly markers: MarkerSearch<NameThenArgsRole>

  constructor(context: EngineContext, grammar: NameThenArgsGrammar) {
    this.context = context
    this.grammar = grammar
    this.markers = markersOf(grammar).all
  }

  /** Reads on. Once there is an answer, the input stands behind the header and the separator. */
  read(): HeaderFound | 'more' {
    for (;;) {
      const { state } = this
      const next = state.at === 'header' ? this.header(state) : this.nameLine(state.scanned)
      if (next === 'more' || 'is' in next) return next
      this.state = next
    }
  }

  private header({ scanned, first }: Extract<State, { at: 'header' }>): State | HeaderFound | 'more' {
    const { input } = this.context
    if (this.grammar.separator.length === 0) return this.bareHeader()
    if (first?.role === 'namespace-end') input.at = skipSpace(input.text, input.at)
    const start = skipSpace(input.text, input.at)
    if (start === input.text.length && first?.role === 'namespace-end') return 'more'
    if (first?.role === 'namespace-end' && input.text.charAt(start) === '{') {
      return { is: 'header', header: this.compose(first, '') }
    }
    if (first === undefined && input.text.charAt(start) === '{') return { is: 'envelope' }
    const length = this.markers.find(input.text, input.at + scanned, input.final)
    const end = this.markers.index
    const beforeJson = this.headerBeforeJson(end, first)
    if (beforeJson !== undefined) return { is: 'header', header: beforeJson }
    if (end - input.at > LONGEST_HEADER) return { is: 'none' }
    if (length === PARTIAL || length === NONE) {
      const passed = end - input.at
      return passed > scanned ? { at: 'header', scanned: passed, first } : 'more'
    }
    return this.atMarker(this.markers.found, end, length, first)
  }

  private atMarker(
    role: NameThenArgsRole,
    end: number,
    length: number,
    first: FirstPart | undefined,
  ): State | HeaderFound {
    const { input, writer } = this.context
    const from = input.position
    const text = input.take(end)
    input.observer?.became('name', from, input.position)
    if (role === 'call-begin' && text.trim() === '') {
      // The opener is written twice.
      input.at += length
      writer.removed('residue', length)
      return { at: 'header', scanned: 0, first }
    }
    switch (role) {
      case 'call-begin':
      case 'section-begin':
      case 'stop':
        return { is: 'opener' }
      case 'call-end':
      case 'section-end':
        return {
          is: 'header-only',
          header: this.compose(first, text),
          endLength: role === 'call-end' ? length : 0,
        }
      case 'id-begin':
      case 'name-begin':
      case 'namespace-end':
        input.at += length
        return { at: 'header', scanned: 0, first: { role, text } }
      case 'separator':
        input.at += length
        if (text.trim() === this.grammar.typeWord) return { at: 'name-line', scanned: 0 }
        return { is: 'header', header: this.compose(first, text) }
    }
  }

  private compose(first: FirstPart | undefined, text: string): CallHeader {
    const { header: shape } = this.grammar
    const { tools } = this.context
    if (first === undefined) return readHeader(text, shape, tools)
    if (first.role === 'namespace-end') {
      return { id: null, name: nameWithin(first.text.trim(), text.trim(), tools) }
    }
    const [name, id] = first.role === 'id-begin' ? [first.text, text] : [text, first.text]
    return { id: id.trim() || null, name: readHeader(name, shape, tools).name }
  }

  /** Some models leave the separator out: then the name ends where the arguments begin. */
  private headerBeforeJson(end: number, first: FirstPart | undefined): CallHeader | undefined {
    const { input, tools } = this.context
    const text = input.text.slice(input.at, end)
    const at = text.search(/[{`]/)
    if (at <= 0) return undefined
    const header = this.compose(first, text.slice(0, at))
    if (header.name === null) return undefined
    const isEnough = (this.grammar.isSeparatorOptional === true || !tools.isKnown) && isName(header.name)
    if (!isEnough && !tools.has(header.name)) return undefined
    input.observer?.became('name', input.position, input.position + at)
    input.at += at
    return header
  }

  /** The server stripped the markers: the header ends where the arguments begin. */
  private bareHeader(): HeaderFound | 'more' {
    const { input, tools } = this.context
    const end = input.text.indexOf('{', input.at)
    if (end < 0) return 'more'
    input.observer?.became('name', input.position, input.base + end)
    const header = (this.grammar.header.prefix ?? '') + input.take(end)
    return { is: 'header', header: readHeader(header, this.grammar.header, tools) }
  }

  /** The name is what stands before the end of the line, a code fence or the arguments. */
  private nameLine(scanned: number): State | HeaderFound | 'more' {
    const { input } = this.context
    if (scanned === 0) {
      const role = this.markers.ahead(input)
      if (role === 'more') return 'more'
      if (role === 'separator') {
        input.at += this.markers.length
        return { at: 'name-line', scanned: 0 }
      }
    }
    let end = input.at + scanned
    while (end < input.text.length && !/[\n`{<]/.test(input.text.charAt(end))) end++
    const passed = end - input.at
    if (passed > LONGEST_HEADER) return { is: 'none' }
    if (end === input.text.length) return passed > scanned ? { at: 'name-line', scanned: passed } : 'more'
    input.observer?.became('name', input.position, input.base + end)
    const name = input.take(end).trim() || this.typeAsName()
    return { is: 'header', header: { id: null, name } }
  }

  /** With no name behind it the word may be the name itself, if a tool is called so. */
  private typeAsName(): string | null {
    const { typeWord = '' } = this.grammar
    return this.context.tools.has(typeWord) ? typeWord : null
  }
}

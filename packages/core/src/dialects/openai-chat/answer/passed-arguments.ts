import { JsonScanner } from '../../../text/json-scanner.ts'
import { isBlank, skipSpace } from '../../../text/space.ts'
import { ArgumentReader } from '../../../answer/calls/argument-reader.ts'
import { CallArguments } from '../../../answer/calls/arguments.ts'

type State =
  | { readonly at: 'blank' }
  | { readonly at: 'object'; readonly scanner: JsonScanner }
  /** A text that may hold the arguments, or null: told when it is whole. */
  | { readonly at: 'collecting'; readonly pieces: string[] }
  | { readonly at: 'whole' }
  /** No object, or one that is not JSON. */
  | { readonly at: 'unsound' }

/**
 * The arguments of a structured call whose client speaks the dialect of its upstream. They pass as they come, since
 * such a client is used to arguments that are not JSON; only what it would join to something else is put right.
 */
export class PassedArguments extends ArgumentReader {
  private state: State = { at: 'blank' }

  /** Returns what can be sent on: the piece itself where nothing has to change. */
  push(piece: string): string {
    const { state } = this
    switch (state.at) {
      case 'blank':
        return this.begin(piece)
      case 'object':
        return this.scan(state.scanner, this.snapshots.newPart(piece, state.scanner))
      case 'collecting':
        state.pieces.push(piece)
        this.held += piece.length
        return ''
      case 'whole':
        return this.takeBehind(piece)
      default:
        return piece
    }
  }

  /** Nothing follows. `isCut`: the model was stopped here. `rest`: what is still to be sent. */
  end(isCut: boolean): { readonly is: 'whole' | 'cut' | 'invalid'; readonly rest: string } {
    const { state } = this
    this.held = 0
    switch (state.at) {
      case 'blank':
      case 'collecting':
        return this.decide(state.at === 'blank' ? '' : state.pieces.join(''), isCut)
      case 'object':
        return { is: 'cut', rest: '' }
      default:
        return { is: state.at === 'whole' ? 'whole' : 'invalid', rest: '' }
    }
  }

  private begin(piece: string): string {
    const from = skipSpace(piece, 0)
    if (from === piece.length) return piece
    const first = piece.charAt(from)
    if (first === '{') {
      const scanner = new JsonScanner()
      this.state = { at: 'object', scanner }
      return this.scan(scanner, this.snapshots.newPart(piece, null))
    }
    if (first !== '"' && first !== 'n') {
      this.state = { at: 'unsound' }
      return piece
    }
    this.state = { at: 'collecting', pieces: [piece] }
    this.held = piece.length
    return ''
  }

  private scan(scanner: JsonScanner, text: string): string {
    const to = scanner.scan(text, 0)
    if (scanner.status === 'open') return text
    if (scanner.status === 'broken') {
      this.state = { at: 'unsound' }
      return text
    }
    this.state = { at: 'whole' }
    const rest = text.slice(to)
    this.snapshots.takeBack(rest.length)
    return text.slice(0, to) + this.takeBehind(rest)
  }

  private takeBehind(text: string): string {
    if (isBlank(text)) return text
    this.behind.add(text)
    return ''
  }

  private decide(
    json: string,
    isCut: boolean,
  ): { readonly is: 'whole' | 'cut' | 'invalid'; readonly rest: string } {
    const read = new CallArguments(this.notes)
    read.push(json)
    const end = read.end(isCut)
    if (typeof end !== 'string') return { is: 'whole', rest: end.rest }
    // A quote that is never closed was cut; what else is no JSON the client gets as it came.
    const isOpen = isCut || json.trimStart().startsWith('"')
    return isOpen ? { is: 'cut', rest: '' } : { is: 'invalid', rest: json }
  }
}

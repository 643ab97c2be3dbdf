import { problemCodes, repairCodes } from '../../problems.ts'
import { JsonRepair } from '../../text/json-repair.ts'
import { JsonScanner } from '../../text/json-scanner.ts'
import { isBlank, skipSpace } from '../../text/space.ts'
import { ArgumentReader } from './argument-reader.ts'
import { isJsonObject, parseJson } from '../../json/objects.ts'

type State =
  | { readonly at: 'blank' }
  /** Some servers send an object without members first, where the arguments are still to come. */
  | { readonly at: 'no-members' }
  | { readonly at: 'object'; readonly scanner: JsonScanner; tentative: string }
  /** After an impossible character: sent on only if a safe repair completes it. */
  | { readonly at: 'repairing'; readonly repair: JsonRepair }
  /** What is no object is decided on when it is whole. */
  | { readonly at: 'collecting'; readonly pieces: string[] }
  | { readonly at: 'whole' }
  | { readonly at: 'broken' }

/**
 * The arguments of one structured call. An object is passed on as it comes, byte for byte; arguments that were
 * encoded twice, are missing, or come as ever longer snapshots are put right.
 */
export class CallArguments extends ArgumentReader {
  private state: State = { at: 'blank' }

  get isWhole(): boolean {
    return this.state.at === 'whole' || this.state.at === 'no-members'
  }

  /** Returns what can be sent on. */
  push(piece: string): string {
    const { state } = this
    if (state.at === 'whole') {
      this.behind.add(piece)
      return ''
    }
    const text = this.snapshots.newPart(piece, state.at === 'object' ? state.scanner : null)
    switch (state.at) {
      case 'blank':
        return this.begin(text)
      case 'no-members':
        return this.goOn(text)
      case 'object':
        return this.scan(state, text)
      case 'repairing':
        return this.repairOn(state.repair, text, 0)
      case 'collecting':
        state.pieces.push(text)
        this.held += text.length
        return ''
      default:
        return ''
    }
  }

  /** Nothing follows. Returns the rest to send, or why there is no call. `isCut`: the model was stopped here. */
  end(isCut: boolean): { readonly rest: string } | 'cut' | 'invalid' {
    const { state } = this
    switch (state.at) {
      case 'whole':
        return { rest: '' }
      case 'no-members':
        this.held = 0
        this.state = { at: 'whole' }
        return { rest: '{}' }
      case 'blank':
        return isCut ? 'cut' : this.empty()
      case 'collecting':
        return this.decide(state.pieces.join('').trim(), isCut)
      case 'broken':
        return 'invalid'
      default:
        return 'cut'
    }
  }

  private begin(text: string): string {
    const said = text.slice(skipSpace(text, 0))
    if (said === '') return ''
    const rest = said.replace(noMembersBefore, '')
    if (rest !== said) this.snapshots.restart(rest)
    if (noMembers.test(rest)) {
      this.state = { at: 'no-members' }
      this.held = '{}'.length
      return ''
    }
    if (rest.startsWith('{')) {
      const state = { at: 'object' as const, scanner: new JsonScanner(), tentative: '' }
      this.state = state
      return this.scan(state, rest)
    }
    this.state = { at: 'collecting', pieces: [rest] }
    this.held = rest.length
    return ''
  }

  private goOn(text: string): string {
    if (isBlank(text) || noMembers.test(text)) return ''
    this.held = 0
    if (text.trimStart().startsWith('{')) {
      this.snapshots.restart(text)
      return this.begin(text)
    }
    this.endObject(text, 0)
    return '{}'
  }

  /** It ends there in the text. */
  private endObject(text: string, to: number): void {
    this.state = { at: 'whole' }
    if (to === text.length) return
    this.snapshots.takeBack(text.length - to)
    this.behind.add(text.slice(to))
  }

  private scan(state: Extract<State, { at: 'object' }>, text: string): string {
    const { scanner } = state
    const to = scanner.scan(text, 0)
    const isTentative = scanner.isTentative && scanner.status !== 'done'
    const sound = isTentative ? Math.max(0, scanner.tentativeFrom) : to
    let json = ''
    // A tail from an earlier piece is certain as soon as anything sound follows it.
    if (!isTentative || scanner.tentativeFrom >= 0) {
      json = state.tentative + text.slice(0, sound)
      state.tentative = ''
    }
    state.tentative += text.slice(sound, to)
    if (scanner.status === 'done') this.endObject(text, to)
    if (scanner.status !== 'broken') return json
    const repair = new JsonRepair(scanner, state.tentative)
    this.state = { at: 'repairing', repair }
    return json + this.repairOn(repair, text, to)
  }

  private repairOn(repair: JsonRepair, text: string, at: number): string {
    const to = repair.read(text, at)
    this.held += text.length - at
    if (repair.status === 'open') return ''
    this.held = 0
    if (repair.status === 'stuck') {
      this.state = { at: 'broken' }
      return ''
    }
    this.endObject(text, to)
    for (const code of repair.repairs) this.notes.repair(code, repairCodes[code])
    return repair.take()
  }

  private decide(json: string, isCut: boolean): { readonly rest: string } | 'cut' | 'invalid' {
    const value = parseJson(json)
    if (value === undefined) return isCut ? 'cut' : 'invalid'
    if (value === null) return this.empty()
    if (typeof value !== 'string') return this.notAnObject(json)
    if (isBlank(value)) return this.empty()
    if (!isJsonObject(parseJson(value))) return this.notAnObject(json)
    this.notes.repair('unwrapped-arguments', repairCodes['unwrapped-arguments'])
    return { rest: value.trim() }
  }

  private empty(): { readonly rest: string } {
    this.notes.repair('empty-arguments', repairCodes['empty-arguments'])
    return { rest: '{}' }
  }

  private notAnObject(json: string): { readonly rest: string } {
    this.notes.problem('arguments-not-object', problemCodes['arguments-not-object'], json.slice(0, 256))
    return { rest: json }
  }
}

const noMembers = /^\s*\{\s*\}\s*$/
/** An empty object with the arguments right behind it. */
const noMembersBefore = /^\{\s*\}\s*(?=\{)/

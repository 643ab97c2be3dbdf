import { problemCodes, repairCodes, type ProblemCode, type RepairCode } from '../problems.ts'
import { JsonRepair } from '../text/json-repair.ts'
import { JsonScanner } from '../text/json-scanner.ts'
import { isBlank, skipSpace } from '../text/space.ts'
import { isJsonObject, parseJson } from './json-object.ts'

export interface ArgumentNotes {
  problem(code: ProblemCode, message: string, source: string): void
  repair(code: RepairCode, message: string): void
}

type State =
  | { readonly at: 'blank' }
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
export class CallArguments {
  /** How much was taken in and not given out. */
  heldLength = 0
  private state: State = { at: 'blank' }
  private readonly notes: ArgumentNotes
  private readonly snapshots = new SnapshotReader()

  constructor(notes: ArgumentNotes) {
    this.notes = notes
  }

  get isWhole(): boolean {
    return this.state.at === 'whole'
  }

  /** Returns what can be sent on. */
  push(piece: string): string {
    const text = this.snapshots.newPart(piece, this.state)
    const { state } = this
    switch (state.at) {
      case 'blank':
        return this.begin(text)
      case 'object':
        return this.scan(state, text)
      case 'repairing':
        return this.repairOn(state.repair, text, 0)
      case 'collecting':
        state.pieces.push(text)
        this.heldLength += text.length
        return ''
      default:
        // Some servers repeat the whole arguments at the end, and nothing can follow a whole object.
        return ''
    }
  }

  /** Nothing follows. Returns the rest to send, or why there is no call. `isCut`: the model was stopped here. */
  end(isCut: boolean): { readonly rest: string } | 'cut' | 'invalid' {
    const { state } = this
    switch (state.at) {
      case 'whole':
        return { rest: '' }
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
    const from = skipSpace(text, 0)
    if (from === text.length) return ''
    const rest = text.slice(from)
    if (rest.startsWith('{')) {
      const state = { at: 'object' as const, scanner: new JsonScanner(), tentative: '' }
      this.state = state
      return this.scan(state, rest)
    }
    this.state = { at: 'collecting', pieces: [rest] }
    this.heldLength = rest.length
    return ''
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
    if (scanner.status === 'done') this.state = { at: 'whole' }
    if (scanner.status !== 'broken') return json
    const repair = new JsonRepair(scanner, state.tentative)
    this.state = { at: 'repairing', repair }
    return json + this.repairOn(repair, text, to)
  }

  private repairOn(repair: JsonRepair, text: string, at: number): string {
    repair.read(text, at)
    this.heldLength += text.length - at
    if (repair.status === 'open') return ''
    this.heldLength = 0
    if (repair.status === 'stuck') {
      this.state = { at: 'broken' }
      return ''
    }
    this.state = { at: 'whole' }
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

/** Some servers send the arguments so far, over and over, where a delta should be. */
class SnapshotReader {
  private mode: 'unknown' | 'deltas' | 'snapshots' = 'unknown'
  private seen = ''
  private seenLength = 0

  newPart(piece: string, state: State): string {
    if (this.mode === 'deltas') return piece
    const isSnapshot = this.mode === 'snapshots' ? piece.length >= this.seenLength : this.shows(piece, state)
    const part = isSnapshot ? piece.slice(this.seenLength) : piece
    if (isSnapshot) this.mode = 'snapshots'
    this.seenLength += part.length
    if (this.mode === 'unknown') {
      this.seen += part
      if (this.seenLength > longestFirstSnapshot) this.mode = 'deltas'
    }
    return part
  }

  /** Only where the piece cannot go on from what came: an object may hold what it begins with itself. */
  private shows(piece: string, state: State): boolean {
    if (state.at !== 'object' || piece.length < this.seenLength || !piece.startsWith(this.seen)) return false
    const { place } = state.scanner
    if (place === 'value' || place === 'first-item') return false
    // In a string the first quote of the piece would end the string.
    return place !== 'string' || !/^[^"]*"(?:[\s:,}\]]|$)/.test(piece)
  }
}

const longestFirstSnapshot = 4096

import { isJsonObject, parseJson } from '../../json/objects.ts'
import { HeldText } from '../../text/held-text.ts'
import { JsonRepair } from '../../text/json-repair.ts'
import { JsonScanner } from '../../text/json-scanner.ts'
import { isBlank, skipSpace } from '../../text/space.ts'
import { ArgumentSnapshots } from './argument-snapshots.ts'
import type { ArgumentNote } from './structured-call.ts'

type State =
  | { readonly at: 'blank' }
  /** Some servers send an object without members first, where the arguments are still to come. */
  | { readonly at: 'no-members' }
  | { readonly at: 'object'; readonly scanner: JsonScanner; tentative: string }
  /** After an impossible character: sent on only if a safe repair completes it. */
  | { readonly at: 'repairing'; readonly repair: JsonRepair }
  /** What is no object is decided on when it is whole. */
  | { readonly at: 'collecting'; readonly value: HeldText }
  | { readonly at: 'whole' }
  | { readonly at: 'broken' }

/**
 * The arguments of one structured call. An object is passed on as it comes, byte for byte; arguments that were
 * encoded twice, are missing, or come as ever longer snapshots are put right.
 */
export class CallArguments {
  private state: State = { at: 'blank' }
  private held = 0
  private readonly notes: ArgumentNote[]
  private readonly snapshots = new ArgumentSnapshots()
  private readonly behind = new HeldText()

  constructor(notes: ArgumentNote[]) {
    this.notes = notes
  }

  get isWhole(): boolean {
    return this.state.at === 'whole' || this.state.at === 'no-members'
  }

  /** Whether no repair makes JSON of them any more. */
  get isBroken(): boolean {
    return this.state.at === 'broken'
  }

  /** Whether an object without members is all that has come. */
  get mayStillBegin(): boolean {
    return this.state.at === 'no-members'
  }

  /** How much was taken in and not given out. */
  get heldLength(): number {
    return this.held + this.behind.bytes
  }

  /** Returns what can be sent on. */
  push(piece: string): string {
    const { state } = this
    if (state.at === 'whole') {
      this.addBehind(piece)
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
        state.value.add(text)
        this.held = state.value.bytes
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
        // Where the model was stopped, this is what a server makes of the half that it could not read.
        if (isCut) return 'cut'
        this.held = 0
        this.state = { at: 'whole' }
        return { rest: '{}' }
      case 'blank':
        return isCut ? 'cut' : this.empty()
      case 'collecting':
        this.held = 0
        this.state = { at: 'whole' }
        return this.decide(state.value.take().trim(), isCut)
      case 'broken':
        return 'invalid'
      default:
        return 'cut'
    }
  }

  /** What came behind the whole arguments and is text, not left over from the writing of the call. */
  takeTextBehind(): string {
    const text = this.behind.take().trim()
    if (text === '' || this.snapshots.areRepeatedIn(text)) return ''
    if (/^[}\]\s]+$/.test(text)) {
      this.notes.push({ is: 'repair', code: 'surplus-closer' })
    } else if (/^(?:<[^<>]*>\s*)+$/.test(text)) {
      this.notes.push({ is: 'repair', code: 'residue' })
    } else {
      this.notes.push({ is: 'problem', code: 'stray-text', source: text.slice(0, 256) })
      return text
    }
    return ''
  }

  /** Whether the text says all over again what has come. */
  areRepeatedIn(text: string): boolean {
    return this.snapshots.areRepeatedIn(text)
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
    const value = new HeldText()
    value.add(rest)
    this.state = { at: 'collecting', value }
    this.held = value.bytes
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

  /** The object ends there in the text. */
  private endObject(text: string, to: number): void {
    this.state = { at: 'whole' }
    if (to === text.length) return
    this.snapshots.takeBack(text.length - to)
    this.addBehind(text.slice(to))
  }

  /** Some servers repeat the whole arguments at the end, which says nothing new. */
  private addBehind(text: string): void {
    if (this.behind.bytes > 0 || !this.snapshots.areRepeatedIn(text.trim())) this.behind.add(text)
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
    for (const code of repair.repairs) this.notes.push({ is: 'repair', code })
    return repair.take()
  }

  private decide(json: string, isCut: boolean): { readonly rest: string } | 'cut' | 'invalid' {
    const value = parseJson(json)
    if (value === undefined) return isCut ? 'cut' : 'invalid'
    if (value === null) return this.empty()
    if (typeof value !== 'string') return this.notAnObject(json)
    if (isBlank(value)) return this.empty()
    if (!isJsonObject(parseJson(value))) return this.notAnObject(json)
    this.notes.push({ is: 'repair', code: 'unwrapped-arguments' })
    return { rest: value.trim() }
  }

  private empty(): { readonly rest: string } {
    this.notes.push({ is: 'repair', code: 'empty-arguments' })
    return { rest: '{}' }
  }

  private notAnObject(json: string): { readonly rest: string } {
    this.notes.push({ is: 'problem', code: 'arguments-not-object', source: json.slice(0, 256) })
    return { rest: json }
  }
}

const noMembers = /^\s*\{\s*\}\s*$/
/** An empty object with the arguments right behind it. */
const noMembersBefore = /^\{\s*\}\s*(?=\{)/

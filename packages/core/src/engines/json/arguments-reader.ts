import { type ProblemCode, problemCodes, type RepairCode } from '../../problems.ts'
import { JsonRepair } from '../../text/json-repair.ts'
import { JsonScanner } from '../../text/json-scanner.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import { isBlank, skipSpace } from '../../text/space.ts'
import type { TextWindow } from '../../text/text-window.ts'

/** A comma with more white space than this behind it is let go: then it can no longer be taken back. */
const LONGEST_TENTATIVE = 1024

/** Where arguments go: straight to the client, or into a buffer while the call has no name yet. */
export interface ArgumentsOutput {
  delta(json: string): void
  holdBack(before?: string): void
  release(): string
  isOver(): boolean
  repair(code: RepairCode): void
}

type State =
  /** Before the first character. */
  | { at: 'start' }
  | Scanning
  | Repairing
  /** No repair helps. The end marker of the call has to be looked for as plain text. */
  | { at: 'broken' }
  | { at: 'done' }

interface Scanning {
  at: 'scanning'
  scanner: JsonScanner
  /** Passed by the scanner, but it may have to be taken back. */
  tentative: string
  /** That tail grew too long and was sent on. */
  isReleased: boolean
  /** What is no object is collected and then decided; an object goes out as it comes. */
  collected: string | undefined
}

/** After an impossible character: collected, to be sent on only if a safe repair completes it. */
interface Repairing {
  at: 'repairing'
  repair: JsonRepair
  collected: string | undefined
  /** Where in the stream it began. */
  from: number
}

/**
 * Reads the arguments of one call, written as JSON. Valid JSON is passed on byte for byte, piece by
 * piece; whatever is done to invalid JSON is reported.
 */
export class ArgumentsReader {
  private notAnObject = ''
  private state: State = { at: 'start' }
  private readonly output: ArgumentsOutput
  private readonly endMarkers: MarkerSearch<unknown>
  private readonly indent: string
  private readonly mayBeMissing: boolean

  /**
   * `indent`: what stands behind the line breaks that the writer's indentation brought into strings. `mayBeMissing`: nothing
   * before the end marker means that there are none. Behind the colon of a key it means that they were cut off.
   */
  constructor(output: ArgumentsOutput, endMarkers: MarkerSearch<unknown>, indent = '', mayBeMissing = true) {
    this.output = output
    this.endMarkers = endMarkers
    this.indent = indent
    this.mayBeMissing = mayBeMissing
  }

  /** Tells what is odd about arguments that were read. */
  reportTo(report: { problem(code: ProblemCode, message: string, source: string): void }): void {
    if (this.notAnObject === '') return
    report.problem('arguments-not-object', problemCodes['arguments-not-object'], this.notAnObject)
  }

  /** Reads on. `done` and `broken` are final; the input then stands right behind what was used. */
  read(input: TextWindow): 'more' | 'done' | 'broken' {
    for (;;) {
      const before = this.state
      switch (before.at) {
        case 'start':
          if (!this.begin(input)) return 'more'
          break
        case 'scanning':
          if (!this.scanOn(input, before)) return 'more'
          break
        case 'repairing':
          if (!this.repairOn(input, before)) return 'more'
          break
        default:
          return before.at
      }
    }
  }

  private begin(input: TextWindow): boolean {
    input.at = skipSpace(input.text, input.at)
    if (input.isEmpty) return false
    const end = this.endMarkers.match(input.text, input.at, input.final)
    if (end === PARTIAL) return false
    if (end !== NONE) {
      if (this.mayBeMissing) this.finishEmpty()
      else this.state = { at: 'broken' }
      return true
    }
    const opensObject = input.text.charAt(input.at) === '{'
    if (!opensObject) this.output.holdBack()
    const collected = opensObject ? undefined : ''
    this.state = { at: 'scanning', scanner: new JsonScanner(), tentative: '', isReleased: false, collected }
    return true
  }

  private scanOn(input: TextWindow, state: Scanning): boolean {
    const { scanner } = state
    const from = input.at
    const to = scanner.scan(input.text, from)
    input.at = to
    input.observer?.became('arguments', input.base + from, input.position)
    const isTentative = scanner.isTentative && scanner.status !== 'done'
    const sound = isTentative ? Math.max(from, scanner.tentativeFrom) : to
    // A tail from an earlier chunk is certain as soon as anything sound follows it.
    if (!isTentative || scanner.tentativeFrom >= from) {
      this.pass(state, state.tentative + input.text.slice(from, sound))
      state.tentative = ''
    }
    if (state.isReleased && isTentative && scanner.tentativeFrom < from) {
      this.pass(state, input.text.slice(sound, to))
    } else {
      state.tentative += input.text.slice(sound, to)
      state.isReleased = state.tentative.length > LONGEST_TENTATIVE
      if (state.isReleased) {
        this.pass(state, state.tentative)
        state.tentative = ''
      }
    }
    if (scanner.status === 'open') return false
    if (scanner.status === 'done') {
      if (this.output.isOver()) return false
      this.finish(state.collected)
    } else {
      this.output.holdBack(state.tentative)
      const repair = new JsonRepair(scanner, state.tentative, this.indent)
      const repairedFrom = input.position - state.tentative.length
      this.state = { at: 'repairing', repair, collected: state.collected, from: repairedFrom }
    }
    return true
  }

  private repairOn(input: TextWindow, state: Repairing): boolean {
    const { repair } = state
    input.at = repair.read(input.text, input.at)
    if (repair.status === 'open') return false
    if (repair.status === 'stuck') {
      const end = repair.canClose ? this.endMarkers.match(input.text, input.at, input.final) : NONE
      if (end === PARTIAL) return false
      if (end === NONE) {
        this.state = { at: 'broken' }
        return true
      }
      repair.close()
    }
    if (this.output.isOver()) return false
    const json = repair.take()
    input.observer?.repaired(repair.repairs, state.from, input.position, json)
    this.pass(state, json)
    this.finish(state.collected)
    if (this.state.at === 'done') for (const code of repair.repairs) this.output.repair(code)
    return true
  }

  private pass(state: Scanning | Repairing, json: string): void {
    if (state.collected === undefined) this.output.delta(json)
    else state.collected += json
  }

  /** The value is whole; if it was collected it is decided now what to send on. */
  private finish(collected: string | undefined): void {
    this.state = { at: 'done' }
    if (collected !== undefined) this.sendOn(collected)
    if (this.state.at === 'done') this.output.release()
  }

  private sendOn(json: string): void {
    const inner = json.startsWith('"') ? unwrap(json) : undefined
    if (json === 'null' || (inner !== undefined && isBlank(inner))) {
      this.finishEmpty()
    } else if (inner !== undefined && isObject(inner)) {
      this.output.delta(inner.trim())
      this.output.repair('unwrapped-arguments')
    } else if (inner !== undefined && this.endMarkers.find(json, 0, true) > 0) {
      // A text in place of an object, and the call ends in it: it was never closed, and its last quote is that of another.
      this.state = { at: 'broken' }
    } else {
      if (!json.startsWith('{')) this.notAnObject = json
      this.output.delta(json)
    }
  }

  private finishEmpty(): void {
    this.output.delta('{}')
    this.output.repair('empty-arguments')
    this.state = { at: 'done' }
  }
}

function unwrap(json: string): string | undefined {
  try {
    const inner: unknown = JSON.parse(json)
    return typeof inner === 'string' ? inner : undefined
  } catch {
    return undefined
  }
}

function isObject(text: string): boolean {
  const json = text.trim()
  const scanner = new JsonScanner()
  return json.startsWith('{') && scanner.scan(json, 0) === json.length && scanner.status === 'done'
}

import { isRecord, type ToolSet } from '../engines/tool-set.ts'
import { EventCollector } from '../events.ts'
import type { ProblemCode } from '../problems.ts'
import type { SourceRecording, TextWindow } from '../text/text-window.ts'
import type { Fence } from './code-fence.ts'
import type { Opening } from './lexicon/opening.ts'

/** What a marker means where it stands. `text`: it is text. `hold`: more text is needed. `passed`: it was dealt with. */
export type Verdict = Found | 'text' | 'hold' | 'passed'

/** An opener, and how sure it is. */
export interface Found {
  readonly opening: Opening
  readonly at: number
  readonly length: number
  /** Anything but `certain` has to prove itself. */
  readonly as:
    | 'certain'
    /** Nothing announces it, but in the named format an answer may begin so, or a line of it. */
    | 'opens-answer'
    | 'opens-line'
    | 'in-thought'
    | 'in-code'
    | 'in-reasoning'
    | 'salvage'
    | 'bare'
    | 'trailing'
    | 'fenced'
  /** Where its markup begins: before the opener, if a fence stands around it. */
  readonly from: number
  readonly fence?: Fence
  /** It stands in code: what the code is. */
  readonly code?: Code
}

/**
 * Code that is open: a fence with nothing in it so far, a fence with something in it, or backticks in a line; an element of
 * HTML, or a line that is indented.
 */
export type Code = MarkedCode | { readonly is: 'element' | 'indented' }

export interface MarkedCode {
  readonly is: 'empty-fence' | 'fence' | 'inline'
  readonly fence: Fence
}

/** Whether a call that is certain by itself stands where it may only be shown: it needs no other proof than what follows. */
export function isOnlyShown({ as }: Found): boolean {
  return as === 'in-thought' || as === 'in-code' || isExpected(as)
}

/** Whether such a call is what the format writes: it counts unless a sentence speaks of it. */
export function isExpected(as: Found['as']): boolean {
  return as === 'opens-answer' || as === 'opens-line'
}

/**
 * Text that may be a call, held until it is certain: in reasoning until what follows is known, where special
 * tokens stand in a thought or in code until one knows whether that is closed, at the start of a line until one sees no sentence go on behind it, in salvage until the call is whole, in a code fence until the fence closes.
 */
export interface Candidate {
  readonly found: Found
  /** Its source, which becomes text again if the candidate is no call. */
  readonly recording: SourceRecording
  /** What the engine wrote, to be sent on if the candidate is a call. */
  readonly evidence: Evidence
  /** How many calls there were before it. */
  readonly madeBefore: number
  /** The code fence around it, while that is open. */
  fence: Fence | undefined
}

/** Within this distance of its opener a candidate that fails has cost so little that what it swallowed is tried anew. */
export const SHORT_CANDIDATE = 256

/** Longer candidates are let go as text: whoever reads along must not wait for ever. */
export const LONGEST_CANDIDATE = 65_536

/** What is expected and longer than this is no example: its arguments need not wait any longer. */
export const LONGEST_EXAMPLE = 2048

/** Collects what an engine reads in a candidate, and whether all of it speaks for a call. */
export class Evidence extends EventCollector {
  private readonly isDeclared: (name: string) => boolean
  private readonly input: TextWindow
  private readonly as: Found['as']
  private hasCall = false
  /** Where in the stream the first whole call in a thought ends; infinite while there is none. */
  wholeAt = Infinity
  private readonly calls: { readonly name: string; json: string }[] = []
  /** Where in the stream it turned out to be no call; -1 while it may be one. */
  disprovenAt = -1

  constructor(input: TextWindow, isDeclared: (name: string) => boolean, as: Found['as']) {
    super()
    this.input = input
    this.isDeclared = isDeclared
    this.as = as
  }

  get showsCall(): boolean {
    return this.hasCall && this.disprovenAt < 0
  }

  override text(text: string): void {
    if (!isExpected(this.as)) this.disprove()
    super.text(text)
  }

  /** Whether each call has the arguments without which its tool cannot be called. */
  hasRequired(tools: ToolSet): boolean {
    return this.calls.every(({ name, json }) => {
      const given: unknown = JSON.parse(json)
      return isRecord(given) && tools.required(name).every((key) => Object.hasOwn(given, key))
    })
  }

  override callDelta(index: number, json: string): void {
    const last = this.calls.at(-1)
    if (last !== undefined) last.json += json
    super.callDelta(index, json)
  }

  override callStart(index: number, id: string | null, name: string): void {
    this.calls.push({ name, json: '' })
    if (!this.isDeclared(name) && !this.isInRow) this.disprove()
    super.callStart(index, id, name)
  }

  override callEnd(index: number, complete: boolean): void {
    if (complete && this.as === 'in-reasoning' && !this.isInRow)
      this.wholeAt = this.input.base + this.input.at
    // A special token was meant as a call, even if the call is broken.
    if (complete || this.as === 'in-thought' || isExpected(this.as)) this.hasCall = true
    else if (!this.isInRow) this.disprove()
    super.callEnd(index, complete)
  }

  /** A broken call in a thought, behind a whole one, makes that no text: what follows them decides. */
  private get isInRow(): boolean {
    return this.wholeAt < Infinity
  }

  /** Outside of reasoning, and of special tokens, nothing but a flawless call is certain. */
  override problem(code: ProblemCode, message: string, source: string): void {
    const isLenient =
      this.as === 'in-reasoning' || this.as === 'in-thought' || this.as === 'in-code' || isExpected(this.as)
    if (!isLenient && (code === 'unclosed-call' || code === 'extra-field')) this.disprove()
    super.problem(code, message, source)
  }

  private disprove(): void {
    if (this.disprovenAt < 0) this.disprovenAt = this.input.base + this.input.at
  }
}

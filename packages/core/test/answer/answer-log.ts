import type { AnswerSink, FinishReason, Usage } from '../../src/answer/answer.ts'
import type { Failure } from '../../src/answer/failure.ts'

/** Writes down what an answer says, a line each, neighbouring pieces joined; refuses what breaks the contract. */
export class AnswerLog implements AnswerSink {
  readonly lines: string[] = []
  readonly notes: string[] = []
  counted: Usage | null = null
  failure: Failure | null = null
  private state: 'new' | 'open' | 'finished' | 'ended' = 'new'
  private openCall: number | null = null
  private calls = 0
  private readonly ids = new Set<string>()
  private last: { kind: string; text: string } | null = null

  start({ id, model }: { id: string | null; model: string | null }): void {
    if (this.state !== 'new') throw new Error('started twice')
    this.state = 'open'
    this.line(`start ${String(id)} ${String(model)}`)
  }

  text(text: string): void {
    this.mustBeBetweenCalls('text')
    this.piece('text', text)
  }

  reasoning(text: string, field: string): void {
    this.mustBeBetweenCalls('reasoning')
    this.piece(`reasoning ${field}`, text)
  }

  reasoningProof(proof: string): void {
    this.mustBeBetweenCalls('proof')
    this.line(`proof ${proof}`)
  }

  callStart(index: number, id: string, name: string): void {
    this.mustBeBetweenCalls('call')
    if (index !== this.calls++) throw new Error(`call ${index} out of order`)
    if (!/^[a-zA-Z0-9_-]{1,64}$/.test(id) || this.ids.has(id)) throw new Error(`bad id ${id}`)
    this.ids.add(id)
    this.openCall = index
    this.line(`call ${index} ${id} ${name}`)
  }

  callDelta(index: number, json: string): void {
    this.mustBeOpen('delta')
    if (index !== this.openCall) throw new Error(`delta for ${index}, open is ${String(this.openCall)}`)
    if (json === '') throw new Error('an empty delta')
    this.piece(`delta ${index}`, json)
  }

  callEnd(index: number): void {
    this.mustBeOpen('call end')
    if (index !== this.openCall) throw new Error(`end of ${index}, open is ${String(this.openCall)}`)
    this.openCall = null
    this.line(`call-end ${index}`)
  }

  usage(usage: Usage): void {
    this.counted = usage
  }

  finish(reason: FinishReason, stopSequence: string | null): void {
    this.mustBeOpen('finish')
    if (this.openCall !== null && reason !== 'length') throw new Error('finish inside a call')
    this.state = 'finished'
    this.line(`finish ${reason}${stopSequence === null ? '' : ` ${stopSequence}`}`)
  }

  fail(failure: Failure): void {
    if (this.state === 'finished' || this.state === 'ended') throw new Error(`fail when ${this.state}`)
    this.state = 'finished'
    this.failure = failure
    this.line(`fail ${failure.kind} ${failure.code}`)
  }

  end(): void {
    if (this.state !== 'finished') throw new Error(`end when ${this.state}`)
    this.state = 'ended'
  }

  problem(code: string): void {
    this.notes.push(`problem ${code}`)
  }

  repair(code: string): void {
    this.notes.push(`repair ${code}`)
  }

  get isEnded(): boolean {
    return this.state === 'ended'
  }

  private piece(kind: string, text: string): void {
    if (this.last?.kind === kind) this.lines.pop()
    const joined = this.last?.kind === kind ? this.last.text + text : text
    this.lines.push(`${kind} ${kind.startsWith('delta') ? joined : JSON.stringify(joined)}`)
    this.last = { kind, text: joined }
  }

  private line(line: string): void {
    this.last = null
    this.lines.push(line)
  }

  private mustBeOpen(what: string): void {
    if (this.state !== 'open') throw new Error(`${what} when ${this.state}`)
  }

  private mustBeBetweenCalls(what: string): void {
    this.mustBeOpen(what)
    if (this.openCall !== null) throw new Error(`${what} inside call ${this.openCall}`)
  }
}

import type { Sink } from '../events.ts'
import { type ProblemCode, type RepairCode, repairCodes } from '../problems.ts'

/** For answers in which no call is allowed: one that was written all the same is left out, and reported. */
export class CallRemover implements Sink {
  private readonly sink: Sink

  constructor(sink: Sink) {
    this.sink = sink
  }

  text(text: string): void {
    this.sink.text(text)
  }

  reasoning(text: string): void {
    this.sink.reasoning(text)
  }

  callStart(): void {
    this.sink.repair('forbidden-call', repairCodes['forbidden-call'])
  }

  callDelta(): void {}

  callEnd(): void {}

  problem(code: ProblemCode, message: string, source: string): void {
    this.sink.problem(code, message, source)
  }

  repair(code: RepairCode, message: string): void {
    this.sink.repair(code, message)
  }
}

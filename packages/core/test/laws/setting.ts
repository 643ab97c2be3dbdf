import * as fc from 'fast-check'
import type { Channel, Piece } from '../support/chunkings.ts'
import { type Mode, modes, sampleTools } from '../support/modes.ts'
import type { EndReason, Options } from '../support/run-parser.ts'

/**
 * Random chunkings in all: each law takes its share of outputs from the same number. In `npm test` it is enough to find what
 * a change broke at large; `.ci/run` looks seven times as long.
 */
const chunkings = Number(process.env['LAWS_RUNS'] ?? 15_000)
export const chunkingsPerOutput = 10
export const numRuns = Math.ceil(chunkings / chunkingsPerOutput / modes.length)

/** For `describe.each`. */
export const everyMode = modes.map((mode) => [mode.title, mode] as const)

const reasons: readonly (EndReason | undefined)[] = [undefined, 'stop', 'length', 'tool_calls', 'error']

export const setting = fc.record({
  tools: fc.constantFrom<Options['tools']>(undefined, [], sampleTools, sampleTools, sampleTools),
  promptOpensReasoning: fc.constantFrom(undefined, true, false),
  delivery: fc.constantFrom<'incremental' | 'complete'>('incremental', 'incremental', 'complete'),
  toolCallBytes: fc.oneof(fc.constant(undefined), fc.integer({ min: 1, max: 160 })),
  overflow: fc.constantFrom<'error' | 'flush'>('error', 'flush'),
})

export const reason = fc.constantFrom(...reasons)

export const channel = fc.constantFrom<Channel>('content', 'content', 'reasoning')

interface Setting {
  readonly tools: Options['tools']
  readonly promptOpensReasoning: boolean | undefined
  readonly delivery: 'incremental' | 'complete'
  readonly toolCallBytes: number | undefined
  readonly overflow: 'error' | 'flush'
}

export function optionsOf(mode: Mode, chosen: Setting): Options {
  const { tools, promptOpensReasoning, delivery, toolCallBytes, overflow } = chosen
  return {
    ...mode.options,
    delivery,
    limits: { overflow, ...(toolCallBytes === undefined ? {} : { toolCallBytes }) },
    ...(tools === undefined ? {} : { tools }),
    ...(promptOpensReasoning === undefined ? {} : { promptOpensReasoning }),
  }
}

export function inContent(text: string): Piece[] {
  return [{ text, channel: 'content' }]
}

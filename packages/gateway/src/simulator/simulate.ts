import { setTimeout as sleep } from 'node:timers/promises'
import type { DialectId } from '@dragoman/core'
import { replyTo, type Reply, type Step } from './reply.ts'
import type { SimulatorSettings } from './settings.ts'

/** What the simulator needs of the world around it. */
export interface World {
  /** Resolves after this many milliseconds, or at once when the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Returns a new text each time. */
  readonly newId: () => string
}

/** How a simulation ended. */
type SimulationEnd = 'ended' | 'cut' | 'cancelled'

export interface Simulation {
  readonly reply: Reply
  readonly done: Promise<SimulationEnd>
  cancel(): void
}

/** Takes one chunk. If it returns a promise, that resolves when there is room for the next chunk. */
export type TakeChunk = (text: string) => void | Promise<void>

/** Answers one request, without a server. */
export function simulate(
  dialect: DialectId,
  body: unknown,
  settings: SimulatorSettings,
  onChunk: TakeChunk,
  world: World = nodeWorld(),
): Simulation {
  const envelope = { id: world.newId(), created: Math.floor(world.now() / 1000) }
  return play(replyTo(dialect, body, settings, envelope), onChunk, world)
}

/** Sends a reply at its pace. */
export function play(reply: Reply, onChunk: TakeChunk, world: World): Simulation {
  const cancellation = new AbortController()
  return {
    reply,
    done: run(reply, onChunk, world, cancellation.signal),
    cancel: () => cancellation.abort(),
  }
}

async function run(
  { steps, pace }: Reply,
  onChunk: TakeChunk,
  { wait }: World,
  signal: AbortSignal,
): Promise<SimulationEnd> {
  for await (const step of oneByOne(steps)) {
    if (signal.aborted) return 'cancelled'
    if (step.type === 'cut') return 'cut'
    if (step.type === 'stall') return untilAborted(signal)
    // The next chunk is sent only when there is room for it: this is the back-pressure.
    await onChunk(step.text)
    if (pace > 0) await wait(pace, signal)
  }
  return 'ended'
}

/** The first step comes only after the caller has got its handle. */
async function* oneByOne(steps: readonly Step[]): AsyncGenerator<Step> {
  yield* steps
}

function untilAborted(signal: AbortSignal): Promise<'cancelled'> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve('cancelled')
    else signal.addEventListener('abort', () => resolve('cancelled'), { once: true })
  })
}

export function nodeWorld(): World {
  let ids = 0
  return {
    wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
    now: () => Date.now(),
    newId: () => String(ids++).padStart(6, '0'),
  }
}

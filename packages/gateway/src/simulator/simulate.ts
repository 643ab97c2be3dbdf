import { setTimeout as sleep } from 'node:timers/promises'
import type { Envelope } from './chat-completion.ts'
import { replyTo, replyToMessages, type Reply, type Step } from './reply.ts'
import type { SimulatorSettings } from './settings.ts'

/** What the simulator needs of the world around it. */
export interface World {
  /** Resolves after so many milliseconds, or at once when the signal says that nobody waits any more. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** A new text each time. */
  readonly newId: () => string
}

/** How a simulation came to its end. */
type SimulationEnd = 'ended' | 'cut' | 'cancelled'

export interface Simulation {
  readonly reply: Reply
  readonly done: Promise<SimulationEnd>
  cancel(): void
}

/** Takes one chunk. The promise, where there is one, resolves when there is room for the next. */
export type TakeChunk = (text: string) => void | Promise<void>

/** Answers one chat request, without a server. */
export function simulate(
  body: unknown,
  settings: SimulatorSettings,
  onChunk: TakeChunk,
  world: World = nodeWorld(),
): Simulation {
  return play(replyTo(body, settings, envelopeOf(world, 'chatcmpl-sim-')), onChunk, world)
}

/** The same for a request in Anthropic's dialect. */
export function simulateMessages(
  body: unknown,
  settings: SimulatorSettings,
  onChunk: TakeChunk,
  world: World,
): Simulation {
  return play(replyToMessages(body, settings, envelopeOf(world, 'sim_')), onChunk, world)
}

function envelopeOf(world: World, prefix: string): Envelope {
  return { id: prefix + world.newId(), created: Math.floor(world.now() / 1000) }
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
    // A chunk must have left before the next is made: this is the back-pressure.
    await onChunk(step.text)
    if (pace > 0) await wait(pace, signal)
  }
  return 'ended'
}

/** The caller has its handle before the first step comes. */
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

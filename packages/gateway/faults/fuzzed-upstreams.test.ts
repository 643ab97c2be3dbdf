import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Client, DialectName, Received } from '../../core/test/clients-agree/answer.ts'
import { anyAnswer } from '../../core/test/clients-agree/generate.ts'
import { clientGets } from '../../core/test/clients-agree/through.ts'
import { dialectNames, readers, requests, Speech, type Wants } from './dialects.ts'
import { checkEnding, saysItsEnd } from './endings.ts'
import { FaultWorld, receivedIn } from './fault-world.ts'
import { anyMutations, mutated, type Mutation } from './mutations.ts'

// Answers whose bytes were damaged on their way. Whatever a client gets ends once, and says that it is whole only where
// the upstream said so; what a client of another dialect gets keeps the whole grammar of that dialect.

const inProcess = Number(process.env['FUZZ_RUNS'] ?? 200_000)
const overSockets = Number(process.env['FUZZ_SOCKET_RUNS'] ?? 2000)
const atOnce = 16
const wishes: readonly Wants[] = ['stream', 'whole']

/** What happens to an answer on its way, and who waits for it. */
interface Damage {
  readonly mutations: readonly Mutation[]
  readonly upstream: DialectName
  readonly delivered: Wants
  readonly client: Client
}

interface Damaged {
  readonly damage: Damage
  readonly answer: Answer
}

/** One answer that is damaged in several ways: most of the time would go into thinking of answers otherwise. */
function severalDamaged(count: number): fc.Arbitrary<Damaged[]> {
  const dialect = fc.constantFrom(...dialectNames)
  const anyDamage: fc.Arbitrary<Damage> = fc.record({
    mutations: anyMutations(),
    upstream: dialect,
    delivered: fc.constantFrom(...wishes),
    client: fc.record({ dialect, wants: fc.constantFrom(...wishes) }),
  })
  const several = fc.array(anyDamage, { minLength: count, maxLength: count })
  return fc
    .tuple(anyAnswer(), several)
    .map(([answer, all]) =>
      all.flatMap((damage) => (isSayable(answer, damage.upstream) ? [{ damage, answer }] : [])),
    )
}

function isSayable({ finish }: Answer, upstream: DialectName): boolean {
  if (finish.says === 'pause') return upstream === 'anthropic-messages'
  return finish.says !== 'stop-sequence' || upstream !== 'gemini'
}

function bytesOf({ answer, damage: { mutations, upstream, delivered } }: Damaged): Uint8Array {
  const speech = new Speech(upstream)
  const body = delivered === 'stream' ? speech.events(answer).join('') : speech.whole(answer)
  return mutated(Buffer.from(body), mutations)
}

/**
 * Checks what a client got, and returns how the answer ended. Clients of the same dialect get as it came what their grammar
 * has no place for; it ends once for them as well.
 */
function checkReceived({ damage: { upstream, client } }: Damaged, received: Received): 'well' | 'failed' {
  const { dialect } = client
  try {
    if (dialect === upstream) return checkEnding(dialect, { ...received, body: eventsOf(dialect, received) })
    return readers[dialect](received).failure === null ? 'well' : 'failed'
  } catch (error) {
    throw new Error(`${String(error)}\n${received.body}`, { cause: error })
  }
}

/** What one of the clients of Gemini reads stands behind the events of a stream that failed. */
function eventsOf(dialect: DialectName, { is, body }: Received): string {
  return dialect === 'gemini' && is === 'stream' ? body.replace(/(?<=\n\n|\r\r)\{"error":.*$/, '') : body
}

describe('an answer that was damaged on its way', () => {
  it(
    'keeps the grammar of its client, and is whole only where the upstream said so',
    () => {
      fc.assert(
        fc.property(severalDamaged(atOnce), (all) => {
          for (const damaged of all) {
            const { upstream, delivered, client } = damaged.damage
            const body = new TextDecoder().decode(bytesOf(damaged))
            const received = clientGets({
              upstream: { dialect: upstream, delivered, body: [body] },
              client,
              reading: damaged.answer.reading,
            })
            if (checkReceived(damaged, received) === 'failed') continue
            expect(saysItsEnd(upstream, delivered, body), body).toBe(true)
          }
        }),
        { numRuns: Math.ceil(inProcess / atOnce) },
      )
    },
    Math.max(600_000, inProcess * 5),
  )

  describe('over sockets', () => {
    let world: FaultWorld

    beforeAll(async () => {
      world = await FaultWorld.start()
    })

    afterAll(async () => {
      await world.stop()
    })

    it(
      'reaches the client as something that it can read, and leaves nothing open',
      async () => {
        let count = 0
        const one = async (damaged: Damaged): Promise<void> => {
          const { upstream, delivered, client } = damaged.damage
          const model = `${upstream}.fuzz-${count++}`
          const bytes = Buffer.from(bytesOf(damaged))
          world.upstream.play(model, (wire) => {
            wire.stream(200, delivered === 'stream' ? 'text/event-stream' : 'application/json')
            const middle = Math.floor(bytes.length / 2)
            if (middle > 0) wire.send(bytes.subarray(0, middle))
            if (bytes.length > middle) wire.send(bytes.subarray(middle))
            wire.end()
          })
          const got = await world.send(requests[client.dialect](model, client.wants))
          expect(got.end).toBe('whole')
          expect(got.milliseconds).toBeLessThan(5000)
          if (checkReceived(damaged, receivedIn(got)) === 'failed') return
          expect(saysItsEnd(upstream, delivered, new TextDecoder().decode(bytes))).toBe(true)
        }
        await fc.assert(
          fc.asyncProperty(severalDamaged(atOnce), async (all) => {
            await Promise.all(all.map(one))
          }),
          { numRuns: Math.ceil(overSockets / atOnce) },
        )
        await world.expectCalm()
      },
      Math.max(600_000, overSockets * 100),
    )
  })
})

import { formats } from '@dragoman/core'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { dialectNames, said, Speech, text, type Wants } from './dialects.ts'
import { FaultWorld } from './fault-world.ts'

// A call that a model writes into its text arrives the same, however the text is cut into events and the events into
// packets, in every format and every pairing of dialects.

const chunkings = Number(process.env['FUZZ_CHUNKINGS'] ?? 10)
const wishes: readonly Wants[] = ['stream', 'whole']

let world: FaultWorld

beforeAll(async () => {
  world = await FaultWorld.start(
    {},
    {
      // The names of the models tell the formats.
      formats: { overrides: Object.fromEntries(formats.map(({ id }) => [`*.${id}.*`, id])) },
    },
  )
})

afterAll(async () => {
  await world.stop()
})

/** Where the pieces end that these shares of a whole make. */
function cuts(length: number, among: readonly number[]): readonly (readonly [from: number, to: number])[] {
  const ends = [...new Set(among.map((share) => Math.floor(share * length)))].toSorted((a, b) => a - b)
  return [...ends, length]
    .map((end, at) => [ends[at - 1] ?? 0, end] as const)
    .filter(([from, to]) => from < to)
}

const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })

const ways = fc.record({
  events: shares,
  packets: shares,
  upstream: fc.constantFrom(...dialectNames),
  client: fc.constantFrom(...dialectNames),
  wants: fc.constantFrom(...wishes),
})

describe('a call in the text', () => {
  const written = formats.filter(({ sample }) => sample !== '')
  let count = 0

  it.each(written.map(({ id, sample }) => ({ id, sample })))(
    'of $id arrives however it is cut',
    async ({ id, sample }) => {
      const seen = new Set<string>()
      await fc.assert(
        fc.asyncProperty(ways, async ({ events, packets, upstream, client, wants }) => {
          const model = `${upstream}.${id}.${count++}`
          const body = new Speech(upstream)
            .events(said([text(...cuts(sample.length, events).map(([from, to]) => sample.slice(from, to)))]))
            .join('')
          const bytes = Buffer.from(body)
          const sent = cuts(bytes.length, packets).map(([from, to]) => bytes.subarray(from, to))
          world.upstream.play(model, (wire) =>
            wire
              .stream()
              .send(...sent)
              .end(),
          )
          const { view } = await world.ask({ client, wants, model })
          expect(view.failure).toBeNull()
          expect(view.calls.map(({ name }) => name)).toContain('get_weather')
          seen.add(JSON.stringify(view.calls))
        }),
        { numRuns: chunkings },
      )
      expect([...seen]).toHaveLength(1)
      await world.expectCalm()
    },
  )
})

import { describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { plainReading } from '../../core/test/clients-agree/generate.ts'
import { clientGets } from '../../core/test/clients-agree/through.ts'
import { dialectNames, readers, said, Speech, text, type Wants } from './dialects.ts'

// A stream is cut behind every byte of it, in every pairing of dialects. What the upstream had said by then arrives, not a
// character less and none that it did not say, and the answer is whole only behind the upstream's own word for it.

const pieces = ['Grüße ', '日本, ', '😀.']
const wishes: readonly Wants[] = ['stream', 'whole']
const pairings = dialectNames.flatMap((upstream) => dialectNames.map((client) => ({ upstream, client })))

/** The place behind which each piece has come, and behind which the answer is whole. */
function landmarks(upstream: DialectName): {
  readonly bytes: Buffer
  readonly ends: readonly number[]
  readonly whole: number
} {
  const events = new Speech(upstream).events(said([text(...pieces)]))
  const ends: number[] = []
  let length = 0
  let whole = 0
  for (const event of events) {
    // Its closing lines may be missing: nothing else can follow the data.
    const end = length + Buffer.byteLength(event.trimEnd())
    if (ends.length < pieces.length && event.includes(pieces[ends.length] ?? '')) ends.push(end)
    if (whole === 0 && words[upstream].test(event)) whole = end
    length += Buffer.byteLength(event)
  }
  return { bytes: Buffer.from(events.join('')), ends, whole }
}

/** The first word of an upstream by which its answer is whole. */
const words: Readonly<Record<DialectName, RegExp>> = {
  'openai-chat': /"finish_reason":"stop"/,
  'anthropic-messages': /"stop_reason":"end_turn"/,
  'openai-responses': /"type":"response\.completed"/,
  gemini: /"finishReason":"STOP"/,
}

describe.each(pairings)('a stream of $upstream for a client of $client', ({ upstream, client }) => {
  it.each(wishes)('says what had come wherever it is cut: %s', (wants) => {
    const { bytes, ends, whole } = landmarks(upstream)
    expect(ends).toHaveLength(pieces.length)
    // A whole answer takes no part of what came, so that fewer places are enough to show it.
    for (let cut = 0; cut <= bytes.length; cut += wants === 'stream' ? 1 : 7) {
      const body = [new TextDecoder().decode(bytes.subarray(0, cut))]
      const received = clientGets({
        upstream: { dialect: upstream, delivered: 'stream', body },
        client: { dialect: client, wants },
        reading: plainReading,
      })
      const { text: got, failure, finish } = readers[client](received)
      const come = pieces.filter((_, at) => (ends[at] ?? Infinity) <= cut).join('')
      const isWhole = cut >= whole
      expect({ cut, finish, isFailed: failure !== null }).toEqual({
        cut,
        finish: isWhole ? 'stop' : null,
        isFailed: !isWhole,
      })
      if (wants === 'stream' || isWhole) expect({ cut, got }).toEqual({ cut, got: come })
    }
  })
})

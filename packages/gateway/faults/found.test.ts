import { describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { plainReading } from '../../core/test/clients-agree/generate.ts'
import { clientGets } from '../../core/test/clients-agree/through.ts'
import { dialectNames, readers, type Wants } from './dialects.ts'
import { checkEnding } from './endings.ts'

// What random damage has found, as the smallest body that shows it: a seed means another body after every change of what
// it generates. A failing run of the fuzzers prints its body; it is cut down by hand and put here.

interface Found {
  readonly what: string
  readonly upstream: DialectName
  readonly delivered: Wants
  readonly body: string
}

const found: readonly Found[] = [
  {
    what: 'a block that begins as nothing, and then has an input',
    upstream: 'anthropic-messages',
    delivered: 'stream',
    body: events(
      { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } },
      { type: 'content_block_start', index: 0, conten_block: { type: 'tool_use' } },
      {
        type: 'content_block_delta',
        index: 0,
        delta: { type: 'input_json_delta', partial_json: '{"city":"Rome"}' },
      },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { type: 'message_stop' },
    ),
  },
]

function events(...all: readonly Readonly<Record<string, unknown>>[]): string {
  return all.map((data) => `event: ${String(data['type'])}\ndata: ${JSON.stringify(data)}\n\n`).join('')
}

const wishes: readonly Wants[] = ['stream', 'whole']

describe('what was found by random damage', () => {
  it.each(found)('reaches every client as something that ends: $what', ({ upstream, delivered, body }) => {
    for (const dialect of dialectNames) {
      for (const wants of wishes) {
        const received = clientGets({
          upstream: { dialect: upstream, delivered, body: [body] },
          client: { dialect, wants },
          reading: plainReading,
        })
        const ending = checkEnding(dialect, received)
        // Clients of the same dialect get as it came what their grammar has no place for.
        if (dialect === upstream) continue
        const { failure } = readers[dialect](received)
        expect(failure === null ? 'well' : 'failed', `${dialect}, ${wants}`).toBe(ending)
      }
    }
  })
})

import { describe, expect, it } from 'vitest'
import { chunk, done, event } from '../dialects/openai-chat/upstream.ts'
import { translated, type Way } from './translated.ts'

const begun = chunk({ role: 'assistant', content: 'Hi.' })

function withUsage(usage: object): string {
  return begun + chunk({}, 'stop') + event({ id: 'c', choices: [], usage }) + done
}

const counts = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 }

/** Where servers tell how much of the prompt they had read before, and how much of the answer was thought. */
const servers: readonly (readonly [string, string])[] = [
  [
    'llama.cpp',
    withUsage({
      ...counts,
      prompt_tokens_details: { cached_tokens: 80 },
      completion_tokens_details: { reasoning_tokens: 12 },
    }),
  ],
  [
    'DeepSeek',
    withUsage({
      ...counts,
      prompt_cache_hit_tokens: 80,
      prompt_cache_miss_tokens: 20,
      completion_tokens_details: { reasoning_tokens: 12 },
    }),
  ],
  ['Moonshot, at the top level', withUsage({ ...counts, cached_tokens: 80, reasoning_tokens: 12 })],
  [
    'Moonshot, in the choice',
    begun +
      event({
        id: 'c',
        choices: [
          {
            index: 0,
            delta: {},
            finish_reason: 'stop',
            usage: { ...counts, cached_tokens: 80, reasoning_tokens: 12 },
          },
        ],
      }) +
      done,
  ],
  ['SGLang', withUsage({ ...counts, prompt_tokens_details: { cached_tokens: 80 }, reasoning_tokens: 12 })],
  [
    'SGLang, without a report of its cache',
    withUsage({ ...counts, prompt_tokens_details: null, cached_tokens: 80, reasoning_tokens: 12 }),
  ],
]

describe.each(servers)('the usage of %s', (_, sse) => {
  it.each(['stream', 'whole'] as const)('is told a client of Anthropic as Anthropic counts, %s', (wants) => {
    const way: Way = { from: 'openai-chat', to: 'anthropic-messages', wants }
    const { usage, counted } = translated(sse, way)
    expect(usage).toMatchObject({ input_tokens: 20, cache_read_input_tokens: 80, output_tokens: 30 })
    expect(counted).toEqual({
      inputTokens: 20,
      cacheReadTokens: 80,
      cacheWriteTokens: 0,
      outputTokens: 30,
      reasoningTokens: 12,
    })
  })

  it('is counted where both speak the chat dialect, and passes as it came', () => {
    const { body, counted } = translated(sse, { from: 'openai-chat', to: 'openai-chat', wants: 'stream' })
    expect(body).toBe(sse)
    expect(counted).toMatchObject({ inputTokens: 20, cacheReadTokens: 80, reasoningTokens: 12 })
  })
})

describe('the usage that only we asked for', () => {
  const way: Way = { from: 'openai-chat', to: 'openai-chat', wants: 'stream' }
  const envelope = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [] }
  const timings = { prompt_ms: 12.5, predicted_per_second: 40 }

  function passed(last: object): string {
    const sse = begun + chunk({}, 'stop') + event({ ...envelope, ...last }) + done
    return translated(sse, way, { includeUsage: false }).body
  }

  it('is left out with its chunk where that says nothing else', () => {
    expect(passed({ usage: counts })).toBe(begun + chunk({}, 'stop') + done)
    expect(passed({ usage: counts, system_fingerprint: 'b1', service_tier: null })).toBe(
      begun + chunk({}, 'stop') + done,
    )
    expect(passed({ x_groq: { usage: counts } })).toBe(begun + chunk({}, 'stop') + done)
  })

  it('is taken out of a chunk that says more, which goes on', () => {
    expect(passed({ usage: counts, timings })).toBe(
      begun + chunk({}, 'stop') + event({ ...envelope, timings }) + done,
    )
    expect(passed({ x_groq: { usage: counts, id: 'req' } })).toBe(
      begun + chunk({}, 'stop') + event({ ...envelope, x_groq: { id: 'req' } }) + done,
    )
  })

  it('stays for a client that asked for it', () => {
    const sse = begun + chunk({}, 'stop') + event({ ...envelope, usage: counts, timings }) + done
    expect(translated(sse, way, { includeUsage: true }).body).toBe(sse)
  })
})

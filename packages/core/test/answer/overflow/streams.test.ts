import { describe, expect, it } from 'vitest'
import type { Failure } from '../../../src/answer/failure.ts'
import { type DialectId, dialectIds } from '../../../src/dialects/index.ts'
import { translateAnswer } from '../../../src/translate.ts'
import { createChatStreamRewriter } from '../stages.ts'
import { chunk, countingMint, done, event } from '../../dialects/openai-chat/upstream.ts'

interface Answered {
  readonly text: string
  readonly failure: Failure | null
  readonly isStarted: boolean
}

function answered(
  from: DialectId,
  to: DialectId,
  body: string,
  { delivered = 'stream' }: { delivered?: 'stream' | 'whole' } = {},
): Answered {
  const translation = translateAnswer({
    from,
    to,
    delivered,
    wants: delivered,
    parser: { format: 'kimi' },
    mint: countingMint(to),
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'signature' }),
    includeUsage: false,
  })
  const text = translation.push(body) + translation.end()
  return { text, failure: translation.failure, isStarted: translation.isStarted }
}

function message(...events: readonly (readonly [string, object])[]): string {
  return events
    .map(([type, fields]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    .join('')
}

const messageStart = [
  'message_start',
  { message: { id: 'm', type: 'message', role: 'assistant', content: [], model: 'm', usage: {} } },
] as const

/** A stream of an upstream of the dialect that says something, and then fails with this error. */
const failing: Readonly<Record<string, (error: object) => string>> = {
  'openai-chat': (error) => chunk({ content: 'So ' }) + event({ error }),
  'anthropic-messages': (error) =>
    message(
      messageStart,
      ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'So ' } }],
      ['error', { error }],
    ),
  'openai-responses': (error) =>
    message(
      ['response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } }],
      ['response.output_text.delta', { output_index: 0, delta: 'So ' }],
      ['error', { error }],
    ),
  gemini: (error) =>
    event({ candidates: [{ content: { parts: [{ text: 'So ' }], role: 'model' }, index: 0 }] }) +
    event({ error }),
}

/** What clients of a dialect look for, each in the words of its own. */
const tooLong: Readonly<Record<DialectId, readonly string[]>> = {
  'openai-chat': [
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 41533 tokens.",
    '"n_ctx":32768',
  ],
  'anthropic-messages': ['prompt is too long: 41533 tokens > 32768 maximum', '"n_ctx":32768'],
  // Clients of responses read nothing but the code.
  'openai-responses': [
    "This model's maximum context length is 32768 tokens. However, your messages resulted in 41533 tokens.",
    '"code":"context_length_exceeded"',
  ],
  gemini: [
    'The input token count (41533) exceeds the maximum number of tokens allowed (32768)',
    '"status":"INVALID_ARGUMENT"',
  ],
}
const overloaded: Readonly<Record<DialectId, string>> = {
  'openai-chat': '"type":"overloaded_error"',
  'anthropic-messages': '"type":"overloaded_error"',
  'openai-responses': '"type":"overloaded_error"',
  gemini: '"status":"UNAVAILABLE"',
}
const cutByLength: Readonly<Record<DialectId, string>> = {
  'openai-chat': '"finish_reason":"length"',
  'anthropic-messages': '"stop_reason":"max_tokens"',
  'openai-responses': '"incomplete_details":{"reason":"max_output_tokens"}',
  gemini: '"finishReason":"MAX_TOKENS"',
}

const pairings = dialectIds.flatMap((from) => dialectIds.map((to) => [from, to] as const))

describe('a stream that fails because something is too long', () => {
  it.each(pairings)("tells it in the client's words: %s to %s", (from, to) => {
    const error = {
      code: 400,
      message: 'request (41533 tokens) exceeds the available context size (32768 tokens), try increasing it',
      type: 'exceed_context_size_error',
      n_prompt_tokens: 41_533,
      n_ctx: 32_768,
    }
    const { text, failure } = answered(from, to, failing[from]?.(error) ?? '')
    expect(failure?.overflow).toEqual({ what: 'prompt', promptTokens: 41_533, window: 32_768 })
    expect(text).toContain('So ')
    for (const words of tooLong[to]) expect(text).toContain(words)
  })

  it.each(pairings)('is an overloaded upstream where a cache is full: %s to %s', (from, to) => {
    const error = { code: 500, message: 'Context size has been exceeded.', type: 'server_error' }
    const { text, failure } = answered(from, to, failing[from]?.(error) ?? '')
    expect(failure).toMatchObject({ kind: 'overloaded', code: 'upstream_cache_full' })
    expect(text).toContain(overloaded[to])
    // The code under which clients of responses ask again.
    expect(text).not.toMatch(to === 'openai-responses' ? /too long/ : /too long|server_error/)
  })

  it.each(dialectIds)('is a response of its own where nothing came before it: chat to %s', (to) => {
    const told =
      'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 18432>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.'
    for (const body of [`event: error\n${event({ error: { message: told } })}`, event({ error: told })]) {
      const { text, failure, isStarted } = answered('openai-chat', to, body)
      expect({ text, isStarted }).toEqual({ text: '', isStarted: false })
      expect(failure).toMatchObject({
        status: 400,
        overflow: { what: 'prompt', promptTokens: 18_432, window: 4096 },
      })
    }
  })

  it('goes on as it came where faults pass', () => {
    const error = event({
      error: { code: 400, message: 'prompt is too long', type: 'exceed_context_size_error' },
    })
    const rewriter = createChatStreamRewriter({
      parser: { format: 'kimi' },
      newId: () => 'n',
      faults: 'pass',
    })
    const text = [...rewriter.push(chunk({ role: 'assistant', content: 'a' }) + error), ...rewriter.end()]
    expect(text.join('')).toContain(error)
  })
})

describe('an answer that ended because the window was full', () => {
  const word = 'model_context_window_exceeded'
  it.each(dialectIds)('is cut by its length where something was written: chat to %s', (to) => {
    const { text, failure } = answered('openai-chat', to, chunk({ content: 'So ' }) + chunk({}, word) + done)
    expect(failure).toBeNull()
    expect(text).toContain(cutByLength[to])
    expect(text).not.toContain(word)
  })

  it.each(dialectIds)('is a prompt that is too long where nothing was: chat to %s', (to) => {
    const { text, failure } = answered(
      'openai-chat',
      to,
      chunk({ role: 'assistant' }) + chunk({}, word) + done,
    )
    expect(failure).toMatchObject({ code: 'context_length_exceeded', overflow: { what: 'prompt' } })
    expect(text).not.toMatch(/\[DONE\]|message_stop/)
  })

  it.each(dialectIds)('is a prompt that is too long where nothing was: messages to %s', (to) => {
    const body = message(
      messageStart,
      ['message_delta', { delta: { stop_reason: word, stop_sequence: null }, usage: { output_tokens: 0 } }],
      ['message_stop', {}],
    )
    const { failure } = answered('anthropic-messages', to, body)
    expect(failure).toMatchObject({ code: 'context_length_exceeded', overflow: { what: 'prompt' } })
  })

  it("keeps Anthropic's own word for it towards its clients", () => {
    const body = message(
      messageStart,
      ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
      ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'So ' } }],
      ['content_block_stop', { index: 0 }],
      ['message_delta', { delta: { stop_reason: word, stop_sequence: null }, usage: { output_tokens: 1 } }],
      ['message_stop', {}],
    )
    const { text, failure } = answered('anthropic-messages', 'anthropic-messages', body)
    expect(failure).toBeNull()
    expect(text).toContain(word)
  })
})

describe('an error that comes as the text of an answer', () => {
  const throttled = 'Throttling: TPM(10680324/10000000)'

  it.each(dialectIds)('is a rate limit and no text: chat to %s', (to) => {
    const { text, failure } = answered(
      'openai-chat',
      to,
      chunk({ role: 'assistant', content: 'So ' }) + chunk({ content: throttled }, 'error_finish') + done,
    )
    expect(failure).toMatchObject({ kind: 'rate-limit', status: 429, message: throttled })
    expect(text).toContain('So ')
    expect(text).toContain(to === 'gemini' ? '"status":"RESOURCE_EXHAUSTED"' : '"type":"rate_limit_error"')
    // Clients of responses look for the message in three places.
    expect(text.split(throttled)).toHaveLength(to === 'openai-responses' ? 4 : 2)
    expect(text).not.toMatch(/"(?:content|text)":"Throttling/)
  })

  it.each(dialectIds)('is a rate limit in a whole answer: chat to %s', (to) => {
    const choice = {
      index: 0,
      message: { role: 'assistant', content: throttled },
      finish_reason: 'error_finish',
    }
    const { text, failure } = answered('openai-chat', to, JSON.stringify({ id: 'c', choices: [choice] }), {
      delivered: 'whole',
    })
    expect(failure).toMatchObject({ kind: 'rate-limit', message: throttled })
    expect(text).toBe('')
  })

  it('goes on as it came where faults pass', () => {
    const last = chunk({ content: throttled }, 'error_finish')
    const rewriter = createChatStreamRewriter({
      parser: { format: 'kimi' },
      newId: () => 'n',
      faults: 'pass',
    })
    const text = [...rewriter.push(chunk({ role: 'assistant', content: 'a' }) + last), ...rewriter.end()]
    expect(text.join('')).toContain(last)
  })

  it.each(dialectIds)('is a failure of the upstream where it is about something else: chat to %s', (to) => {
    const { failure } = answered(
      'openai-chat',
      to,
      chunk({ content: 'InternalError: try later' }, 'error_finish') + done,
    )
    expect(failure).toMatchObject({ kind: 'upstream', message: 'InternalError: try later' })
  })
})

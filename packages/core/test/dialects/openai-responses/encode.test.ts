import { describe, expect, it } from 'vitest'
import { messageEnd, messageStart, textBlock, thinkingBlock } from '../anthropic-messages/upstream.ts'
import { calls, chunk, done, event, kimiCall } from '../openai-chat/upstream.ts'
import { readable, sdkReads } from './sdk.ts'
import {
  eventsIn,
  lastResponse,
  outputOf,
  requestOf,
  through,
  translation,
  type WayOptions,
} from './upstream.ts'

const way: WayOptions = { from: 'openai-chat', to: 'openai-responses' }

/** What a client of responses gets for the stream of a chat upstream. */
async function encoded(body: string, options: Partial<WayOptions> = {}): Promise<string> {
  return await readable(through(body, { ...way, ...options }))
}

function call(index: number, id: string, name: string, json: string): string {
  return calls({ index, id, type: 'function', function: { name, arguments: json } })
}

const custom = { type: 'custom', name: 'apply_patch', description: 'Edits files.' }

describe('reasoning', () => {
  it('comes in a form that every client shows, with what brings it back', async () => {
    const stream = await encoded(chunk({ reasoning_content: 'hm' }) + chunk({}, 'stop') + done)
    const [reasoning] = outputOf(stream)
    expect(reasoning).toEqual({
      id: 'rs_abc0',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'hm' }],
      encrypted_content: 'ours(reasoning_content,)',
    })
  })
})

describe('a tool that the client knows otherwise than the model', () => {
  it('is a shell with its command', async () => {
    const request = requestOf({ tools: [{ type: 'local_shell' }] })
    const body = call(0, 'call_a', 'local_shell', '{"command":["ls","-l"]}') + chunk({}, 'tool_calls') + done
    expect(outputOf(await encoded(body, { request }))).toMatchObject([
      {
        type: 'local_shell_call',
        call_id: 'call_a',
        action: { type: 'exec', command: ['ls', '-l'], env: {} },
      },
    ])
  })
})

describe('a call that the model wrote into its reasoning', () => {
  it('gets its end, although the signature of the reasoning comes before it', async () => {
    const said = kimiCall.slice(0, kimiCall.indexOf('<|tool_call_end|>'))
    const body = messageStart + thinkingBlock(0, 'sig', said) + textBlock(1, 'Hm.') + messageEnd('end_turn')
    const stream = await encoded(body, { from: 'anthropic-messages', parser: { format: 'kimi' } })
    expect(outputOf(stream).map(({ type }) => type)).toEqual(['function_call', 'reasoning', 'message'])
  })
})

describe('the object around an answer', () => {
  const body = chunk({ content: 'Hi' }) + chunk({}, 'stop') + done

  it('repeats what was asked for', async () => {
    const asked = {
      instructions: 'Be brief.',
      temperature: 0.5,
      top_p: 0.9,
      max_output_tokens: 100,
      metadata: { a: 'b' },
      parallel_tool_calls: false,
      prompt_cache_key: 'key',
      tool_choice: { type: 'function', name: 'f' },
      tools: [
        { type: 'function', name: 'f', parameters: { type: 'object' }, strict: false },
        { type: 'namespace', name: 'ns', tools: [custom, { ...custom, name: 'other' }] },
        { type: 'web_search' },
      ],
      text: { format: { type: 'json_schema', name: 'n', schema: { type: 'object' }, strict: true } },
    }
    const told = lastResponse(
      await encoded(body, {
        request: requestOf({ ...asked, store: true, reasoning: { effort: 'high', summary: 'auto' } }),
      }),
    )
    expect(told).toMatchObject({ ...asked, store: false, reasoning: { effort: 'high', summary: 'auto' } })
  })
})

describe('a failure', () => {
  const error = event({ error: { message: 'Busy.', type: 'overloaded_error' } })
  const text = chunk({ content: 'So ' })

  it.each([
    ['a rate limit', { message: 'Slow down.', type: 'rate_limit_error' }, 'rate_limit_exceeded'],
    ['a window that is full', { message: 'x', code: 'context_length_exceeded' }, 'context_length_exceeded'],
    ['a wrong request', { message: 'Bad.', type: 'invalid_request_error' }, 'invalid_prompt'],
  ])('has a text as its code, by which clients decide: %s', async (_, fault, code) => {
    const stream = await encoded(text + event({ error: fault }))
    expect(lastResponse(stream)).toMatchObject({ error: { code } })
  })

  it('before anything was said is no stream at all', () => {
    const answer = translation(way)
    expect(answer.push(error) + answer.end()).toBe('')
    expect(answer.isStarted).toBe(false)
    expect(answer.failure?.kind).toBe('overloaded')
  })
})

describe('the sign of life', () => {
  it('is an event with the next number, once the response was created and before it ends', async () => {
    const answer = translation(way)
    expect(answer.keepAlive?.()).toBeNull()
    let stream = answer.push(chunk({ content: 'a' }))
    const sign = answer.keepAlive?.() ?? ''
    expect(sign).toMatch(/^event: keepalive\ndata: \{"type":"keepalive","sequence_number":\d+\}\n\n$/)
    stream += sign + answer.push(chunk({ content: 'b' }) + chunk({}, 'stop') + done) + answer.end()
    expect(answer.keepAlive?.()).toBeNull()
    expect(eventsIn(stream).map(({ sequence_number: number }) => number)).toEqual(
      eventsIn(stream).map((_, at) => at),
    )
    expect((await sdkReads(stream)).output_text).toBe('ab')
  })

  it('is nothing where the client does not stream', () => {
    const answer = translation({ ...way, wants: 'whole' })
    answer.push(chunk({ content: 'a' }))
    expect(answer.keepAlive?.()).toBeNull()
  })
})

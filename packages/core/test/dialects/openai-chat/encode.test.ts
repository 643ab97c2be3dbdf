import { describe, expect, it } from 'vitest'
import type { AnswerSink, Usage } from '../../../src/answer/answer.ts'
import { createChatStreamEncoder } from '../../../src/dialects/openai-chat/answer/encode.ts'
import { assembleChat, dataOf } from './assemble.ts'
import { assembleChatCompletion } from '../../answer/stages.ts'

const options = { id: 'chatcmpl-1', model: 'gpt-x', created: 7, includeUsage: false }

const usage: Usage = {
  inputTokens: 10,
  cacheReadTokens: 3,
  cacheWriteTokens: 2,
  outputTokens: 7,
  reasoningTokens: 1,
}

type Said = (sink: AnswerSink) => void

function encode(say: Said, includeUsage = false): string {
  let sse = ''
  say(createChatStreamEncoder({ ...options, includeUsage, write: (text) => (sse += text) }))
  return sse
}

function whole(say: Said): unknown {
  const assembler = assembleChatCompletion(options)
  say(assembler)
  return assembler.result
}

const twoCalls: Said = (sink) => {
  sink.start({ id: 'up', model: 'up' })
  sink.reasoning('hm', 'thinking')
  sink.reasoningProof('sig')
  sink.callStart(0, 'call_a', 'f')
  sink.callDelta(0, '{"x":')
  sink.callDelta(0, '1}')
  sink.callEnd(0)
  sink.callStart(1, 'call_b', 'g')
  sink.callEnd(1)
  sink.finish('tool-calls', null)
  sink.usage(usage)
  sink.end()
}

describe('the stream', () => {
  it('is written chunk by chunk, byte for byte', () => {
    const head = '{"id":"chatcmpl-1","object":"chat.completion.chunk","created":7,"model":"gpt-x","choices":['
    expect(dataOf(encode(twoCalls, true))).toEqual([
      `${head}{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"reasoning_content":"hm"},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_a","type":"function","function":{"name":"f","arguments":""}}]},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\\"x\\":"}}]},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"tool_calls":[{"index":1,"id":"call_b","type":"function","function":{"name":"g","arguments":""}}]},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}}]},"finish_reason":null}]}`,
      `${head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"tool_calls"}]}`,
      `${head}],"usage":{"prompt_tokens":15,"completion_tokens":7,"total_tokens":22,"prompt_tokens_details":{"cached_tokens":3},"completion_tokens_details":{"reasoning_tokens":1}}}`,
      '[DONE]',
    ])
  })

  it('has usage only where it was asked for', () => {
    expect(encode(twoCalls)).not.toContain('usage')
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool-calls', 'tool_calls'],
    ['content-filter', 'content_filter'],
    ['stop-sequence', 'stop'],
    ['pause', 'stop'],
  ] as const)('says %s as %s, once', (reason, word) => {
    const sse = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.text('a')
      sink.text('')
      sink.finish(reason, null)
      sink.end()
    })
    expect(assembleChat(sse)).toMatchObject({
      isDone: true,
      choices: { 0: { content: 'a', finishReasons: [word] } },
    })
  })

  it('ends at a failure with an error, without finish reason and [DONE]', () => {
    const sse = encode((sink) => {
      sink.start({ id: null, model: null })
      sink.text('a')
      sink.fail({ kind: 'upstream', code: 'upstream_truncated', message: 'cut' })
      sink.end()
    })
    expect(dataOf(sse).at(-1)).toBe(
      '{"error":{"message":"cut","type":"upstream_error","param":null,"code":"upstream_truncated"}}',
    )
    expect(assembleChat(sse)).toMatchObject({ isDone: false, choices: { 0: { finishReasons: [] } } })
  })
})

describe('the whole completion', () => {
  it('has null content where there are only calls', () => {
    expect(whole(twoCalls)).toMatchObject({
      is: 'whole',
      value: {
        id: 'chatcmpl-1',
        object: 'chat.completion',
        created: 7,
        model: 'gpt-x',
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: null,
              reasoning_content: 'hm',
              tool_calls: [
                { id: 'call_a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
                { id: 'call_b', type: 'function', function: { name: 'g', arguments: '{}' } },
              ],
            },
            logprobs: null,
            finish_reason: 'tool_calls',
          },
        ],
        usage: {
          prompt_tokens: 15,
          completion_tokens: 7,
          total_tokens: 22,
          prompt_tokens_details: { cached_tokens: 3 },
          completion_tokens_details: { reasoning_tokens: 1 },
        },
      },
    })
  })

  it('has content where there is nothing else, and half a call as it came', () => {
    const text = whole((sink) => {
      sink.start({ id: null, model: null })
      sink.finish('stop', null)
      sink.end()
    })
    expect(text).toMatchObject({ value: { choices: [{ message: { role: 'assistant', content: '' } }] } })
    const cut = whole((sink) => {
      sink.start({ id: null, model: null })
      sink.callStart(0, 'a', 'f')
      sink.callDelta(0, '{"x')
      sink.finish('length', null)
      sink.end()
    })
    expect(cut).toMatchObject({
      value: {
        choices: [{ message: { tool_calls: [{ function: { arguments: '{"x' } }] }, finish_reason: 'length' }],
      },
    })
  })

  it('is failed after a failure', () => {
    const failure = { kind: 'upstream', code: 'c', message: 'm' } as const
    const result = whole((sink) => {
      sink.fail(failure)
      sink.end()
    })
    expect(result).toEqual({ is: 'failed', failure })
  })
})

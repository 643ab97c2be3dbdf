import { describe, expect, it } from 'vitest'
import { type DialectId, translateAnswer } from '../../src/index.ts'

const ids: readonly DialectId[] = ['openai-chat', 'anthropic-messages', 'openai-responses', 'gemini']

function chat(delta: object, finish: string | null = null): string {
  return `data: ${JSON.stringify({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`
}

const structured = (json: string) =>
  chat({
    tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'get_weather', arguments: json } }],
  })
const inText = (json: string) =>
  chat({ content: `<tool_call>{"name":"get_weather","arguments":${json}}</tool_call>` })

describe.each(ids)('calls that are delivered when they are complete, to a client of %s', (to) => {
  const outcome = (stream: string) => {
    const answer = translateAnswer({
      from: 'openai-chat',
      to,
      delivered: 'stream',
      wants: 'stream',
      parser: { delivery: 'complete', tools: [{ name: 'get_weather' }] },
      mint: () => 'call_std_1',
      includeUsage: false,
      encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 'ours' }),
    })
    const body = answer.push(`${stream}${chat({}, 'tool_calls')}data: [DONE]\n\n`) + answer.end()
    return { body, code: answer.failure?.code ?? null }
  }

  it.each([
    ['structured', structured],
    ['in the text', inText],
  ])('have an object for arguments: a text is an error (%s)', (_how, call) => {
    for (const json of ['"Paris"', '["Paris"]', '7']) {
      const { body, code } = outcome(call(json))
      expect(code).toBe('invalid_tool_arguments')
      expect(body).not.toContain('get_weather","arguments":"\\"')
      expect(body).not.toMatch(/"(?:stop_reason|finish_reason)":"tool/)
    }
    expect(outcome(call('{"city":"Paris"}'))).toMatchObject({ code: null })
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FinishReason, Usage } from '../../../src/answer/answer.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { createChatStreamRewriter } from '../../answer/stages.ts'

const done = 'data: [DONE]\n\n'
const first = chunk({ role: 'assistant', content: '' })
const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_time:0<|tool_call_argument_begin|>' +
  '{"zone":"UTC"}<|tool_call_end|><|tool_calls_section_end|>'

function chunk(delta: object, finish: string | null = null, more: object = {}): string {
  const choices = [{ index: 0, delta, finish_reason: finish }]
  return `data: ${JSON.stringify({ id: 'c', choices, ...more })}\n\n`
}

function strict(options: Partial<RewriterOptions> = {}) {
  return createChatStreamRewriter({
    parser: { format: 'kimi' },
    newId: () => 'n',
    faults: 'fail',
    ...options,
  })
}

function rewrite(pieces: readonly string[], options: Partial<RewriterOptions> = {}) {
  const rewriter = strict(options)
  const text = [...pieces.flatMap((piece) => rewriter.push(piece)), ...rewriter.end()].join('')
  return { text, code: rewriter.failure?.code ?? null, state: rewriter.state }
}

describe('a chat stream whose faults fail', () => {
  it('is reading, then finishing, then ended', () => {
    const rewriter = strict()
    const states = [chunk({ content: 'a' }), chunk({}, 'stop'), done].map((piece) => {
      rewriter.push(piece)
      return rewriter.state
    })
    expect(states).toEqual(['reading', 'finishing', 'ended'])
  })

  it('is whole with its finish reason, and gets the [DONE] it lacks', () => {
    const pieces = [first, chunk({ content: 'a' }), chunk({}, 'stop')]
    expect(rewrite(pieces)).toEqual({ text: pieces.join('') + done, code: null, state: 'ended' })
  })

  it('says in `delta` what the upstream says in `message`, and reads it', () => {
    const repairs: string[] = []
    const said = [{ role: 'assistant', content: 'Wait. ' }, { content: kimiCall }, {}].map((message, at) => {
      const choices = [{ index: 0, message, finish_reason: at === 2 ? 'stop' : null }]
      return `data: ${JSON.stringify({ id: 'c', choices })}\n\n`
    })
    const { text, code } = rewrite([...said, done], { onRecord: (event) => repairs.push(event.code) })
    expect(code).toBeNull()
    expect(text).not.toContain('message')
    expect(text).not.toContain('tool_calls_section')
    expect(text).toContain('"delta":{"role":"assistant","content":"Wait. "}')
    expect(text).toContain('"name":"get_time"')
    expect(text).toContain('"finish_reason":"tool_calls"')
    expect(repairs).toEqual(['filled-field'])
  })

  it('a message that repeats the deltas at their end stays beside them', () => {
    const last = { index: 0, message: { role: 'assistant', content: 'ab' }, finish_reason: 'stop' }
    const pieces = [
      first,
      chunk({ content: 'a' }),
      chunk({ content: 'b' }),
      `data: ${JSON.stringify({ id: 'c', choices: [last] })}\n\n`,
      done,
    ]
    expect(rewrite(pieces)).toMatchObject({ text: pieces.join(''), code: null })
  })

  it('closes a last event that lacks its blank line', () => {
    const pieces = [first, chunk({ content: 'a' }), chunk({}, 'stop')]
    const whole = pieces.join('') + done
    expect(rewrite([...pieces, 'data: [DONE]']).text).toBe(whole)
    expect(rewrite([pieces.join('').trimEnd()]).text).toBe(whole)
  })

  it('fails where it is cut, with what was held before the error', () => {
    const { text, code } = rewrite([chunk({ content: 'a <|tool_calls' })])
    expect(code).toBe('upstream_truncated')
    expect(text).toContain('"content":"<|tool_calls"')
    expect(text).toMatch(/data: \{"error":.*"upstream_truncated"\}\}\n\n$/)
    expect(text).not.toContain('[DONE]')
  })

  it('takes half an event at the end for a cut, not for a wrong one', () => {
    expect(rewrite([chunk({ content: 'a' }), 'data: {"choi']).code).toBe('upstream_truncated')
    expect(rewrite([chunk({ content: 'a' }), 'data: {"choi\n\n']).code).toBe('upstream_protocol_error')
  })

  it('fails for the cause it is given', () => {
    const rewriter = strict()
    rewriter.push(chunk({ content: 'a' }))
    const cause = { kind: 'timeout', code: 'upstream_idle_timeout', message: 'Too slow.' } as const
    expect(rewriter.end(cause).join('')).toContain('upstream_idle_timeout')
    expect(rewriter.failure).toEqual(cause)
  })

  it('is whole in spite of a cause once it has its finish reason', () => {
    const rewriter = strict()
    rewriter.push(first)
    rewriter.push(chunk({}, 'stop'))
    const rest = rewriter.end({ kind: 'upstream', code: 'upstream_truncated', message: '' })
    expect(rest).toEqual([chunk({}, 'stop'), done])
    expect(rewriter.failure).toBeNull()
  })

  it.each([
    ['nothing', [], 'upstream_empty'],
    ['[DONE] alone', [done], 'upstream_empty'],
    ['another protocol', ['<html>\n\n'], 'upstream_protocol_error'],
    ['an event that is too long', [chunk({ content: 'x'.repeat(500) })], 'upstream_limit'],
    ['an end by error', [chunk({}, 'error'), done], 'error'],
    ['an error of its own', ['event: error\ndata: no room\n\n'], 'upstream_error'],
  ])('fails for %s', (_what, pieces, code) => {
    expect(rewrite(pieces, { maxEventBytes: 400 })).toMatchObject({ code, state: 'ended' })
  })

  it('sends text that came behind the finish reason before it', () => {
    const [text, finish, late] = [chunk({ content: 'a' }), chunk({}, 'stop'), chunk({ content: 'late' })]
    const sent = first + text + late + finish + done
    expect(rewrite([first, text, finish, late, done]).text).toBe(sent)
    expect(rewrite([first, text, finish, late]).text).toBe(sent)
  })

  it('sends the finish reason last where it came beside text and more text follows', () => {
    const late = chunk({ content: 'b' })
    const sent = first + chunk({ content: 'a' }) + late + chunk({}, 'stop') + done
    expect(rewrite([first, chunk({ content: 'a' }, 'stop'), late, done]).text).toBe(sent)
    expect(rewrite([first, chunk({ content: 'a' }, 'stop'), late]).text).toBe(sent)
  })

  it('sends the finish reason last where it came beside a call in the text', () => {
    const { text } = rewrite([first, chunk({ content: kimiCall }, 'stop'), chunk({ content: 'b' }), done])
    expect(text.endsWith(chunk({ content: 'b' }) + chunk({}, 'tool_calls') + done)).toBe(true)
    expect(text.match(/"finish_reason":"/g)).toHaveLength(1)
  })

  it('sends text at once that has the finish reason beside it, and the usage with the finish reason', () => {
    const rewriter = strict()
    rewriter.push(first)
    const usage = { total_tokens: 3 }
    expect(rewriter.push(chunk({ content: 'a' }, 'stop', { usage }))).toEqual([chunk({ content: 'a' })])
    expect(rewriter.push(done)).toEqual([chunk({}, 'stop', { usage }), done])
  })

  it('sends the finish reason at once where usage follows, and tells it once', () => {
    const usage = { prompt_tokens: 7, completion_tokens: 2 }
    const [text, finish] = [chunk({ content: 'a' }), chunk({}, 'stop')]
    const alone = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`
    expect(rewrite([first, text, finish, alone, done]).text).toBe(first + text + finish + alone + done)
    const again = chunk({}, 'stop', { usage })
    const told = rewrite([first, text, finish, again, done]).text
    expect(told.match(/"finish_reason":"stop"/g)).toHaveLength(1)
    expect(told).toContain('"prompt_tokens":7')
  })

  it('writes nothing behind its end', () => {
    const pieces = [first, chunk({}, 'stop'), done]
    expect(rewrite([...pieces, chunk({ content: 'late' }), done]).text).toBe(pieces.join(''))
  })

  it('leaves out the chunk that holds the usage alone, and tells the usage', () => {
    const counted: Usage[] = []
    const usage = { prompt_tokens: 7, completion_tokens: 2 }
    const alone = `data: ${JSON.stringify({ id: 'c', choices: [], usage })}\n\n`
    const beside = chunk({}, 'stop', { usage })
    const options = { withholdUsage: true, onUsage: (each: Usage) => counted.push(each) }
    expect(rewrite([first, beside, alone, done], options).text).toBe(first + beside + done)
    expect(counted.map(({ inputTokens, outputTokens }) => [inputTokens, outputTokens])).toEqual([
      [7, 2],
      [7, 2],
    ])
  })

  it('tells the calls by the names the client knows, and why it ended', () => {
    const calls: string[] = []
    const reasons: FinishReason[] = []
    const options = {
      clientToolName: (name: string) => `mcp__${name}`,
      onCall: (name: string) => calls.push(name),
      onFinish: (reason: FinishReason) => reasons.push(reason),
    }
    const written = rewrite([chunk({ content: kimiCall }), chunk({}, 'stop'), done], options)
    const entry = { index: 0, id: 'x', type: 'function', function: { name: 'b', arguments: '{}' } }
    const structured = rewrite([chunk({ tool_calls: [entry] }), done], options)
    expect(written.text).toContain('"name":"mcp__get_time"')
    expect(structured.text).toContain('"name":"mcp__b"')
    expect({ calls, reasons }).toEqual({
      calls: ['mcp__get_time', 'mcp__b'],
      reasons: ['tool-calls', 'tool-calls'],
    })
  })

  it('ends alike however it is cut into chunks', () => {
    const events = [
      chunk({ content: 'a' }),
      chunk({ content: kimiCall }),
      'data: oops\n\n',
      chunk({}, 'stop'),
      done,
    ]
    fc.assert(
      fc.property(fc.subarray(events), fc.array(fc.nat(400), { maxLength: 8 }), (kept, cuts) => {
        const text = kept.join('')
        const at = [0, ...cuts.filter((cut) => cut < text.length), text.length].toSorted((a, b) => a - b)
        const pieces = at.slice(1).map((end, index) => text.slice(at[index], end))
        expect(rewrite(pieces)).toEqual(rewrite([text]))
      }),
    )
  })
})

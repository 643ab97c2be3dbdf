import { describe, expect, it } from 'vitest'
import type { FinishReason, Usage } from '../../../src/answer/answer.ts'
import { messageEnd, messageStart, messageStop, textBlock, toolBlock } from './upstream.ts'
import { countingMint, kimiCall } from '../openai-chat/upstream.ts'
import { type RewriterOptions } from '../../../src/translate-parts.ts'
import { rewriteAnthropicMessage, rewriteAnthropicStream } from '../../answer/stages.ts'

function options(more: Partial<RewriterOptions> = {}): RewriterOptions {
  return { parser: { format: 'kimi' }, mint: countingMint(), ...more }
}

/** Options that note what is reported. */
function reporting() {
  const calls: string[] = []
  const reasons: FinishReason[] = []
  const counted: Usage[] = []
  const reports = {
    clientToolName: (name: string) => `mcp__${name}`,
    onCall: (name: string) => calls.push(name),
    onFinish: (reason: FinishReason) => reasons.push(reason),
    onUsage: (usage: Usage) => counted.push(usage),
  }
  return { calls, reasons, counted, options: options(reports) }
}

const call = textBlock(0, kimiCall)
const structured = toolBlock(0, 'toolu_1', 'get_time', '{}')

describe('a message stream that is passed on', () => {
  it('is reading, then finishing, then ended', () => {
    const rewriter = rewriteAnthropicStream(options())
    const end = messageEnd('end_turn').replace(messageStop, '')
    const states = [messageStart, textBlock(0, 'a'), end, messageStop].map((piece) => {
      rewriter.push(piece)
      return rewriter.state
    })
    expect(states).toEqual(['reading', 'reading', 'finishing', 'ended'])
  })

  it.each([
    ['in the text', call, 'end_turn'],
    ['structured', structured, 'tool_use'],
  ])('names a call %s as the client knows it, and reports it', (_where, block, stopReason) => {
    const { calls, reasons, counted, options: reports } = reporting()
    const rewriter = rewriteAnthropicStream(reports)
    const text = rewriter.push(messageStart + block + messageEnd(stopReason)).join('')
    expect(text).toContain('"name":"mcp__get_time"')
    expect({ calls, reasons }).toEqual({ calls: ['mcp__get_time'], reasons: ['tool-calls'] })
    expect(counted.at(-1)).toMatchObject({ inputTokens: 9, cacheReadTokens: 4, outputTokens: 12 })
  })

  it('drops a call that repeats one in the text, and tells that and not the call', () => {
    const { calls, options: reports } = reporting()
    const told: string[] = []
    const rewriter = rewriteAnthropicStream({ ...reports, onRecord: ({ code }) => told.push(code) })
    const twin = toolBlock(1, 'toolu_1', 'get_time', '{"zone":"UTC"}')
    rewriter.push(messageStart + call + twin + messageEnd('tool_use'))
    expect(calls).toEqual(['mcp__get_time'])
    expect(told).toEqual(['repeated-call'])
  })

  it('fails for the cause it is given, unless it was whole', () => {
    const cause = { kind: 'timeout', code: 'upstream_idle_timeout', message: 'Too slow.' } as const
    const cut = rewriteAnthropicStream(options())
    cut.push(messageStart)
    expect(cut.end(cause).join('')).toContain('Too slow.')
    expect(cut.failure).toEqual(cause)
    const whole = rewriteAnthropicStream(options())
    whole.push(messageStart + messageEnd('end_turn'))
    expect(whole.end(cause)).toEqual([])
    expect(whole.failure).toBeNull()
  })

  it('fails for an event that is too long', () => {
    const rewriter = rewriteAnthropicStream(options({ maxEventBytes: 50 }))
    rewriter.push(messageStart)
    expect(rewriter.failure?.code).toBe('upstream_limit')
  })
})

describe('a whole message that is passed on', () => {
  it('is reported like a stream', () => {
    const { calls, reasons, counted, options: reports } = reporting()
    const content = [{ type: 'tool_use', id: 'toolu_1', name: 'get_time', input: {} }]
    const usage = { input_tokens: 5, output_tokens: 3 }
    const { body, failure } = rewriteAnthropicMessage({ content, stop_reason: 'tool_use', usage }, reports)
    expect(failure).toBeNull()
    expect(body).toMatchObject({ content: [{ name: 'mcp__get_time', input: {} }] })
    expect({ calls, reasons }).toEqual({ calls: ['mcp__get_time'], reasons: ['tool-calls'] })
    expect(counted.at(-1)).toMatchObject({ inputTokens: 5, outputTokens: 3 })
  })

  it.each([[undefined], ['text'], [{}], [{ content: 'text' }]])('is no answer where it is %j', (body) => {
    expect(rewriteAnthropicMessage(body, options()).failure?.code).toBe('upstream_protocol_error')
  })
})

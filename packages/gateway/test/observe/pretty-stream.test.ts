import { stripVTControlCharacters } from 'node:util'
import { describe, expect, it } from 'vitest'
import { PrettyStream } from '../../src/observe/pretty-stream.ts'

function shown(entry: object): string {
  const texts: string[] = []
  new PrettyStream({ write: (text) => texts.push(text) }).write(`${JSON.stringify(entry)}\n`)
  return stripVTControlCharacters(texts.join(''))
}

const request = {
  level: 'info',
  time: '2026-03-04T05:06:07.008Z',
  requestId: 'req-1',
  route: '/v1/messages',
  model: 'claude-x',
  upstream: 'lab',
  upstreamModel: 'kimi-k2',
  format: 'kimi',
  formatFrom: 'answer',
  status: 200,
  how: 'answered',
  ms: 869,
  firstByteMs: 89,
  finish: 'tool-calls',
  calls: ['get_weather', 'get_time'],
  problems: null,
  repairs: ['trailing-comma'],
  changed: null,
  tokens: 88,
  failure: null,
  reason: null,
  msg: 'request',
}

describe('the log on a terminal', () => {
  it('has one short line for a request', () => {
    expect(shown(request)).toBe(
      '05:06:07 200 /v1/messages claude-x as kimi-k2 on lab  kimi  869 ms  tool-calls  get_weather, get_time' +
        '  88 tokens  repairs=["trailing-comma"]  requestId=req-1\n',
    )
  })

  it('says why a request failed, and when the client did not wait', () => {
    const failed = { ...request, upstream: undefined, calls: null, tokens: null, repairs: null, finish: null }
    const failure = 'model_not_found: There is no model "claude-x".'
    expect(shown({ ...failed, format: null, status: 404, failure })).toBe(
      `05:06:07 404 /v1/messages claude-x  869 ms  failure=${failure}  requestId=req-1\n`,
    )
    expect(shown({ ...request, how: 'left' })).toContain('869 ms  the client left  ')
  })

  it('shows other entries with all their fields', () => {
    const entry = {
      level: 'warn',
      time: request.time,
      requestId: 'req-1',
      bytes: 7,
      msg: 'the conversation is long',
    }
    expect(shown(entry)).toBe('05:06:07 the conversation is long requestId=req-1  bytes=7\n')
  })

  it('lets no name of a model write a line of its own, or reach the terminal', () => {
    const line = shown({ ...request, model: 'x\n05:06:07 200 \u001b]0;title\u0007\u009b2J' })
    expect(line.match(/\n/g)).toHaveLength(1)
    expect(line).toContain('x 05:06:07 200 ␛]0;title␇<U+009B>2J as kimi-k2')
  })

  it('passes on what is no entry', () => {
    const texts: string[] = []
    new PrettyStream({ write: (text) => texts.push(text) }).write('not JSON\n')
    expect(texts).toEqual(['not JSON\n'])
  })
})

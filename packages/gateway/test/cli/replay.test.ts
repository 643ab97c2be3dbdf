import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { RecordedExchange, RecordedUpstream } from '../../src/recorder/recording.ts'
import { dragoman } from './in-process.ts'
import { kimiCall, sample } from './run-cli.ts'

const chunk = (delta: object, finish_reason: string | null = null): string =>
  `data: ${JSON.stringify({ id: 'gen-7', provider: 'Lab', choices: [{ index: 0, delta, finish_reason }] })}\n\n`
const stream =
  chunk({ role: 'assistant', content: `Hm. ${kimiCall}` }) + chunk({}, 'stop') + 'data: [DONE]\n\n'
const schema = { type: 'object', properties: { zone: { type: 'string' } } }
const messages = [{ role: 'user', content: 'What time is it?' }]

const upstream: RecordedUpstream = {
  name: 'lab',
  dialect: 'openai-chat',
  model: 'kimi-k2',
  format: 'kimi',
  reading: { format: 'kimi', model: 'kimi-k2' },
  request: '{}',
  status: 200,
  contentType: 'text/event-stream',
  response: stream,
  fault: null,
}

function recording(more: Partial<RecordedUpstream> = {}, isStream = true): RecordedExchange {
  const tools = [{ name: 'get_time', input_schema: schema }]
  const request = { model: 'claude-x', max_tokens: 9, stream: isStream, messages, tools }
  return {
    dragomanRecording: 1,
    requestId: 'req-1',
    time: '2026-03-04T05:06:07.008Z',
    client: { dialect: 'anthropic-messages', request: JSON.stringify(request), status: 200, response: '' },
    upstream: { ...upstream, ...more },
  }
}

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-replay-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

async function file(exchange: object, name = '2026-03-04T05-06-07.008Z-req-1.json'): Promise<string> {
  const path = join(folder, name)
  await writeFile(path, JSON.stringify(exchange))
  return path
}

describe('dragoman replay', () => {
  it('writes what the recorded client would get, each time the same', async () => {
    const path = await file(recording())
    const first = await dragoman(['replay', path])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toContain('"model":"claude-x"')
    expect(first.stdout).toContain('"type":"tool_use","id":"toolu_kimi_0000","name":"get_time"')
    expect(first.stdout).toContain('"stop_reason":"tool_use"')
    expect(first.stdout.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true)
    expect(await dragoman(['replay', path])).toEqual(first)
  })

  it('--to shows it to a client of another dialect', async () => {
    const { stdout } = await dragoman(['replay', '--to', 'openai-chat', await file(recording())])
    expect(stdout).toContain('"provider":"Lab"')
    expect(stdout).toContain('"id":"call_kimi_0000","type":"function","function":{"name":"get_time"')
    expect(stdout.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('--format reads the answer otherwise than it was read', async () => {
    const { stdout } = await dragoman(['replay', '--format', 'standard', await file(recording())])
    expect(stdout).toContain('<|tool_call_begin|>')
    expect(stdout).not.toContain('tool_use')
  })

  it('tells the client of an answer that broke off what it was told then', async () => {
    const response = chunk({ content: 'Hm' })
    const silent = await dragoman(['replay', await file(recording({ response, fault: 'idle-timeout' }))])
    expect(silent.stdout).toContain('(upstream_idle_timeout)')
    const whole = await dragoman([
      'replay',
      await file(recording({ response, fault: 'idle-timeout' }, false)),
    ])
    expect(whole.stderr).toContain('the client would get HTTP status 504')
    const cut = await dragoman(['replay', await file(recording({ response, fault: 'cut' }))])
    expect(cut.stdout).toContain('The upstream broke off its answer. (upstream_truncated)')
  })

  it('an answer that was whole before its connection was given up stays whole', async () => {
    const { stdout } = await dragoman(['replay', await file(recording({ fault: 'aborted' }))])
    expect(stdout.endsWith('event: message_stop\ndata: {"type":"message_stop"}\n\n')).toBe(true)
  })

  it('writes one JSON value for a client that wanted no stream', async () => {
    const { stdout } = await dragoman(['replay', await file(recording({}, false))])
    expect(JSON.parse(stdout)).toMatchObject({
      type: 'message',
      content: [
        { type: 'text', text: 'Hm. ' },
        { type: 'tool_use', name: 'get_time', input: { zone: 'UTC' } },
      ],
    })
  })

  it('shows the error that the client of a failed answer would get', async () => {
    const refused = await dragoman([
      'replay',
      await file(recording({ status: 429, response: '{"error":"slow"}' })),
    ])
    expect(JSON.parse(refused.stdout)).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } })
    expect(refused.stderr).toContain('HTTP status 429')
    const cut = await dragoman(['replay', await file(recording({ response: chunk({ content: 'Hi' }) }))])
    expect(cut.stdout).toContain('event: error')
    expect(cut.stderr).toContain('upstream_truncated')
  })

  it('replays every recording of a folder, oldest first', async () => {
    await file(recording({ response: stream.replace('Hm.', 'Second.') }), '2026-03-05T05-06-07.008Z-b.json')
    await file(recording({ response: stream.replace('Hm.', 'First.') }))
    await file({ other: 1 }, 'notes.json')
    await file({ ...recording(), upstream: null }, '2026-03-06T05-06-07.008Z-c.json')
    const { code, stdout, stderr } = await dragoman(['replay', folder])
    expect(code).toBe(0)
    expect(stdout.indexOf('First.')).toBeGreaterThan(0)
    expect(stdout.indexOf('Second.')).toBeGreaterThan(stdout.indexOf('First.'))
    expect(stderr).toContain('no upstream answered')
  })

  it('says what is no recording', async () => {
    const other = await dragoman(['replay', sample('kimi.sse')])
    expect(other).toMatchObject({ code: 1, stdout: '' })
    expect(other.stderr).toContain('is not a recording')
    await mkdir(join(folder, 'empty'))
    expect((await dragoman(['replay', join(folder, 'empty')])).stderr).toContain('there is no recording in')
    expect((await dragoman(['replay', join(folder, 'missing')])).stderr).toContain('no such file')
  })
})

describe('dragoman convert on a recording', () => {
  it('reads the stream of the upstream with the format and the tools it came with', async () => {
    const path = await file(recording({ reading: { format: 'auto', model: 'kimi-k2' } }))
    const chat = await dragoman(['convert', path])
    expect(chat).toMatchObject({ code: 0, stderr: '' })
    expect(chat.stdout).toContain('"id":"call_kimi_0000","type":"function","function":{"name":"get_time"')
    expect(chat.stdout).toContain('"provider":"Lab"')
    const anthropic = await dragoman(['convert', '--to', 'anthropic-messages', path])
    expect(anthropic.stdout).toContain('"type":"tool_use","id":"toolu_kimi_0000","name":"get_time"')
  })

  it('sends whole answers to replay', async () => {
    const path = await file(recording({ contentType: 'application/json', response: '{}' }))
    const { code, stderr } = await dragoman(['convert', path])
    expect(code).toBe(1)
    expect(stderr).toContain('dragoman replay')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { dragoman } from './in-process.ts'
import { binary, kimiCall, sample } from './run-cli.ts'

describe('dragoman convert', () => {
  const dialects = ['--from', 'openai-chat', '--to', 'openai-chat']

  it('makes the calls of a recorded stream structured, each time with the same ids', async () => {
    const args = [
      'convert',
      ...dialects,
      '--format',
      'kimi',
      '--tools',
      sample('tools.json'),
      sample('kimi.sse'),
    ]
    const first = await dragoman(args)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).not.toContain('<|')
    expect(first.stdout).toContain('"id":"call_kimi_0000","type":"function","function":{"name":"get_weather"')
    expect(first.stdout).toContain('"id":"call_kimi_0001","type":"function","function":{"name":"get_time"')
    expect(first.stdout).toContain('"finish_reason":"tool_calls"')
    expect(first.stdout).toContain('"reasoning_content":"Two')
    expect(first.stdout.endsWith('data: [DONE]\n\n')).toBe(true)
    expect(await dragoman(args)).toEqual(first)
  })

  it('passes on a stream without calls byte for byte', async () => {
    const sse = await readFile(sample('kimi.sse'), 'utf8')
    const { stdout } = await dragoman(['convert', '--format', 'standard', '-'], { input: sse })
    expect(stdout).toBe(sse)
  })

  it('writes the stream that an Anthropic client gets, each time the same', async () => {
    const args = ['convert', '--to', 'anthropic-messages', '--format', 'kimi', sample('kimi.sse')]
    const first = await dragoman(args)
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(first.stdout).toMatch(/^event: message_start\n/)
    expect(first.stdout).toContain('"type":"thinking_delta"')
    expect(first.stdout).toContain('"type":"tool_use","id":"toolu_kimi_0000","name":"get_weather"')
    expect(first.stdout).toContain('"type":"tool_use","id":"toolu_kimi_0001","name":"get_time"')
    expect(first.stdout).toContain('"stop_reason":"tool_use"')
    expect(first.stdout).not.toContain('<|')
    expect(await dragoman(args)).toEqual(first)
  })

  it('reads the stream of an Anthropic server, for clients of both dialects', async () => {
    const to = ['--to', 'anthropic-messages']
    const { stdout: input } = await dragoman(['convert', ...to, '--format', 'standard', sample('kimi.sse')])
    const read = ['convert', '--from', 'anthropic-messages', '--format', 'kimi']
    const same = await dragoman([...read, ...to], { input })
    expect(same.stdout).toContain('"type":"tool_use"')
    expect(same.stdout).not.toContain('<|')
    const chat = await dragoman(read, { input })
    expect(chat.stdout).toContain('"finish_reason":"tool_calls"')
    expect(chat.stdout.endsWith('data: [DONE]\n\n')).toBe(true)
  })

  it('sees by itself what dialect a stream is of, behind pings too', async () => {
    const to = ['--to', 'anthropic-messages']
    const { stdout: input } = await dragoman(['convert', ...to, '--format', 'standard', sample('kimi.sse')])
    const read = await dragoman(['convert', '--from', 'anthropic-messages', '--format', 'kimi'], { input })
    const ping = 'event: ping\ndata: {"type":"ping"}\n\n'
    expect(await dragoman(['convert', '--format', 'kimi'], { input: ping + input })).toEqual(read)
  })

  it('says which dialect a stream is of where another is named', async () => {
    const { stdout: input } = await dragoman(['convert', '--to', 'anthropic-messages', sample('kimi.sse')])
    const { code, stdout, stderr } = await dragoman(['convert', '--from', 'openai-chat'], { input })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('standard input is a stream of anthropic-messages, not of openai-chat')
    expect(stderr).toContain('--from anthropic-messages')
  })

  it('takes the name of the model from the stream', async () => {
    const { stdout } = await dragoman(['convert', '--to', 'anthropic-messages', sample('kimi.sse')])
    expect(stdout).toContain('"model":"moonshotai/kimi-k2-thinking"')
    const back = await dragoman(['convert'], { input: stdout })
    expect(back.stdout).toContain('"model":"moonshotai/kimi-k2-thinking"')
    expect(back.stdout).not.toContain('unknown')
  })

  const whole = {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'kimi-k2',
    choices: [{ index: 0, message: { role: 'assistant', content: kimiCall }, finish_reason: 'stop' }],
  }

  it.each(['openai-chat', 'anthropic-messages'])(
    'makes a whole answer of %s from a whole one',
    async (to) => {
      const input = JSON.stringify(whole, null, 2)
      const { code, stdout, stderr } = await dragoman(['convert', '--to', to, '--format', 'kimi'], { input })
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(JSON.parse(stdout)).toMatchObject(
        to === 'openai-chat'
          ? {
              id: 'chatcmpl-1',
              model: 'kimi-k2',
              choices: [{ message: { tool_calls: [{ id: 'call_kimi_0000' }] }, finish_reason: 'tool_calls' }],
            }
          : { model: 'kimi-k2', content: [{ type: 'tool_use', name: 'get_time', input: { zone: 'UTC' } }] },
      )
      const back = await dragoman(['convert'], { input: stdout })
      expect(JSON.parse(back.stdout)).toMatchObject({ object: 'chat.completion', model: 'kimi-k2' })
    },
  )

  it.each([
    ['a request', '{"model":"kimi-k2","messages":[]}', 'it looks like a request'],
    ['an error', '{"error":{"message":"no"}}', 'it is an error'],
    ['any JSON', ' {"colour":"red"}', 'its fields are colour'],
    ['a list', '[1,2]', 'it is a list'],
    ['half a JSON text', '{"choices":[{"mess', 'begins like JSON, but is none'],
    ['bare text', `Let me see.\n${kimiCall}\n`, 'dragoman parse'],
    ['bytes that are no text', '\u0000\u0001\u0002', 'is no event stream'],
    ['nothing', '', 'standard input is empty'],
  ])('refuses %s, and says what it is', async (_what, input, told) => {
    const { code, stdout, stderr } = await dragoman(['convert'], { input })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(told)
  })

  it('leaves a line out that is not JSON where the dialect changes, with a warning', async () => {
    const input = 'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: oops\n\ndata: [DONE]\n\n'
    const { code, stdout, stderr } = await dragoman(['convert', '--to', 'anthropic-messages'], { input })
    expect(code).toBe(0)
    expect(stdout).toContain('"text":"a"')
    expect(stdout).toContain('event: message_stop')
    expect(stderr).toContain('warning: The data of event 2 is not JSON; left out')
  })

  it('passes on a line that is not JSON, with a warning', async () => {
    const input = 'data: {"choices":[]}\n\ndata: oops\n\ndata: [DONE]\n\n'
    const { code, stdout, stderr } = await dragoman(['convert'], { input })
    expect({ code, stdout }).toEqual({ code: 0, stdout: input })
    expect(stderr).toContain('warning: The data of event 2 is not JSON; passed on as it came')
  })

  it('writes each event as it comes', async () => {
    const child = spawn(process.execPath, [binary, 'convert'])
    const event = 'data: {"choices":[{"index":0,"delta":{"role":"assistant","content":"a"}}]}\n\n'
    child.stdin.write(event)
    const [first]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data')
    expect(first).toBe(event)
    child.stdin.end()
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })

  it('a stream that cannot be read is named', async () => {
    const { code, stderr } = await dragoman(['convert', '/no/such.sse'])
    expect(code).toBe(1)
    expect(stderr).toContain('/no/such.sse')
  })
})

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { binary, dragoman, sample } from './run-cli.ts'

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

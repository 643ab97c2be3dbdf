import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { dragoman } from '../cli/in-process.ts'
import { binary } from '../cli/run-cli.ts'
import { readStream } from './chat-stream.ts'
import { request, weatherQuestion } from './requests.ts'

describe('dragoman simulate', () => {
  it('says where it listens, answers as its options say, and ends with Ctrl-C', async () => {
    const options = [
      '--port',
      '0',
      '--format',
      'qwen',
      '--chunk',
      'whole',
      '--pace',
      '0',
      '--parallel',
      '2',
      '--strict',
    ]
    const child = spawn(process.execPath, [binary, 'simulate', ...options])
    let hints = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (hints += text))
    const [line]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data')
    expect(line).toMatch(/^dragoman simulator listening on http:\/\/127\.0\.0\.1:\d+\/v1\n$/)
    const address = String(line).trim().split(' ').at(-1)
    const response = await fetch(`${address}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...request(weatherQuestion), model: 'any', stream: true }),
    })
    const { pieces } = await readStream(response)
    expect(pieces).toHaveLength(1)
    expect(pieces[0]?.text.match(/<function=get_weather>/g)).toHaveLength(2)
    child.kill('SIGINT')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
    expect(hints).toContain(`curl -N ${address}/chat/completions`)
  })

  it('imitates the server that its options name', async () => {
    const options = ['--server', 'ollama', '--window', '4096', '--abilities', 'tools']
    const child = spawn(process.execPath, [binary, 'simulate', '--port', '0', ...options])
    const [line]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data')
    const root = /http:\S+(?=\/v1)/.exec(String(line))?.[0] ?? ''
    const loaded: unknown = await (await fetch(`${root}/api/ps`)).json()
    const shown: unknown = await (await fetch(`${root}/api/show`, { method: 'POST', body: '{}' })).json()
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(loaded).toMatchObject({
      models: expect.arrayContaining([expect.objectContaining({ context_length: 4096 })]),
    })
    expect(shown).toMatchObject({ capabilities: ['completion', 'tools'] })
  })

  it('ends with 0 where it is told to as soon as it says that it listens', async () => {
    const child = spawn(process.execPath, [binary, 'simulate', '--port', '0'])
    child.stdout.once('data', () => child.kill('SIGTERM'))
    await once(child, 'close')
    expect([child.exitCode, child.signalCode]).toEqual([0, null])
  })

  const wrong: [args: string[], says: string][] = [
    [['--format', 'kimmi'], 'cannot write "kimmi". Did you mean kimi?'],
    [['--pace', 'slow'], '--pace needs a whole number'],
    [['--port', '70000'], 'at most 65535'],
    [['--field', 'other'], '--field must be one of content, reasoning, reasoning_content'],
    [['--quirk', 'lost-cals'], 'no quirk "lost-cals". Did you mean lost-calls?'],
    [['extra'], 'one operand too many'],
    [['--server', 'olama'], 'cannot imitate "olama". Did you mean ollama?'],
    [['--window', '8192'], '--window needs --server'],
    [['--server', 'ollama', '--abilities', 'tools,speech'], 'there is no ability "speech"'],
    [['--server', 'ollama', '--parser', 'slow'], '--parser must be one of structured, none, broken'],
  ]
  for (const [args, says] of wrong) {
    it(`${args.join(' ')} is a wrong use`, async () => {
      const { code, stdout, stderr } = await dragoman(['simulate', ...args])
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
    })
  }

  it('a port that is taken is named', async () => {
    const child = spawn(process.execPath, [binary, 'simulate', '--port', '0'])
    const [line]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data')
    const port = /:(\d+)\//.exec(String(line))?.[1] ?? ''
    const { code, stderr } = await dragoman(['simulate', '--port', port])
    child.kill('SIGTERM')
    await once(child, 'close')
    expect(code).toBe(1)
    expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}`)
    expect(stderr).toContain('Another program listens there.')
  })

  it('the help names the words a model name may carry', async () => {
    const { stdout } = await dragoman(['simulate', '--help'])
    expect(stdout).toContain('kimi-k2+reasoning+char+cut')
    expect(stdout).toContain('stall')
  })
})

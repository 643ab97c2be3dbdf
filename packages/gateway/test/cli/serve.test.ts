import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'

const bin = fileURLToPath(new URL('../../bin/dragoman.js', import.meta.url))
const running: ChildProcess[] = []

afterEach(() => {
  for (const child of running.splice(0)) child.kill('SIGKILL')
})

/** Starts the program and resolves to its address once it listens. */
async function start(args: readonly string[]): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [bin, ...args], { stdio: ['ignore', 'pipe', 'ignore'] })
  running.push(child)
  for await (const line of createInterface({ input: child.stdout })) {
    const address = /^dragoman listening on (\S+)$/.exec(line)?.[1]
    if (address !== undefined) return { child, address }
  }
  throw new Error('it ended without listening')
}

describe('dragoman without a command', () => {
  it('serves on the simulator, and ends on SIGTERM with code 0', async () => {
    const { child, address } = await start(['--port', '0'])
    const answer = await fetch(`${address}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'kimi-k2',
        messages: [{ role: 'user', content: 'What is the weather in Paris?' }],
        tools: [{ type: 'function', function: { name: 'get_weather' } }],
      }),
    })
    expect(await answer.json()).toMatchObject({
      choices: [
        { finish_reason: 'tool_calls', message: { tool_calls: [{ function: { name: 'get_weather' } }] } },
      ],
    })
    child.kill('SIGTERM')
    expect(await once(child, 'exit')).toEqual([0, null])
  })

  it('serve is the name of the same command', async () => {
    const { address } = await start(['serve', '--port', '0'])
    const health = await fetch(`${address}/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
  })
})

// What the checks of the inspector look at: the built program as a gateway, the simulator behind it, and an SDK before it.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Anthropic from '@anthropic-ai/sdk'

const program = fileURLToPath(new URL('../packages/gateway/bin/dragoman.js', import.meta.url))

export const inspectorKey = 'a-key-that-opens-the-page'

/** A gateway that is open, one behind a key, and the recordings of the first without a gateway. */
export async function startLab() {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-browser-'))
  const simulator = await start(['simulate', '--port', '0', '--pace', '15'])
  const upstream = ['--port', '0', '--upstream', simulator.address]
  const open = await start(['serve', ...upstream, '--record', join(folder, 'recordings')])
  const sha256 = createHash('sha256').update(inspectorKey).digest('hex')
  const config = join(folder, 'locked.yaml')
  writeFileSync(config, `keys: [{ name: ops, sha256: "${sha256}", inspector: true }]\n`, { mode: 0o600 })
  const locked = await start(['serve', ...upstream, '--config', config])
  const programs = [simulator, open, locked]
  await ask(open.address, 'kimi-k2+reasoning')
  return {
    open: `${open.address}/inspector/`,
    locked: `${locked.address}/inspector/`,
    ask: (model, question) => ask(open.address, model, question),
    /** Resolves to the address of the page. */
    inspectRecordings: async () => {
      const recordings = await start(['inspect', join(folder, 'recordings')])
      programs.push(recordings)
      return recordings.address
    },
    /** A gateway on a port that is told, so that it can go away and come back. */
    startAt: async (port) => {
      const gateway = await start(['serve', '--port', String(port), '--upstream', simulator.address])
      programs.push(gateway)
      return {
        page: `${gateway.address}/inspector/`,
        ask: (...asked) => ask(gateway.address, ...asked),
        stop: gateway.stop,
      }
    },
    close: async () => {
      await Promise.all(programs.map(({ stop }) => stop()))
      rmSync(folder, { recursive: true })
    },
  }
}

/** Resolves once the program has told its address. */
function start(args) {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { PATH: process.env['PATH'], DRAGOMAN_LOG_LEVEL: 'error' },
  })
  const exit = new Promise((resolve) => {
    child.on('exit', resolve)
  })
  const stop = () => {
    child.kill('SIGTERM')
    return exit
  }
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
      const address = /(?:listening )?on (http\S+)\n/.exec(said)?.[1]
      if (address !== undefined) resolve({ address, stop })
    })
    void exit.then((code) => reject(new Error(`dragoman ${args[0]} ended with ${code}`)))
  })
}

/** Asks as an agent would, with a tool. Resolves to the whole message. */
function ask(baseURL, model, question = 'What is the weather in Paris?') {
  const client = new Anthropic({ baseURL, apiKey: 'any', maxRetries: 0 })
  return client.messages
    .stream({
      model,
      max_tokens: 1024,
      top_k: 40,
      messages: [{ role: 'user', content: question }],
      tools: [
        {
          name: 'get_weather',
          description: 'Tells the weather of a city.',
          input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        },
      ],
    })
    .finalMessage()
}

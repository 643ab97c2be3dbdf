// What the checks of the inspector look at: the built program as a gateway, the simulator behind it, and an SDK before it.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import Anthropic from '@anthropic-ai/sdk'

const program = fileURLToPath(new URL('../../packages/gateway/bin/dragoman.js', import.meta.url))

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
  const hostile = await startHostileUpstream()
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
    /** The same for files of this content, by their names. */
    inspectFiles: async (files) => {
      const place = mkdtempSync(join(folder, 'files-'))
      for (const [name, text] of Object.entries(files)) writeFileSync(join(place, name), text)
      const recordings = await start(['inspect', place])
      programs.push(recordings)
      return recordings.address
    },
    /** A gateway before a model that writes what no page should believe, asked once. */
    startHostile: async () => {
      const gateway = await start(['serve', '--port', '0', '--upstream', hostile.address])
      programs.push(gateway)
      await ask(gateway.address, '<script>document.title=1</script>', undefined, '<b>evil</b>/1')
      return `${gateway.address}/inspector/`
    },
    startWorkers: async () => {
      const gateway = await start(['serve', '--port', '0', '--upstream', simulator.address, '--workers', '2'])
      programs.push(gateway)
      return `${gateway.address}/inspector/`
    },
    /** A gateway as a new user starts it. `page` and `command` are what it prints. */
    startFresh: async () => {
      const place = join(folder, 'nowhere')
      mkdirSync(place)
      const gateway = await start(['serve', '--port', '0'], place)
      programs.push(gateway)
      const [, page] = /^Inspector: (\S+)$/m.exec(await gateway.hints()) ?? []
      const [, command] = /^ *(curl .*)$/m.exec(await gateway.hints()) ?? []
      return { page, command }
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
      hostile.close()
      rmSync(folder, { recursive: true })
    },
  }
}

/** Resolves once the program has told its address. `cwd`: where it looks for a configuration. */
function start(args, cwd = tmpdir()) {
  const child = spawn(process.execPath, [program, ...args], {
    cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], DRAGOMAN_LOG_LEVEL: 'error' },
  })
  const exit = new Promise((resolve) => {
    child.on('exit', resolve)
  })
  const stop = () => {
    child.kill('SIGTERM')
    return exit
  }
  let hinted = ''
  child.stderr.setEncoding('utf8').on('data', (text) => {
    hinted += text
  })
  const hints = async () => {
    while (!hinted.includes('Coding agents')) await new Promise((resolve) => setTimeout(resolve, 20))
    return hinted
  }
  return new Promise((resolve, reject) => {
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text) => {
      said += text
      const address = /(?:listening )?on (http\S+)\n/.exec(said)?.[1]
      if (address !== undefined) resolve({ address, stop, hints })
    })
    void exit.then((code) => reject(new Error(`dragoman ${args[0]} ended with ${code}: ${hinted}`)))
  })
}

/** What a model may write to whoever looks at it: markup, scripts, commands to terminals, text that runs backwards. */
const hostileText =
  `<script>document.title='hacked'</script><img src=x onerror="document.title='hacked'"><svg onload="document.title='hacked'">` +
  '</pre></textarea><a href="javascript:document.title=1">x</a>\u001B[31mred\u001B[0m \u202Etxt.exe\u202C \uD83D half\u0000\u200B'

/** Answers every request with a call that has it in its text, in its name and in its arguments. */
async function startHostileUpstream() {
  const call = `<tool_call>{"name": "get_<img src=x onerror=1>", "arguments": ${JSON.stringify({ city: hostileText })}}</tool_call>`
  const events = [...hostileText.match(/[^]{1,7}/g), call].map(
    (content) => `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content } }] })}\n\n`,
  )
  const end = JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      for (const event of events) response.write(event)
      response.end(`data: ${end}\n\ndata: [DONE]\n\n`)
    })
  })
  await new Promise((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return { address: `http://127.0.0.1:${server.address().port}/v1`, close: () => server.close() }
}

/** Asks as an agent would, with a tool. Resolves to the whole message. */
function ask(baseURL, model, question = 'What is the weather in Paris?', agent) {
  const defaultHeaders = agent === undefined ? {} : { 'user-agent': agent }
  const client = new Anthropic({ baseURL, apiKey: 'any', maxRetries: 0, defaultHeaders })
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

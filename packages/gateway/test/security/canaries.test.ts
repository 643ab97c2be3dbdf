import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { dialectIds } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, requests, said, Speech, text } from '../../faults/dialects.ts'
import { askRaw, type RawRequest } from '../../faults/raw-client.ts'
import { dragoman } from '../cli/run-cli.ts'
import { type RunningProgram, startProgram } from '../cli/running-program.ts'

// The whole program at its most talkative: the log at debug, recordings, metrics, what it prints, what it tells of its
// configuration. No secret may be in any of it, however the upstream repeats what it was shown.

const canaries = {
  upstreamKey: 'canary/upstream+key-7c1d9a02',
  clientKey: 'canary/client+key-5f60be31-and-longer',
  variableKey: 'canary/variable+key-c2d4e6f8-and-longer',
  header: 'canary/header+value-19ab44d0',
  wrongKey: 'sk-canary-wrong-key-0f1e2d3c',
  prompt: 'canary prompt 6b7a8c9d',
}
/** What recordings are for. */
const { prompt: _prompt, ...secrets } = canaries

const folder = mkdtempSync(join(tmpdir(), 'dragoman-canaries-'))
const configFile = join(folder, 'dragoman.json')
const logFile = join(folder, 'log', 'dragoman.log')
const recordings = join(folder, 'recordings')
const received: string[] = []
const told: string[] = []
let program: RunningProgram
let upstream: Server
let port = 0

/** How an upstream answers, by the end of the model's name. */
const manners: Readonly<
  Record<string, (response: ServerResponse, speech: Speech, isStream: boolean) => void>
> = {
  well: (response, speech, isStream) => {
    const answer = said([text('Sunny.'), call('get_weather', '{"city":"Paris"}')])
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.end(isStream ? speech.events(answer).join('') : speech.whole(answer))
  },
  refusing: (response) => {
    response.writeHead(401, { 'content-type': 'application/json', 'x-echo': told.join(' ').slice(0, 2000) })
    response.end(JSON.stringify({ error: { message: `What you sent: ${told.join(' ')}`, code: told[0] } }))
  },
  mumbling: (response) =>
    response.writeHead(500).end(`<pre>Traceback: GET https://x/y?key=${told.join('&')}</pre>`),
  cut: (response, speech, isStream) => {
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
    response.write(speech.events(said([text('Sunny.')]))[0] ?? '')
    setTimeout(() => response.destroy(), 20)
  },
}

beforeAll(async () => {
  upstream = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece))
    request.on('end', () => {
      const { url = '', headers } = request
      const shown = [
        headers.authorization,
        headers['x-api-key'],
        headers['x-goog-api-key'],
        headers['x-extra'],
      ]
      told.splice(0, told.length, ...shown.flatMap((each) => (typeof each === 'string' ? formsOf(each) : [])))
      const dialect = dialectIds.find((id) => url.startsWith(`/${id}/`)) ?? 'openai-chat'
      const manner = Object.keys(manners).find((each) => `${url} ${body}`.includes(`.${each}`)) ?? 'refusing'
      const isStream = /"stream":true|:streamGenerateContent/.test(`${url} ${body}`)
      manners[manner]?.(response, new Speech(dialect), isStream)
    })
  }).listen(0, '127.0.0.1')
  await once(upstream, 'listening')
  const address = upstream.address()
  const at = typeof address === 'object' && address !== null ? address.port : 0
  writeFileSync(configFile, JSON.stringify(configuration(at)), { mode: 0o600 })
  program = await startProgram(['serve', '--config', configFile, '--port', '0'], { cwd: folder, env })
  port = Number(new URL(program.address).port)
}, 30_000)

afterAll(async () => {
  program.child.kill('SIGKILL')
  await program.exit
  upstream.close()
  upstream.closeAllConnections()
  rmSync(folder, { recursive: true })
})

const env = { UPSTREAM_KEY: canaries.upstreamKey, DRAGOMAN_API_KEY: canaries.variableKey }

function configuration(at: number): object {
  const upstreams = dialectIds.map((dialect) => [
    dialect,
    {
      url: `http://127.0.0.1:${at}/${dialect}`,
      dialect,
      kind: 'other',
      apiKey: '${UPSTREAM_KEY}',
      headers: { 'x-extra': canaries.header },
    },
  ])
  return {
    upstreams: Object.fromEntries(upstreams),
    models: dialectIds.map((dialect) => ({ match: `${dialect}.*`, upstream: dialect })),
    keys: [{ name: 'ada', sha256: createHash('sha256').update(canaries.clientKey).digest('hex') }],
    log: { level: 'debug', file: logFile },
    record: { dir: recordings },
  }
}

/** As it is, in an address and in base64. */
function formsOf(secret: string): string[] {
  return [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').replace(/=+$/, '')]
}

/** In the middle of a text in base64, such as that of a whole header. */
function insideBase64(secret: string): string[] {
  return ['', 'a', 'aa'].map((before) =>
    Buffer.from(before + secret)
      .toString('base64')
      .slice(4, -4),
  )
}

async function send(request: RawRequest, headers: Readonly<Record<string, string>>): Promise<number> {
  const { status, head, body } = await askRaw(port, { ...request, headers })
  received.push(head, body)
  return status
}

function expectNone(where: string, seen: string, hidden: Readonly<Record<string, string>> = secrets): void {
  for (const [name, secret] of Object.entries(hidden)) {
    for (const form of [...formsOf(secret), ...insideBase64(secret)])
      expect(seen.includes(form), `${name} in ${where}`).toBe(false)
  }
}

const pairings = dialectIds.flatMap((client) => dialectIds.map((speaks) => ({ client, speaks })))

describe.each(pairings)('a client of $client with an upstream of $speaks', ({ client, speaks }) => {
  it.each(Object.keys(manners))(
    'sees no secret of an upstream that answers like this: %s',
    async (manner) => {
      for (const wants of ['stream', 'whole'] as const) {
        const { path, body } = requests[client](`${speaks}.${manner}`, wants)
        const asked = { path, body: String(body).replace('What is the weather', canaries.prompt) }
        const key = wants === 'stream' ? canaries.clientKey : canaries.variableKey
        const status = await send(asked, { authorization: `Bearer ${key}`, 'x-api-key': canaries.wrongKey })
        expect([200, 401, 500, 502]).toContain(status)
      }
      // Without this the upstream may have repeated nothing, and there would have been nothing to hide.
      if (manner === 'refusing') expect(received.at(-1)).toContain('[redacted]')
      expectNone('an answer', received.join('\n'))
    },
  )
})

describe('a caller who is turned away', () => {
  it.each(dialectIds)('gets nothing back of what it showed: %s', async (client) => {
    const { path, body = '' } = requests[client]('m', 'whole')
    const separator = path.includes('?') ? '&' : '?'
    const addressed = {
      path: `${path}${separator}key=${canaries.wrongKey}&api_key=${canaries.wrongKey}`,
      body,
    }
    expect(await send(addressed, {})).toBe(401)
    expect(await send({ path, body }, { authorization: `Bearer ${canaries.wrongKey}` })).toBe(401)
    expect(await send({ path: `${path}/${canaries.wrongKey}`, body }, {})).not.toBe(200)
    expect(
      await send({ path, body: `{"model":"${canaries.wrongKey}"` }, { 'x-api-key': canaries.clientKey }),
    ).toBe(400)
    const unknown = requests[client](canaries.wrongKey, 'whole')
    expect(await send(unknown, { 'x-api-key': canaries.clientKey })).toBe(404)
    const open = received.splice(0).join('\n')
    const { wrongKey: _wrong, ...ours } = secrets
    expectNone('an answer', open, ours)
  })
})

describe('what the program leaves behind', () => {
  it('holds no secret: metrics, models, standard output and error', async () => {
    const headers = { authorization: `Bearer ${canaries.clientKey}` }
    for (const path of ['/metrics', '/status', '/v1/models', '/v1beta/models', '/health']) {
      const { status, body, head } = await askRaw(port, { method: 'GET', path, headers })
      expect(status).toBe(200)
      expectNone(path, head + body, canaries)
    }
    expectNone('standard output', program.stdout(), canaries)
    expectNone('standard error', program.stderr(), canaries)
  })

  it('holds no secret and nothing that was said: the log at debug', () => {
    const log = readFileSync(logFile, 'utf8')
    expect(log.split('\n').length).toBeGreaterThan(100)
    expectNone('the log', log, canaries)
  })

  it('holds no secret: recordings, in which is what was said', async () => {
    await expect.poll(() => readdirSync(recordings).length, { timeout: 5000 }).toBeGreaterThan(100)
    const unfinished = () => readdirSync(recordings).filter((name) => name.endsWith('.partial'))
    await expect.poll(unfinished, { timeout: 5000 }).toEqual([])
    const all = readdirSync(recordings).map((name) => readFileSync(join(recordings, name), 'utf8'))
    expect(all.join('\n')).toContain(canaries.prompt)
    expectNone('a recording', all.join('\n'))
  })

  it('is for its owner alone', () => {
    const files = [logFile, ...readdirSync(recordings).map((name) => join(recordings, name))]
    for (const file of files) expect(statSync(file).mode & 0o777).toBe(0o600)
    for (const each of [join(folder, 'log'), recordings]) expect(statSync(each).mode & 0o777).toBe(0o700)
  })
})

describe('a command that tells of the configuration', () => {
  it.each([
    ['check', '--explain', '--config', configFile],
    ['check', '--json', '--config', configFile],
    ['models', '--config', configFile],
    ['doctor', '--config', configFile, '--model', 'openai-chat.refusing'],
    ['chat', '--config', configFile, '--model', 'openai-chat.refusing', '-p', 'hello'],
    ['serve', '--config', configFile, '--port', 'none'],
  ])('shows no secret: %s %s', async (...args) => {
    const state = join(folder, 'state')
    const { stdout, stderr } = await dragoman(args, { env: { ...env, HOME: folder, XDG_STATE_HOME: state } })
    expect(stdout + stderr).not.toBe('')
    expectNone(args[0] ?? '', stdout + stderr)
    if (!existsSync(state)) return
    for (const name of readdirSync(state, { recursive: true, encoding: 'utf8' })) {
      const path = join(state, name)
      const { mode } = statSync(path)
      expect(mode & 0o077, path).toBe(0)
      if (statSync(path).isFile()) expectNone(path, readFileSync(path, 'utf8'))
    }
  })
})

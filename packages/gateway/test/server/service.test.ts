import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import type { GatewayConfig } from '../../src/config/config.ts'
import { startSimulator } from '../../src/cli/built-in-simulator.ts'
import { createMetrics } from '../../src/observe/metrics.ts'
import { type Service, startService } from '../../src/server/service.ts'
import { ask, inTurn, paths, post, readAnswer, weatherRequest } from './ask.ts'
import { configFor } from './running-gateway.ts'
import { chunk, completion, json, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

const services: Service[] = []

afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.drain()))
  stopUpstreams()
})

interface Setup {
  readonly service: Service
  /** A configuration like the one it started with, but for these settings. */
  readonly with: (settings: Readonly<Record<string, unknown>>) => Promise<GatewayConfig>
}

async function start(
  upstream: string,
  settings: Readonly<Record<string, unknown>> = {},
  env: Readonly<Record<string, string>> = {},
): Promise<Setup> {
  const quiet = { log: { level: 'error' }, listen: { port: 0 } }
  const configWith = (more: Readonly<Record<string, unknown>>): Promise<GatewayConfig> =>
    configFor({ upstream, env, settings: { ...quiet, ...more } })
  const service = await startService(await configWith(settings), {
    metrics: createMetrics('0.0.0'),
    now: () => performance.now(),
    isTerminal: false,
    workers: 1,
    startSimulator,
  })
  services.push(service)
  return { service, with: configWith }
}

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'dragoman-'))
}

async function countIn(dir: string): Promise<number> {
  return (await readdir(dir).catch(() => [])).length
}

async function linesIn(file: string): Promise<number> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return text.split('\n').filter((line) => line !== '').length
}

const answering = () => startUpstream((response) => json(response, 200, completion('hello')))

describe('a gateway that reads its configuration again', () => {
  it('begins to record, records elsewhere, and ceases to', async () => {
    const { url } = await answering()
    const { service, with: config } = await start(url)
    const [first, second] = [join(await folder(), 'a', 'b'), await folder()]
    const ask1 = () => ask(service.address, 'openai', { stream: false })
    await ask1()
    service.reconfigure(await config({ record: { dir: first } }))
    await ask1()
    await expect.poll(() => countIn(first), { timeout: 3000 }).toBe(1)
    expect((await stat(first)).mode & 0o777).toBe(0o700)
    service.reconfigure(await config({ record: { dir: second } }))
    await ask1()
    await expect.poll(() => countIn(second), { timeout: 3000 }).toBe(1)
    service.reconfigure(await config({}))
    await ask1()
    await service.drain()
    expect([await countIn(first), await countIn(second)]).toEqual([1, 1])
  })

  it('keeps recording an exchange that has begun where it began', async () => {
    let finish: (() => void) | undefined
    const { url } = await startUpstream((response) => {
      sse(response, chunk({ content: 'begun' }))
      finish = () => {
        sse(response, chunk({}, 'stop'), '[DONE]')
        response.end()
      }
    })
    const dir = await folder()
    const { service, with: config } = await start(url, { record: { dir } })
    const running = await post(service.address, paths.openai, weatherRequest('openai'))
    await until(() => finish !== undefined, 2000)
    service.reconfigure(await config({}))
    finish?.()
    expect(await readAnswer(running)).toMatchObject({ text: 'begun', isMarkedDone: true })
    await service.drain()
    expect(await readdir(dir)).toHaveLength(1)
  })

  it('logs to another file, and at another level', async () => {
    const { url } = await answering()
    const dir = await folder()
    const [first, second] = [join(dir, 'first.log'), join(dir, 'second.log')]
    const { service, with: config } = await start(url, { log: { level: 'warn', file: first } })
    await ask(service.address, 'openai', { stream: false })
    service.reconfigure(await config({ log: { level: 'info', file: first } }))
    await ask(service.address, 'openai', { stream: false })
    await expect.poll(() => linesIn(first), { timeout: 3000 }).toBe(1)
    service.reconfigure(await config({ log: { level: 'info', file: second } }))
    await ask(service.address, 'openai', { stream: false })
    await expect.poll(() => linesIn(second), { timeout: 3000 }).toBe(1)
    expect(await linesIn(first)).toBe(1)
    expect((await stat(second)).mode & 0o777).toBe(0o600)
  })

  it('follows the limit of wrong keys', async () => {
    const { url } = await answering()
    const keys = [
      { name: 'a', sha256: createHash('sha256').update('some-key-or-other-of-ours').digest('hex') },
    ]
    const { service, with: config } = await start(url, { keys, limits: { authFailuresPerMinute: 2 } })
    const statuses: number[] = []
    const tryKeys = () =>
      inTurn([1, 2, 3], async () => {
        const headers = { authorization: 'Bearer wrong' }
        statuses.push((await fetch(`${service.address}/v1/models`, { headers })).status)
      })
    await tryKeys()
    service.reconfigure(await config({ keys, limits: { authFailuresPerMinute: 4 } }))
    await tryKeys()
    expect(statuses).toEqual([401, 401, 429, 401, 401, 429])
  })

  it('follows the time-outs of clients', async () => {
    const { url } = await answering()
    const { service, with: config } = await start(url)
    service.reconfigure(await config({ timeouts: { clientHeaders: '50ms', clientBody: '50ms' } }))
    const stuck = new ReadableStream({ start: (sending) => sending.enqueue(Buffer.from('{')) })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body: stuck, duplex: 'half' } as const
    const response = await fetch(`${service.address}/v1/messages`, init).catch(() => null)
    expect(response?.status ?? 408).toBe(408)
  })

  it('goes by the address on which it listens, whatever the new one is', async () => {
    const { url } = await answering()
    const { service, with: config } = await start(url)
    const keys = [{ name: 'a', sha256: '0'.repeat(64) }]
    service.reconfigure(await config({ keys, listen: { host: '0.0.0.0', port: 1 } }))
    expect((await fetch(`${service.address}/health`)).status).toBe(200)
  })
})

describe('a gateway whose disk is full', () => {
  it('serves on, and counts the lines and recordings that are lost', async () => {
    const { url } = await answering()
    const { service } = await start(url, {
      log: { level: 'info', file: '/dev/full' },
      record: { dir: '/dev/full/recordings' },
    })
    await inTurn([1, 2, 3], async () => {
      expect((await ask(service.address, 'openai', { stream: false })).status).toBe(200)
    })
    const dropped = async (sink: string) => {
      const metrics = await (await fetch(`${service.address}/metrics`)).text()
      return Number(
        new RegExp(`^dragoman_dropped_total\\{sink="${sink}"\\} (\\d+)$`, 'm').exec(metrics)?.[1] ?? 0,
      )
    }
    // A line for each request, and one that says that nothing is recorded.
    await expect.poll(() => dropped('log'), { timeout: 3000 }).toBe(4)
    await expect.poll(() => dropped('record'), { timeout: 3000 }).toBe(3)
  })
})

describe('a key of clients that the environment holds', () => {
  it('is taken out of recordings, in whatever form a text repeats it', async () => {
    const key = 'canary/of+a?client=0123456789'
    const forms = [key, encodeURIComponent(key), Buffer.from(key).toString('base64').replace(/=+$/, '')]
    const { url } = await startUpstream((response) => json(response, 200, completion(forms.join(' '))))
    const dir = await folder()
    const { service } = await start(url, { record: { dir } }, { DRAGOMAN_API_KEY: key })
    const messages = [{ role: 'user', content: `My keys are ${forms.join(' and ')}.` }]
    const headers = { authorization: `Bearer ${key}` }
    const answer = await ask(service.address, 'anthropic', { stream: false, messages }, { headers })
    expect(answer.status).toBe(200)
    await expect.poll(() => countIn(dir), { timeout: 2000 }).toBe(1)
    const [name] = await readdir(dir)
    const text = await readFile(join(dir, name ?? ''), 'utf8')
    expect(text).toContain('My keys are [redacted] and [redacted] and [redacted]')
    for (const form of forms) expect(text).not.toContain(form)
  })
})

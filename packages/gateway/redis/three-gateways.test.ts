import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { dragoman } from '../test/cli/run-cli.ts'
import { type RunningProgram, startProgram, stopPrograms } from '../test/cli/running-program.ts'
import { keyFor, shows } from '../test/quotas/keys-and-digests.ts'
import { completion, json, startUpstream, stopUpstreams } from '../test/server/scripted-upstream.ts'
import { startRedis, stopRedis } from './redis-server.ts'

const folders: string[] = []

afterEach(async () => {
  stopPrograms()
  stopUpstreams()
  await stopRedis()
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

async function fileWith(settings: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-redis-'))
  folders.push(folder)
  const file = join(folder, 'dragoman.yaml')
  await writeFile(file, JSON.stringify(settings), { mode: 0o600 })
  return file
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 })

/** Asks a gateway once, and resolves to the status. */
function ask(address: string): Promise<number> {
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
  return new Promise((resolve, fail) => {
    request(
      `${address}/v1/chat/completions`,
      { method: 'POST', agent, headers: { 'content-type': 'application/json', ...shows('ada') } },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
      .on('error', fail)
      .end(body)
  })
}

async function isBack(gateway: RunningProgram): Promise<boolean> {
  await ask(gateway.address)
  return gateway.stderr().includes('the store is back')
}

async function threeGateways(settings: object): Promise<{ file: string; gateways: RunningProgram[] }> {
  const { url } = await startUpstream((response) => json(response, 200, completion('Hello')))
  const upstreams = { lab: { url, kind: 'other' } }
  const models = [{ match: '*', upstream: 'lab' }]
  const file = await fileWith({ upstreams, models, log: { level: 'warn' }, ...settings })
  const start = () => startProgram(['--config', file, '--port', '0'])
  return { file, gateways: await Promise.all([start(), start(), start()]) }
}

it('three gateways under one limit of 600 requests a minute let 600 through, and count them once', async () => {
  const redis = await startRedis()
  const { file, gateways } = await threeGateways({
    keys: [keyFor('ada', { limits: { requestsPerMinute: 600 } })],
    prices: { m: { input: 1, output: 2 } },
    store: redis.url,
  })
  const began = performance.now()
  const statuses = await Promise.all(
    Array.from({ length: 1500 }, (_, at) => ask(gateways[at % 3]?.address ?? '')),
  )
  // Within the minute, all of them are of one window.
  expect(performance.now() - began).toBeLessThan(55_000)
  const passed = statuses.filter((status) => status === 200).length
  expect(passed).toBeGreaterThanOrEqual(594)
  expect(passed).toBeLessThanOrEqual(606)
  expect(statuses.filter((status) => status === 429)).toHaveLength(1500 - passed)
  await expect
    .poll(async () => (await dragoman(['usage', '--config', file, '--by', 'key', '--csv'])).stdout, {
      timeout: 10_000,
    })
    .toBe(
      `key,requests,input,cached,output,reasoning,usd,problems,failures\nada,${passed},${3 * passed},0,${2 * passed},0,${(7 * passed) / 1_000_000},0,0\n`,
    )
})

it('while Redis is gone requests are served, and are counted together again when it is back', async () => {
  const redis = await startRedis()
  const { gateways } = await threeGateways({
    keys: [keyFor('ada', { limits: { requestsPerMinute: 30 } })],
    store: redis.url,
  })
  const askAll = (count: number): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, (_, at) => ask(gateways[at % 3]?.address ?? '')))
  expect((await askAll(3)).every((status) => status === 200)).toBe(true)
  await redis.stop()
  // Each process counts for itself now, and has seen none of these before.
  expect((await askAll(60)).filter((status) => status === 200)).toHaveLength(60)
  await redis.start()
  await expect
    .poll(() => gateways.every(({ stderr }) => stderr().includes('the store is gone')), { timeout: 5000 })
    .toBe(true)
  await expect
    .poll(async () => (await Promise.all(gateways.map(isBack))).every(Boolean), {
      timeout: 10_000,
      interval: 300,
    })
    .toBe(true)
  // Redis began with nothing. The sixty that were let through without it are of this minute all the same.
  expect(new Set(await askAll(90))).toEqual(new Set([429]))
})

it('several workers share a store', async () => {
  const redis = await startRedis()
  const { url } = await startUpstream((response) => json(response, 200, completion('Hello')))
  const file = await fileWith({
    upstreams: { lab: { url, kind: 'other' } },
    models: [{ match: '*', upstream: 'lab' }],
    keys: [keyFor('ada', { limits: { requestsPerMinute: 20 } })],
    store: redis.url,
  })
  const { address } = await startProgram(['--config', file, '--port', '0', '--workers', '2'])
  const statuses = await Promise.all(Array.from({ length: 60 }, () => ask(address)))
  expect(statuses.filter((status) => status === 200)).toHaveLength(20)
})

import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { keyFor, shows } from '../quotas/keys-and-digests.ts'
import { post } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'
import { dragoman } from './in-process.ts'

const folders: string[] = []

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })))
})

async function fileWith(settings: object): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-usage-'))
  folders.push(folder)
  const file = join(folder, 'dragoman.yaml')
  await writeFile(file, JSON.stringify(settings), { mode: 0o600 })
  return file
}

const keys = [keyFor('ada'), keyFor('bob')]
const today = (): string => new Date().toISOString().slice(0, 10)

/** A gateway that ada asked twice for one model, and bob once for another. */
async function usedGateway(more: object = {}): Promise<{ file: string; port: number }> {
  const { url } = await startUpstream((response, nth) =>
    json(response, 200, {
      ...completion('Hello'),
      usage: {
        prompt_tokens: 1000 * nth,
        completion_tokens: 10,
        prompt_tokens_details: { cached_tokens: 500 },
        completion_tokens_details: { reasoning_tokens: 4 },
      },
    }),
  )
  const settings = {
    ...more,
    keys,
    store: 'memory',
    prices: { large: { input: 2, cacheRead: 1, output: 10 } },
  }
  const { address, lines } = await startGateway({ upstream: url, settings })
  const asked = [
    ['ada', 'large'],
    ['ada', 'large'],
    ['bob', '=small'],
  ] as const
  for (const [key, model] of asked) {
    const body = { model, messages: [{ role: 'user', content: 'Hi' }] }
    const local = address.replace('0.0.0.0', 'localhost')
    await (await post(local, '/v1/chat/completions', body, { headers: shows(key) })).text()
  }
  await until(() => lines.filter(({ msg }) => msg === 'request').length === 3)
  return { file: await fileWith({ ...more, keys, store: 'memory' }), port: Number(new URL(address).port) }
}

describe('dragoman usage', () => {
  it('tells by key what was used, from a gateway that counts in memory', async () => {
    const { file, port } = await usedGateway()
    const args = ['usage', '--config', file, '--port', String(port)]
    const env = { DRAGOMAN_API_KEY: '', KEY_OF_BOB: 'the-key-of-bob' }
    const table = await dragoman([...args, '--key-env', 'KEY_OF_BOB', '--by', 'key'], { env })
    expect({ code: table.code, stderr: table.stderr }).toEqual({ code: 0, stderr: '' })
    expect(table.stdout.split('\n').map((line) => line.split(/ +/))).toEqual([
      ['key', 'requests', 'input', 'cached', 'output', 'reasoning', 'usd', 'problems', 'failures'],
      ['ada', '2', '3,000', '1,000', '20', '8', '0.0052', '0', '0'],
      ['bob', '1', '3,000', '500', '10', '4', '0', '0', '0'],
      [''],
    ])
    const data = await dragoman([...args, '--key-env', 'KEY_OF_BOB', '--json'], { env })
    expect(JSON.parse(data.stdout)).toMatchObject({
      usage: [
        { day: today(), key: 'ada', model: 'large', upstream: 'lab', requests: 2, input: 3000, usd: 0.0052 },
        { day: today(), key: 'bob', model: '=small', requests: 1 },
      ],
    })
    const csv = await dragoman([...args, '--key-env', 'KEY_OF_BOB', '--csv', '--by', 'model'], { env })
    expect(csv.stdout).toBe(
      "model,requests,input,cached,output,reasoning,usd,problems,failures\nlarge,2,3000,1000,20,8,0.0052,0,0\n'=small,1,3000,500,10,4,0,0,0\n",
    )
    const none = await dragoman([...args, '--key-env', 'KEY_OF_BOB', '--since', '2999-01-01'], { env })
    expect(none.stdout).toBe('Nothing was used since 2999-01-01.\n')
    const keyless = await dragoman(args)
    expect([keyless.code, keyless.stderr]).toEqual([1, expect.stringContaining('wants a key')])
  })

  it('finds a gateway that answers only under names that this machine need not know', async () => {
    const listen = { host: '0.0.0.0', allowedHosts: ['gateway.example', 'localhost'] }
    const { file, port } = await usedGateway({ listen })
    const env = { DRAGOMAN_API_KEY: '', KEY_OF_BOB: 'the-key-of-bob' }
    const where = ['--config', file, '--port', String(port)]
    const told = await dragoman(['usage', ...where, '--key-env', 'KEY_OF_BOB', '--by', 'key'], { env })
    expect({ code: told.code, stderr: told.stderr }).toEqual({ code: 0, stderr: '' })
    expect(told.stdout).toContain('ada')
  })

  it('says what is missing', async () => {
    const uncounted = await dragoman(['usage', '--config', await fileWith({})])
    expect([uncounted.code, uncounted.stderr]).toEqual([1, expect.stringContaining('usage is not counted')])
    const file = await fileWith({ store: 'memory' })
    const alone = await dragoman(['usage', '--config', file, '--port', '1'])
    expect([alone.code, alone.stderr]).toEqual([1, expect.stringContaining('no gateway answers')])
    const span = await dragoman(['usage', '--config', file, '--since', 'ever'])
    expect([span.code, span.stderr]).toEqual([2, expect.stringContaining('--since must be a span')])
  })

  it('in memory, several workers would each count for themselves: that is refused', async () => {
    const file = await fileWith({ keys: [keyFor('ada', { limits: { requestsPerMinute: 1 } })] })
    for (const command of ['serve', 'check']) {
      const { code, stderr } = await dragoman([command, '--config', file, '--workers', '2', '--port', '0'])
      expect([code, stderr]).toEqual([1, expect.stringContaining('name a store that they share')])
    }
  })

  it('a store that cannot be reached is told with its place', async () => {
    const closed = await fileWith({ store: 'redis://127.0.0.1:1/0', storeFailure: 'closed' })
    for (const command of ['serve', 'check']) {
      const { code, stderr } = await dragoman([command, '--config', closed, '--port', '0'])
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(
          /dragoman\.yaml:1:10: store: the store at 127\.0\.0\.1:1 cannot be reached: .+ Start it, or/,
        ),
      ])
    }
    const open = await fileWith({ store: 'redis://127.0.0.1:1/0' })
    const warned = await dragoman(['check', '--config', open])
    expect([warned.code, warned.stderr]).toEqual([
      0,
      expect.stringContaining('each process counts for itself'),
    ])
    const offline = await dragoman(['check', '--config', closed, '--offline'])
    expect(offline.code).toBe(0)
  })
})

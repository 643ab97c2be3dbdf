import crypto, { createHash } from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import { requests } from '../../faults/dialects.ts'
import { post } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'

const names = ['first', 'second', 'third', 'fourth']
const keyOf = (name: string): string => `the-key-of-${name}-which-is-long-enough`
const keys = names.map((name) => ({
  name,
  sha256: createHash('sha256').update(keyOf(name)).digest('hex'),
}))

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Comparison {
  readonly left: string
  readonly right: string
}

/** What was compared in constant time meanwhile. Code that compares in any other way is not seen here. */
async function comparisonsDuring(run: () => Promise<unknown>): Promise<readonly Comparison[]> {
  const compared: Comparison[] = []
  const { timingSafeEqual } = crypto
  crypto.timingSafeEqual = (left, right) => {
    compared.push({ left: hexOf(left), right: hexOf(right) })
    return timingSafeEqual(left, right)
  }
  syncBuiltinESMExports()
  try {
    await run()
  } finally {
    crypto.timingSafeEqual = timingSafeEqual
    syncBuiltinESMExports()
  }
  return compared
}

function hexOf(bytes: NodeJS.ArrayBufferView | ArrayBuffer): string {
  const view = ArrayBuffer.isView(bytes) ? bytes : new Uint8Array(bytes)
  return Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString('hex')
}

async function started() {
  const upstream = await startUpstream((response) => json(response, 200, { data: [] }))
  return startGateway({ upstream: upstream.url, settings: { keys, limits: { authFailuresPerMinute: 1000 } } })
}

describe('a key', () => {
  // How long a comparison takes cannot be measured reliably. What is compared, and how, can be seen.
  it.each([...names.map(keyOf), 'nobody-has-this-key-of-some-length', 'x', 'y'.repeat(5000)])(
    'is compared with every key of ours in constant time, by digests: %.40s',
    async (shown) => {
      const { address } = await started()
      const compared = await comparisonsDuring(() =>
        fetch(`${address}/v1/models`, { headers: { authorization: `Bearer ${shown}` } }),
      )
      const digest = createHash('sha256').update(shown).digest('hex')
      expect(compared).toEqual(keys.map(({ sha256 }) => ({ left: digest, right: sha256 })))
    },
  )

  it('that is shown beside others is found, and all of them are compared with all of ours', async () => {
    const { address } = await started()
    const headers = { authorization: `Bearer ${keyOf('first')}`, 'x-api-key': 'somebody-else' }
    const compared = await comparisonsDuring(async () => {
      expect((await fetch(`${address}/v1/models`, { headers })).status).toBe(200)
    })
    expect(compared).toHaveLength(2 * keys.length)
  })

  it.each(dialectIds)('that is refused is told nothing about itself, in %s', async (client) => {
    const gateway = await started()
    const { path, body } = requests[client]('m', 'stream')
    const shown: readonly Record<string, string>[] = [
      {},
      { authorization: 'Bearer canary-of-a-wrong-key-which-is-long' },
      { authorization: `Bearer ${keyOf('first').slice(0, -1)}` },
      { authorization: `Bearer ${keys[0]?.sha256 ?? ''}` },
      { authorization: `Basic ${keyOf('first')}` },
      { authorization: keyOf('first') },
      { 'x-api-key': 'canary' },
      { cookie: `key=${keyOf('first')}` },
    ]
    const told = new Set<string>()
    for (const headers of shown) {
      const reply = await post(gateway.address, path, String(body), { headers })
      expect(reply.status).toBe(401)
      expect(reply.headers.get('www-authenticate')).toBeNull()
      told.add((await reply.text()).replaceAll(reply.headers.get('x-request-id') ?? '-', 'ID'))
    }
    expect([...told]).toHaveLength(1)
    expect([...told].join('')).not.toMatch(/canary|the-key-of/)
    expect(JSON.stringify(gateway.lines)).not.toMatch(/canary|the-key-of/)
  })
})

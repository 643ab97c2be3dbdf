import { dialectIds } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { requests } from '../../faults/dialects.ts'
import { askRaw, type RawRequest } from '../../faults/raw-client.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  completion,
  json,
  type ScriptedUpstream,
  startUpstream,
  stopUpstreams,
} from '../server/scripted-upstream.ts'

// What a page in the browser of a developer can do, on a laptop where no key is needed. Each of these ways is closed by
// more than one check; here nothing is asserted but that no page gets anything, and that the upstream is not asked.

let upstream: ScriptedUpstream
let gateway: RunningGateway
let port = 0

beforeAll(async () => {
  upstream = await startUpstream((response) => json(response, 200, completion('Sunny.')))
  gateway = await startGateway({ upstream: upstream.url })
  port = Number(new URL(gateway.address).port)
})

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const page = 'https://evil.example'

/** What browsers send, by what the page does. */
const attacks: readonly { page: string; change: (request: RawRequest) => RawRequest }[] = [
  {
    page: 'points a name of its own at this machine, and asks as its own site',
    change: (asked) => withHeaders(asked, { host: `evil.example:${port}`, 'sec-fetch-site': 'same-origin' }),
  },
  {
    page: 'does so, with the origin that browsers add to a POST',
    change: (asked) =>
      withHeaders(asked, { host: `evil.example:${port}`, origin: `http://evil.example:${port}` }),
  },
  {
    page: 'does so with a name that looks like one of ours',
    change: (asked) => withHeaders(asked, { host: `localhost.evil.example:${port}` }),
  },
  {
    page: 'does so with the address of this machine in the network',
    change: (asked) => withHeaders(asked, { host: `192.168.1.5:${port}` }),
  },
  {
    page: 'names the address as one that any interface has',
    change: (asked) => withHeaders(asked, { host: `0.0.0.0:${port}` }),
  },
  {
    page: 'asks across sites',
    change: (asked) => withHeaders(asked, { origin: page, 'sec-fetch-site': 'cross-site' }),
  },
  {
    page: 'asks out of a frame without an origin',
    change: (asked) => withHeaders(asked, { origin: 'null', 'sec-fetch-site': 'cross-site' }),
  },
  {
    page: 'sends a form, for which browsers ask nobody before',
    change: (asked) =>
      withHeaders(asked, { origin: page, 'content-type': 'text/plain', 'sec-fetch-site': 'cross-site' }),
  },
  {
    page: 'sends a form from a browser that tells nothing of the page',
    change: (asked) => withHeaders(asked, { 'content-type': 'text/plain;charset=UTF-8' }),
  },
  {
    page: 'sends a form with a body that looks like JSON',
    change: (asked) => withHeaders(asked, { 'content-type': 'application/x-www-form-urlencoded' }),
  },
  {
    page: 'sends a file without a type',
    change: (asked) => withHeaders(asked, { 'content-type': '' }),
  },
  {
    page: 'is served by another program on this machine',
    change: (asked) => withHeaders(asked, { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }),
  },
  {
    page: 'is an extension',
    change: (asked) => withHeaders(asked, { origin: 'chrome-extension://abcdefgh' }),
  },
  {
    page: 'asks whether it may',
    change: (asked) => ({
      ...withHeaders(asked, {
        origin: page,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
        'access-control-request-private-network': 'true',
      }),
      method: 'OPTIONS',
      body: '',
    }),
  },
]

function withHeaders(asked: RawRequest, headers: Readonly<Record<string, string>>): RawRequest {
  return { ...asked, headers: { ...asked.headers, ...headers } }
}

/** Other ways to write the same route: each must meet the same checks. */
const spellings: readonly ((path: string) => string)[] = [
  (path) => path,
  (path) => path.replace(/^\/v1(?=\/)/, ''),
  (path) => `${path}${path.includes('?') ? '&' : '?'}x=1`,
  (path) => `http://127.0.0.1${path}`,
]

describe.each(dialectIds)('a page that asks for an answer in %s', (client) => {
  it.each(attacks)('and $page gets nothing', async ({ change }) => {
    for (const wants of ['stream', 'whole'] as const) {
      for (const spell of spellings) {
        const asked = requests[client]('m', wants)
        const got = await askRaw(port, change({ ...asked, path: spell(asked.path) }))
        expect(got.status).toBeGreaterThanOrEqual(403)
        expect(got.status).toBeLessThan(500)
        expect(got.head).not.toMatch(/access-control|set-cookie/i)
        expect(got.body).not.toContain('Sunny')
      }
    }
    expect(upstream.requests).toHaveLength(0)
  })
})

describe('a page that only reads', () => {
  it.each(['/v1/models', '/v1beta/models', '/v1/models/m', '/metrics', '/status'])(
    'learns nothing from %s',
    async (path) => {
      const reads = attacks.filter(({ page: does }) => !/form|file|may$/.test(does))
      for (const { change } of reads) {
        const got = await askRaw(port, change({ method: 'GET', path }))
        expect(got.status).toBe(403)
        expect(got.head).not.toMatch(/access-control/i)
      }
      expect(upstream.requests).toHaveLength(0)
    },
  )
})

describe('a program on this machine', () => {
  it.each(dialectIds)(
    'is served in %s, so that the pages above were refused for what they are',
    async (client) => {
      const before = upstream.requests.length
      expect((await askRaw(port, requests[client]('m', 'whole'))).status).toBe(200)
      expect(upstream.requests).toHaveLength(before + 1)
    },
  )
})

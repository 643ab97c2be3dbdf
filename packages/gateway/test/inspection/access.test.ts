import { request as httpRequest } from 'node:http'
import { afterEach, describe, expect, it } from 'vitest'
import { Sessions } from '../../src/inspection/sessions.ts'
import { accepted, refusals } from '../config/fake-world.ts'
import { inspectorAccess } from '../../src/inspection/access.ts'
import { ask, inTurn } from '../server/ask.ts'
import { configFor, startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { ada, client, cookieFor, unlock } from './door.ts'
import { lookAt } from './look.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

async function start(settings: Readonly<Record<string, unknown>> = {}) {
  const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
  return startGateway({ upstream: upstream.url, settings })
}

/** Any headers, also those that `fetch` does not let one set. */
function send(
  address: string,
  path: string,
  headers: Record<string, string>,
  method = 'GET',
): Promise<{ status: number; headers: Record<string, unknown>; body: string }> {
  return new Promise((resolve, reject) => {
    const sending = httpRequest(`${address}${path}`, { method, headers, agent: false }, (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body }))
    })
    sending.on('error', reject).end()
  })
}

const everyPath = [
  '/inspector/',
  '/inspector/api/v1/status',
  '/inspector/api/v1/exchanges',
  '/inspector/api/v1/changes',
]

describe('the page', () => {
  it('comes with a policy that lets no foreign and no inline script run', async () => {
    const { address } = await start()
    const page = await fetch(`${address}/inspector`)
    expect(page.url).toBe(`${address}/inspector/`)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    const script = /src="\.\/([^"]+\.js)"/.exec(await page.text())?.[1] ?? ''
    const file = await fetch(`${address}/inspector/${script}`)
    expect(file.status).toBe(200)
    expect(file.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(file.headers.get('cache-control')).toContain('immutable')
  })

  it.each([
    '/inspector/../package.json',
    '/inspector/..%2f..%2fpackage.json',
    '/inspector/../x',
    '/inspector/nothing.js',
  ])('has no file %s', async (path) => {
    const { address } = await start()
    const { status, body } = await send(address, path, {})
    expect(status).toBe(404)
    expect(body).not.toContain('"version"')
  })
})

describe('another site', () => {
  it('cannot read anything, nor ask again, whatever the configuration allows elsewhere', async () => {
    const origin = 'https://app.example'
    const { address } = await start({ listen: { allowedOrigins: [origin] } })
    await ask(address, 'openai', { stream: false })
    const { id } = await lookAt(address).newest()
    await inTurn([...everyPath, `/inspector/api/v1/exchanges/${id}`], async (path) => {
      const refused = await send(address, path, { origin })
      expect(refused.status).toBe(403)
      expect(Object.keys(refused.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
      expect((await send(address, path, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
      expect((await send(address, path, { 'sec-fetch-site': 'same-site' })).status).toBe(403)
      expect((await send(address, path, { host: 'evil.example' })).status).toBe(403)
    })
    const again = `/inspector/api/v1/exchanges/${id}/again`
    expect((await send(address, again, { origin: 'http://127.0.0.1:1' }, 'POST')).status).toBe(403)
    expect((await send(address, again, { origin, 'content-length': '0' }, 'POST')).status).toBe(403)
    expect((await send(address, again, { origin: 'null' }, 'POST')).status).toBe(403)
    expect((await lookAt(address).list()).exchanges).toHaveLength(1)
    expect((await send(address, again, { origin: address }, 'POST')).status).toBe(200)
  })

  it('may have a link that opens the page, in a window and not in a frame, and nothing else', async () => {
    const { address } = await start()
    const link = {
      'sec-fetch-site': 'cross-site',
      'sec-fetch-mode': 'navigate',
      'sec-fetch-dest': 'document',
    }
    const opened = await send(address, '/inspector/', link)
    expect(opened.status).toBe(200)
    expect(opened.headers['cross-origin-opener-policy']).toBe('same-origin')
    expect((await send(address, '/inspector', { ...link, 'sec-fetch-site': 'same-site' })).status).toBe(308)
    expect((await send(address, '/inspector/', { ...link, 'sec-fetch-dest': 'iframe' })).status).toBe(403)
    expect((await send(address, '/inspector/', { ...link, 'sec-fetch-mode': 'no-cors' })).status).toBe(403)
    expect((await send(address, '/inspector/', { ...link, host: 'evil.example' })).status).toBe(403)
    expect((await send(address, '/inspector/', link, 'POST')).status).toBe(403)
    await inTurn(everyPath.slice(1), async (path) => {
      expect((await send(address, path, link)).status).toBe(403)
    })
  })
})

it('what is only to be read is given to nothing but GET and HEAD', async () => {
  const { address } = await start()
  await ask(address, 'openai', { stream: false })
  const { id } = await lookAt(address).newest()
  const exchange = `/inspector/api/v1/exchanges/${id}`
  const parts = [exchange, `${exchange}/client-request`, `${exchange}/recording`]
  await inTurn([...everyPath.slice(1), ...parts], async (path) => {
    expect((await send(address, path, {}, 'DELETE')).status).toBe(405)
  })
  await inTurn(parts, async (path) => {
    expect((await send(address, path, {}, 'HEAD')).status).toBe(200)
  })
})

describe('behind a key', () => {
  it('nothing but the page itself is given without a session', async () => {
    const { address } = await start({ keys: [client, { ...ada, inspector: true }] })
    await inTurn(['status', 'exchanges', 'changes', 'exchanges/x/client-request'], async (path) => {
      expect((await fetch(`${address}/inspector/api/v1/${path}`)).status).toBe(401)
      const headers = { authorization: 'Bearer the-key-of-ada' }
      expect((await fetch(`${address}/inspector/api/v1/${path}`, { headers })).status).toBe(401)
    })
    expect((await fetch(`${address}/inspector/`)).status).toBe(200)
  })

  it('a key for the inspector begins a session, in a cookie that no script and no other site gets', async () => {
    const { address } = await start({ keys: [client, { ...ada, inspector: true }] })
    const begun = await unlock(address, 'the-key-of-ada', { origin: address })
    expect(begun.status).toBe(204)
    const [cookie = ''] = begun.headers.getSetCookie()
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict; Path=\/inspector; Max-Age=28800$/)
    expect(cookie).not.toContain('the-key-of-ada')
    const look = lookAt(address, { cookie: cookie.split(';', 1)[0] ?? '' })
    expect(await look.status()).toMatchObject({ shows: 'live', mayAskAgain: true })
  })

  it('a key of a client begins none, and after too many wrong ones only a right one is answered otherwise', async () => {
    const { address } = await start({
      keys: [client, { ...ada, inspector: true }],
      limits: { authFailuresPerMinute: 3 },
    })
    const refused = await unlock(address, 'the-key-of-a-client')
    expect(refused.status).toBe(401)
    expect(await refused.json()).toEqual({ error: { message: 'This is no key for the inspector.' } })
    await unlock(address, 'guess one')
    await unlock(address, 'guess two')
    expect((await unlock(address, 'guess three')).status).toBe(429)
    // Others may share the address, and their mistakes are not hers.
    expect((await unlock(address, 'the-key-of-ada')).status).toBe(204)
  })

  it('a session ends when the user ends it, and with its key', async () => {
    const settings = { keys: [client, { ...ada, inspector: true }] }
    const { address, gateway } = await start(settings)
    const [one, two] = [
      await cookieFor(address, 'the-key-of-ada'),
      await cookieFor(address, 'the-key-of-ada'),
    ]
    const session = `${address}/inspector/api/v1/session`
    const ended = await fetch(session, { method: 'DELETE', headers: { cookie: one } })
    expect(ended.headers.getSetCookie()[0]).toContain('Max-Age=0')
    await expect(lookAt(address, { cookie: one }).status()).rejects.toThrow('401')
    const other = { name: 'eve', sha256: client.sha256, inspector: true }
    gateway.reconfigure(await configFor({ upstream: 'http://127.0.0.1:9/v1', settings: { keys: [other] } }))
    await expect(lookAt(address, { cookie: two }).status()).rejects.toThrow('401')
  })

  it('a session ends by itself, and cannot be made up', () => {
    let now = 1_000_000
    const sessions = new Sessions('a secret', () => now)
    const begun = sessions.begin('the-key-of-ada', [ada], '/inspector') ?? ''
    const cookie = begun.split(';', 1)[0] ?? ''
    expect(sessions.isOpen(cookie, [ada])).toBe(true)
    expect(sessions.isOpen(`other=1; ${cookie}`, [ada])).toBe(true)
    expect(sessions.isOpen(cookie.replace(/=\d/, '=9'), [ada])).toBe(false)
    expect(new Sessions('another secret', () => now).isOpen(cookie, [ada])).toBe(false)
    expect(sessions.isOpen(undefined, [ada])).toBe(false)
    now += 8 * 3_600_000
    expect(sessions.isOpen(cookie, [ada])).toBe(false)
  })
})

describe('who may look', () => {
  const key = `{ name: a, sha256: "${'0'.repeat(64)}" }`
  const own = `{ name: b, sha256: "${'1'.repeat(64)}", inspector: true }`
  const elsewhere = 'listen: { host: 0.0.0.0, allowedHosts: [gateway.lan] }'

  it.each([
    ['on a loopback address, everybody on the machine', '', 'open'],
    ['where it is turned off, nobody', 'inspector: { enabled: false }', 'off'],
    ['with keys and none for it, nobody', `keys: [${key}]`, 'off'],
    ['with a key for it, who has one', `keys: [${key}, ${own}]`, 'keyed'],
    [
      'behind a proxy that has a name, nobody without a key',
      'listen: { allowedHosts: [gateway.lan] }',
      'off',
    ],
    ['elsewhere, nobody unless it is turned on', `${elsewhere}\nkeys: [${own}]`, 'off'],
    [
      'elsewhere, who has a key for it',
      `${elsewhere}\nkeys: [${own}]\ninspector: { enabled: true }`,
      'keyed',
    ],
  ])('%s', async (_who, yaml, is) => {
    expect(inspectorAccess(await accepted({ yaml })).is).toBe(is)
  })

  it('a configuration that turns it on for nobody is refused', async () => {
    const yaml = `${elsewhere}\nkeys: [${key}]\ninspector: { enabled: true }`
    expect((await refusals({ yaml })).join('\n')).toContain('one of the keys needs inspector: true')
  })
})

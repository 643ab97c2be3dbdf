// Serves the built page and its API from memory, with the policy that the gateway has to serve it with.
import { createReadStream, existsSync } from 'node:fs'
import { createServer } from 'node:http'
import { extname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { makeExchanges } from './fixture-exchanges.mjs'

const folder = fileURLToPath(new URL('../../gateway/dist/inspector', import.meta.url))

const types = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
}

/** No inline script or style, and no other origin. */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const PART_BYTES = 1_000_000

/** `withApi: false` is a folder on any server. With a `key` the page has to ask for it. */
export async function startFixtureServer({ count = 10_000, withApi = true, port = 0, key = null } = {}) {
  const { summaries, byId } = makeExchanges(count)
  const listeners = new Set()
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost')
    const path = url.pathname.replace(/^\/inspector\//, '')
    if (path === 'api/v1/session' && key !== null) beginSession(request, response)
    else if (path.startsWith('api/v1/') && key !== null && !request.headers.cookie?.includes('session=')) {
      json(response, { error: { message: 'This wants a session.' } }, 401)
    } else if (path.startsWith('api/v1/') && withApi)
      answer(path.slice('api/v1/'.length), url, request, response)
    else serveFile(path === '' ? 'index.html' : path, response)
  })

  function beginSession(request, response) {
    let body = ''
    request.on('data', (chunk) => (body += chunk))
    request.on('end', () => {
      if (JSON.parse(body).key !== key) {
        json(response, { error: { message: 'No key for the inspector.' } }, 401)
        return
      }
      response.writeHead(204, { 'set-cookie': 'session=1; HttpOnly; SameSite=Strict; Path=/inspector' }).end()
    })
  }

  function answer(path, url, request, response) {
    const [what, id = '', stage = ''] = path.split('/').map(decodeURIComponent)
    if (what === 'status') {
      json(response, { version: '0.1.0', instance: null, shows: 'live', mayAskAgain: true, examples: [] })
    } else if (what === 'changes') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      response.write(': hello\n\n')
      listeners.add(response)
      response.on('close', () => listeners.delete(response))
    } else if (what === 'exchanges' && id === '') {
      const from = Number(url.searchParams.get('cursor') ?? 0)
      const limit = Math.min(500, Number(url.searchParams.get('limit') ?? 100))
      const next = from + limit < summaries.length ? String(from + limit) : null
      json(response, { exchanges: summaries.slice(from, from + limit), next })
    } else if (what === 'exchanges' && byId.has(id)) {
      answerExchange(byId.get(id), stage, url, request, response)
    } else {
      json(response, { error: { message: 'No such exchange; it may have been forgotten.' } }, 404)
    }
  }

  function answerExchange(exchange, stage, url, request, response) {
    if (stage === '') json(response, exchange.details)
    else if (stage === 'again' && request.method === 'POST') json(response, { id: addExchange(exchange) })
    else if (stage === 'recording') json(response, { dragomanRecording: 1, ...exchange.details })
    else if (stage in exchange.stages) {
      const chunks = exchange.stages[stage]
      const from = Number(url.searchParams.get('from') ?? 0)
      let to = from
      for (let bytes = 0; to < chunks.length && bytes < PART_BYTES; to++) bytes += chunks[to].text.length
      json(response, { chunks: chunks.slice(from, to), next: to < chunks.length ? to : null })
    } else json(response, { error: { message: 'No such stage.' } }, 404)
  }

  /** A new exchange appears, as if one had been asked. Returns its id. */
  function addExchange(like) {
    const id = `again-${byId.size}`
    const summary = { ...like.details.summary, id, time: new Date().toISOString() }
    byId.set(id, { ...like, details: { ...like.details, summary } })
    summaries.unshift(summary)
    for (const listener of listeners) listener.write(`event: exchange\ndata: ${JSON.stringify(summary)}\n\n`)
    return id
  }

  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${address.port}/inspector/`,
    addExchange: () => addExchange(byId.get('kimi-call')),
    close: () =>
      new Promise((resolve) => {
        for (const listener of listeners) listener.end()
        server.closeAllConnections()
        server.close(resolve)
      }),
  }
}

function json(response, value, status = 200) {
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(value))
}

function serveFile(path, response) {
  const file = join(folder, normalize(`/${path}`))
  if (!existsSync(file)) {
    response.writeHead(404).end()
    return
  }
  response.writeHead(200, {
    'content-type': types[extname(file)] ?? 'application/octet-stream',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
  })
  createReadStream(file).pipe(response)
}

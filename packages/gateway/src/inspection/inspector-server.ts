import type { IncomingMessage, ServerResponse } from 'node:http'
import { BodyBudget } from '../base/body-budget.ts'
import { isObject } from '../base/is-object.ts'
import { readBody } from '../base/read-body.ts'
import { sendJson } from '../base/send.ts'
import { type AskedAgain, stageIds, type Status } from './api-types.ts'
import type { Changes } from './changes.ts'
import type { ExchangeSource, RepeatableRequest, ShownExchange } from './exchange-source.ts'
import { listExchanges } from './list-exchanges.ts'
import { pageHeaders, type PageFiles } from './page-files.ts'

/** What the page and its API are served from. */
export interface InspectorParts {
  readonly files: PageFiles
  readonly source: ExchangeSource
  readonly changes: Changes
  readonly status: Status
  readonly door: Door
  /** Sends a request through the gateway anew; its id. Undefined where there is no gateway. */
  readonly askAgain?: ((request: RepeatableRequest) => string) | undefined
  /** The longest request that is sent anew. */
  readonly mostBytes: number
}

/** Who is let in. */
export interface Door {
  isOpenFor(request: IncomingMessage): boolean
  /** Begins a session with a key: the header of its cookie, or what is wrong with it. */
  unlock(key: string, request: IncomingMessage): { readonly cookie: string } | Refused
  lock(request: IncomingMessage): string
}

export interface Refused {
  readonly status: number
  readonly message: string
}

/** Where the page lies. The path of its cookie is the same, so that no other route of the gateway ever gets it. */
export const inspectorRoot = '/inspector'

const apiRoot = `${inspectorRoot}/api/v1/`

/** Whether a request asks for the page, or for what the page shows. */
export function wantedFrom({ url = '' }: IncomingMessage): 'page' | 'data' {
  const path = url.split('?', 1)[0]
  return path === inspectorRoot || path === `${inspectorRoot}/` ? 'page' : 'data'
}

/** A key has at most so many bytes, and a client so long for it. */
const KEY_LIMITS = { limit: 4096, longest: 10_000 }

/** Answers one request to the page or its API. The caller has checked where the request comes from. */
export async function serveInspector(
  request: IncomingMessage,
  response: ServerResponse,
  parts: InspectorParts,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://inspector')
  if (url.pathname.startsWith(apiRoot)) {
    await new ApiRequest(request, response, parts, url).answer()
    return
  }
  const method = request.method ?? ''
  if (method !== 'GET' && method !== 'HEAD') {
    refuse(response, { status: 405, message: 'The page is there to be read.' }, { allow: 'GET, HEAD' })
  } else if (url.pathname === inspectorRoot) {
    // Every address in the page is relative to the folder.
    response.writeHead(308, { ...pageHeaders, location: `${inspectorRoot}/`, 'content-length': '0' }).end()
  } else if (!url.pathname.startsWith(`${inspectorRoot}/`)) {
    // A path may lead out of the folder.
    refuse(response, noFile)
  } else {
    const name = url.pathname.slice(inspectorRoot.length + 1)
    if (await parts.files.send(name === '' ? 'index.html' : name, method, response)) return
    refuse(response, name === '' ? notBuilt : noFile)
  }
}

const notBuilt: Refused = {
  status: 404,
  message: 'The page is not part of this build: npm run build makes it.',
}
const noFile: Refused = { status: 404, message: 'The page has no such file.' }
const noExchange: Refused = {
  status: 404,
  message: 'No such exchange; it may have been forgotten, or another process has it.',
}
const noPath: Refused = { status: 404, message: 'The API of the inspector has no such path.' }

class ApiRequest {
  private readonly request: IncomingMessage
  private readonly response: ServerResponse
  private readonly parts: InspectorParts
  private readonly url: URL

  constructor(request: IncomingMessage, response: ServerResponse, parts: InspectorParts, url: URL) {
    this.request = request
    this.response = response
    this.parts = parts
    this.url = url
  }

  async answer(): Promise<void> {
    const [what = '', id, part, ...rest] = segmentsOf(this.url.pathname.slice(apiRoot.length))
    const isPlain = id === undefined
    if (what === 'session' && isPlain) {
      await this.session()
      return
    }
    if (!this.parts.door.isOpenFor(this.request)) {
      refuse(this.response, { status: 401, message: 'The inspector is behind a key.' })
      return
    }
    if (what === 'status' && isPlain) this.status()
    else if (what === 'changes' && isPlain) this.changes()
    else if (what === 'exchanges' && isPlain) await this.list()
    else if (what === 'exchanges' && id !== undefined && rest.length === 0) await this.exchange(id, part)
    else refuse(this.response, noPath)
  }

  private async session(): Promise<void> {
    const { request, response, parts } = this
    if (request.method === 'DELETE') {
      response.writeHead(204, { ...noStore, 'set-cookie': parts.door.lock(request) }).end()
      return
    }
    if (request.method !== 'POST') {
      refuse(response, { status: 405, message: 'A session is begun by POST and ended by DELETE.' })
      return
    }
    const body = await readBody(request, { ...KEY_LIMITS, share: new BodyBudget(KEY_LIMITS.limit).open() })
    const key = body.is === 'body' ? keyIn(body.bytes.toString('utf8')) : undefined
    const unlocked =
      key === undefined
        ? { status: 400, message: 'A session is begun with { "key": … }.' }
        : parts.door.unlock(key, request)
    if ('cookie' in unlocked) response.writeHead(204, { ...noStore, 'set-cookie': unlocked.cookie }).end()
    else refuse(response, unlocked)
  }

  private status(): void {
    if (this.isRead()) this.give(this.parts.status)
  }

  private changes(): void {
    if (this.isRead()) this.parts.changes.add(this.response)
  }

  private async list(): Promise<void> {
    if (!this.isRead()) return
    const { searchParams } = this.url
    const limit = numberIn(searchParams.get('limit') ?? '100')
    if (limit === undefined) {
      refuse(this.response, { status: 400, message: 'limit must be a number.' })
      return
    }
    const page = await listExchanges(this.parts.source, searchParams.get('cursor'), limit)
    this.give(page)
  }

  private async exchange(id: string, part: string | undefined): Promise<void> {
    if (part !== 'again' && !this.isRead()) return
    const exchange = await this.parts.source.find(id)
    const stage = stageIds.find((each) => each === part)
    if (exchange === undefined) {
      refuse(this.response, noExchange)
    } else if (part === undefined) {
      this.give(exchange.details())
    } else if (stage !== undefined) {
      const from = numberIn(this.url.searchParams.get('from') ?? '0')
      if (from === undefined) refuse(this.response, { status: 400, message: 'from must be a number.' })
      else this.give(await exchange.stage(stage, from))
    } else if (part === 'recording') {
      await this.download(exchange, id)
    } else if (part === 'again') {
      await this.again(exchange)
    } else {
      refuse(this.response, noPath)
    }
  }

  private async download(exchange: ShownExchange, id: string): Promise<void> {
    const { response } = this
    if (exchange.details().keeps === 'outline') {
      refuse(response, { status: 409, message: 'What was said in this exchange was not kept.' })
      return
    }
    const name = id.replaceAll(/[^\w.-]/g, '_').replace(/\.json$/, '')
    response.writeHead(200, {
      ...noStore,
      'content-type': 'application/json; charset=utf-8',
      'content-disposition': `attachment; filename="${name}.json"`,
    })
    for await (const piece of exchange.recording()) {
      if (response.closed) return
      if (!response.write(piece)) await drained(response)
    }
    response.end()
  }

  private async again(exchange: ShownExchange): Promise<void> {
    const { response, parts } = this
    if (this.request.method !== 'POST') {
      refuse(response, { status: 405, message: 'To ask again is a POST.' }, { allow: 'POST' })
      return
    }
    if (parts.askAgain === undefined) {
      refuse(response, { status: 403, message: 'No gateway is here to ask again.' })
      return
    }
    const request = await exchange.request(parts.mostBytes)
    if (request === undefined) {
      refuse(response, { status: 409, message: 'The request is not here whole, so it cannot be sent again.' })
      return
    }
    const asked: AskedAgain = { id: parts.askAgain(request) }
    this.give(asked)
  }

  /** False for a request that would change something, which is refused. */
  private isRead(): boolean {
    const { method } = this.request
    if (method === 'GET' || method === 'HEAD') return true
    refuse(this.response, { status: 405, message: 'This path is read by GET.' }, { allow: 'GET, HEAD' })
    return false
  }

  private give(value: unknown): void {
    sendJson(this.response, 200, value, noStore)
  }
}

/** Conversations are nothing to be kept on a disk by a browser. */
const noStore = { ...pageHeaders, 'cache-control': 'no-store' }

function refuse(
  response: ServerResponse,
  { status, message }: Refused,
  headers: Readonly<Record<string, string>> = {},
): void {
  if (response.headersSent) response.destroy()
  else sendJson(response, status, { error: { message } }, { ...noStore, ...headers })
}

function segmentsOf(path: string): string[] {
  try {
    return path.split('/').map(decodeURIComponent)
  } catch {
    return ['']
  }
}

function numberIn(text: string): number | undefined {
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined
}

function keyIn(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const key = isObject(value) ? value['key'] : undefined
    return typeof key === 'string' ? key : undefined
  } catch {
    return undefined
  }
}

/** Resolves when the client has taken what was written, or is gone. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

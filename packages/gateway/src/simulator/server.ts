import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type DialectId, dialectIds, dialects } from '@dragoman/core'
import type { HistoryProblem } from './history.ts'
import { ImitatedServer } from './imitated-server.ts'
import type { Said } from './imitation.ts'
import { isAt } from './is-at.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { PrefixCache, type PrefixCounts } from './prefix-cache.ts'
import { promptSize } from './prompt-size.ts'
import { quirksNamed } from './quirks.ts'
import { bodyAskedAt, errorReply, replyInstead, type Reply } from './reply.ts'
import { nodeWorld, play, simulate, type Simulation, type TakeChunk } from './simulate.ts'
import { resolveSettings, type SimulatorSettings } from './settings.ts'
import { writings } from './writings.ts'

/** A scripted model on an endpoint that speaks every dialect. */
export interface Simulator {
  /** Resolves to the base address that clients are given: `http://127.0.0.1:PORT/v1`. */
  listen(port?: number): Promise<string>
  /** Ends everything that still runs. */
  close(): Promise<void>
  /** The base address, once it listens. */
  readonly address: string | undefined
  /** The latest chat requests, oldest first. */
  readonly requests: readonly SimulatedRequest[]
  /** Chat requests that are being answered. */
  readonly openRequests: number
  /** The latest problems in the histories that it was sent. */
  readonly historyProblems: readonly SeenHistoryProblem[]
  /** How many requests went on with a conversation that had been here before. All are 0 where that is not counted. */
  readonly prefixCounts: PrefixCounts
}

interface SimulatedRequest {
  readonly headers: Readonly<IncomingMessage['headers']>
  readonly body: unknown
}

interface SeenHistoryProblem extends HistoryProblem {
  readonly model: string
}

export function createSimulator(settings: SimulatorSettings = {}): Simulator {
  return new HttpSimulator(resolveSettings(settings))
}

const rememberedRequests = 200
const rememberedProblems = 1000
const longestBody = 64 * 1024 * 1024

class HttpSimulator implements Simulator {
  readonly #settings: SimulatorSettings
  readonly #world = nodeWorld()
  readonly #server: Server
  readonly #requests = new BoundedList<SimulatedRequest>(rememberedRequests)
  readonly #problems = new BoundedList<SeenHistoryProblem>(rememberedProblems)
  readonly #prefixes = new PrefixCache()
  readonly #imitated: ImitatedServer | undefined
  #openRequests = 0

  constructor(settings: SimulatorSettings) {
    this.#settings = settings
    this.#imitated = settings.server === undefined ? undefined : new ImitatedServer(settings.server, settings)
    this.#server = createServer((request, response) => {
      this.#handle(request, response).catch((error: unknown) => fail(response, error))
    })
  }

  get requests(): readonly SimulatedRequest[] {
    return this.#requests.items
  }

  get openRequests(): number {
    return this.#openRequests
  }

  get historyProblems(): readonly SeenHistoryProblem[] {
    return this.#problems.items
  }

  get prefixCounts(): PrefixCounts {
    return this.#prefixes.counts
  }

  get address(): string | undefined {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') return undefined
    return `http://${address.address}:${address.port}/v1`
  }

  async listen(port = 0): Promise<string> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    return this.address ?? ''
  }

  async close(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.#server.closeAllConnections()
    await closed
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const given = (request.url ?? '/').replace(/\?.*$/s, '')
    const path = this.#imitated?.pathOf(given) ?? given
    const asked = `${request.method} ${path}`
    const instead = quirksNamed(this.#settings.quirks ?? []).find((quirk) => quirk.instead !== undefined)
    if (instead?.instead !== undefined) return this.#send(replyInstead(instead.instead), response)
    if (this.#imitated?.saysItself(asked) === true) {
      return sendSaid(response, this.#imitated.say(asked, parseJson((await readBody(request)) ?? '')))
    }
    const dialect = dialectIds.find((id) => answersAt(id, asked))
    if (dialect !== undefined) return this.#answer(request, response, dialect, path)
    const counted = countAt(asked)
    if (counted !== undefined) {
      return sendJson(response, 200, counted(parseJson((await readBody(request)) ?? '')))
    }
    const models = modelsAt(asked, request.headers)
    if (models !== undefined) return sendJson(response, 200, models)
    switch (asked) {
      case 'GET /simulator/history-problems':
        return sendJson(response, 200, { data: this.historyProblems })
      case 'GET /simulator/prefixes':
        return sendJson(response, 200, this.prefixCounts)
      default:
        return this.#send(
          errorReply(404, 'invalid_request_error', `The simulator has no ${asked}.`),
          response,
        )
    }
  }

  async #answer(
    request: IncomingMessage,
    response: ServerResponse,
    dialect: DialectId,
    path: string,
  ): Promise<void> {
    this.#openRequests++
    response.once('close', () => this.#openRequests--)
    const text = await readBody(request)
    if (text === undefined) {
      return this.#send(errorReply(413, 'invalid_request_error', 'The body is too long.'), response)
    }
    const came = parseJson(text)
    this.#requests.add({ headers: request.headers, body: came })
    if (this.#settings.prefixes === true) {
      const { is, known, parts } = this.#prefixes.take(came)
      response.setHeader('x-simulation-prefix', `${is} ${known}/${parts}`)
    }
    const body = bodyAskedAt(dialect, path, came)
    const simulation = simulate(dialect, body, this.#settings, takeInto(response), this.#world)
    const name = modelOf(body)
    for (const problem of simulation.reply.historyProblems) this.#problems.add({ model: name, ...problem })
    await finish(simulation, response)
  }

  async #send(reply: Reply, response: ServerResponse): Promise<void> {
    await finish(play(reply, takeInto(response), this.#world), response)
  }
}

async function finish(simulation: Simulation, response: ServerResponse): Promise<void> {
  const { status, contentType } = simulation.reply
  response.once('close', () => simulation.cancel())
  response.writeHead(status, {
    'content-type': contentType,
    'cache-control': 'no-cache',
    'x-simulation': 'dragoman',
  })
  response.flushHeaders()
  const end = await simulation.done
  if (end === 'ended') response.end()
  // Unlike `destroy()`, this lets the bytes that were written before the cut arrive.
  else response.socket?.destroySoon()
}

function takeInto(response: ServerResponse): TakeChunk {
  return (text) => {
    if (response.destroyed || response.write(text)) return undefined
    return new Promise((resolve) => {
      const go = (): void => {
        response.off('drain', go).off('close', go)
        resolve()
      }
      response.on('drain', go).on('close', go)
    })
  }
}

/** Resolves to the body, or to undefined where it is too long. */
async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(piece)) continue
    length += piece.length
    if (length > longestBody) return undefined
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

/** A body that is no JSON becomes undefined; the reply refuses it. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function answersAt(dialect: DialectId, asked: string): boolean {
  const { routes } = dialects[dialect].http
  return routes.some(({ serves, method, path }) => serves === 'answer' && isAt(asked, `${method} ${path}`))
}

/** What counts the tokens of a body, where this is the address for that. */
function countAt(asked: string): ((body: unknown) => object) | undefined {
  const routes = dialectIds.flatMap((id) => dialects[id].http.routes)
  for (const route of routes) {
    if (route.serves !== 'token-count' || !isAt(asked, `${route.method} ${route.path}`)) continue
    return (body) => route.body(promptSize(isJsonObject(body) ? promptIn(body) : {}).prompt)
  }
  return undefined
}

/** Some bodies hold the request that is to be counted. */
function promptIn(body: JsonObject): JsonObject {
  const { generateContentRequest: inner } = body
  return isJsonObject(inner) ? inner : body
}

/** The list of models in the shape of the dialect that is asked there, or that the client is known to speak. */
function modelsAt(asked: string, headers: IncomingMessage['headers']): unknown {
  const path = /^(?:GET|HEAD) (.*)$/.exec(asked)?.[1]
  const known = dialectIds.map((id) => dialects[id].http)
  const own = known.find(({ modelsPath }) => modelsPath !== undefined && modelsPath === path)
  if (own !== undefined) return own.models.list(modelEntries())
  if (path !== '/v1/models') return undefined
  const told = known.find(({ clientHeader }) => clientHeader !== null && headers[clientHeader] !== undefined)
  return told === undefined ? modelList() : told.models.list(modelEntries())
}

function modelEntries(): { readonly id: string }[] {
  return writings.flatMap(({ models }) => models.map((id) => ({ id })))
}

function modelOf(body: unknown): string {
  return typeof body === 'object' && body !== null && 'model' in body ? String(body.model) : ''
}

function modelList(): unknown {
  return {
    object: 'list',
    data: writings.flatMap(({ models, title }) =>
      models.map((id) => ({
        id,
        object: 'model',
        created: 0,
        owned_by: 'dragoman-simulator',
        description: `[simulated] no real model; writes tool calls as ${title}`,
      })),
    ),
  }
}

function sendSaid(response: ServerResponse, { status, body }: Said): void {
  if (typeof body !== 'string') return sendJson(response, status, body)
  response.writeHead(status, { 'content-type': 'text/plain', 'x-simulation': 'dragoman' })
  response.end(body)
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-simulation': 'dragoman' })
  response.end(JSON.stringify(value))
}

/** Ends a response where the client left while it was sending, or the simulator has a bug. */
function fail(response: ServerResponse, error: unknown): void {
  if (response.headersSent || response.destroyed) response.destroy()
  else
    sendJson(response, 500, {
      error: { message: String(error), type: 'server_error', param: null, code: 500 },
    })
}

/** Keeps the items that were added last, so that a simulator that runs for days does not fill the memory. */
class BoundedList<Item> {
  readonly #items: Item[] = []
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get items(): readonly Item[] {
    return this.#items
  }

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length > this.#limit) this.#items.shift()
  }
}

import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** What an upstream does with one request. `asked` tells whether a stream was asked for. */
export type Script = (wire: Wire, asked: 'stream' | 'whole') => unknown

export interface RawUpstream {
  readonly port: number
  /** Requests that came and whose sockets are neither closed nor answered to the end. */
  readonly openRequests: number
  /** How often the model of this name was asked for. */
  countOf(model: string): number
  play(model: string, script: Script): void
  stop(): void
}

/** An upstream that speaks HTTP by hand, so that it can break every rule of it. */
export async function startRawUpstream(): Promise<RawUpstream> {
  const scripts = new Map<string, Script>()
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  const open = new Set<Wire>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Each piece is a packet of its own. Otherwise the system would join pieces, and wait before it does.
    socket.setNoDelay(true)
    let requests = 0
    let held = Buffer.alloc(0)
    const own = new Set<Wire>()
    socket
      .on('error', () => {})
      .on('close', () => {
        sockets.delete(socket)
        for (const wire of own) open.delete(wire)
      })
    socket.on('data', (bytes: Buffer) => {
      held = Buffer.concat([held, bytes])
      const request = wholeRequest(held)
      if (request === null) return
      held = held.subarray(request.length)
      counts.set(request.model, (counts.get(request.model) ?? 0) + 1)
      const wire = new Wire(socket, requests++, () => open.delete(wire))
      open.add(wire)
      own.add(wire)
      const script = scripts.get(request.model)
      if (script === undefined) wire.reset()
      else script(wire, request.asked)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    get openRequests() {
      return open.size
    },
    countOf: (model) => counts.get(model) ?? 0,
    play: (model, script) => scripts.set(model, script),
    stop: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** The connection on which a request came, and how it is answered. */
export class Wire {
  private readonly socket: Socket
  private readonly leave: () => void
  /** How many requests came on the connection before this one. */
  readonly before: number
  private framing: 'chunked' | 'none' = 'none'

  constructor(socket: Socket, before: number, leave: () => void) {
    this.socket = socket
    this.before = before
    this.leave = leave
  }

  /** The same piece again and again, each when the one before was taken. Answers how often it was taken, so far. */
  pour(piece: string, times: number): { taken: number } {
    const count = { taken: 0 }
    const next = (): void => {
      if (count.taken === times || this.socket.destroyed) return
      this.socket.write(`${Buffer.byteLength(piece).toString(16)}\r\n${piece}\r\n`, () => {
        count.taken++
        next()
      })
    }
    next()
    return count
  }

  /** Bytes as they are. */
  raw(bytes: string | Buffer): this {
    if (!this.socket.destroyed) this.socket.write(bytes)
    return this
  }

  /** The head of an answer whose body comes in chunks. */
  stream(status = 200, type = 'text/event-stream'): this {
    this.framing = 'chunked'
    return this.raw(`HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ntransfer-encoding: chunked\r\n\r\n`)
  }

  /** More of the body. */
  send(...pieces: readonly (string | Buffer)[]): this {
    for (const piece of pieces) {
      const bytes = Buffer.from(piece)
      if (this.framing === 'none') this.raw(bytes)
      else
        this.raw(Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]))
    }
    return this
  }

  /** The body ends as it should, and the connection stays. */
  end(): void {
    if (this.framing === 'chunked') this.raw('0\r\n\r\n')
    this.leave()
  }

  /** A whole answer. */
  answer(status: number, type: string, body: string, headers: Readonly<Record<string, string>> = {}): void {
    const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = Buffer.byteLength(body)
    this.raw(
      `HTTP/1.1 ${status} X\r\ncontent-type: ${type}\r\ncontent-length: ${length}\r\n${more.join('')}\r\n${body}`,
    )
    this.leave()
  }

  /** The connection ends in an orderly way, wherever the answer is. */
  close(): void {
    this.socket.end()
  }

  /** The connection is gone at once. */
  reset(): void {
    this.socket.resetAndDestroy()
  }
}

interface WholeRequest {
  readonly length: number
  readonly model: string
  readonly asked: 'stream' | 'whole'
}

function wholeRequest(bytes: Buffer): WholeRequest | null {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return null
  const head = bytes.subarray(0, end).toString('latin1')
  const length = end + 4 + Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  if (bytes.length < length) return null
  const [, path = ''] = head.split(' ', 2)
  const body = bytes.subarray(end + 4, length).toString('utf8')
  const named = /"model":"([^"]*)"/.exec(body)?.[1] ?? /\/models\/([^:?]*):/.exec(path)?.[1] ?? ''
  const asked = path.includes(':streamGenerateContent') || /"stream":true/.test(body) ? 'stream' : 'whole'
  return { length, model: decodeURIComponent(named), asked }
}

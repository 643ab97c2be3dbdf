import { connect, type Socket } from 'node:net'

/** What came back for one request, as it came. */
export interface RawAnswer {
  readonly status: number
  readonly head: string
  readonly body: string
  /** `whole`: the body came to the end that HTTP gives it. `cut`: the connection ended before. */
  readonly end: 'whole' | 'cut'
  readonly milliseconds: number
}

export interface RawRequest {
  readonly method?: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** Asks over a connection of its own, which is closed behind the answer. */
export async function askRaw(port: number, request: RawRequest): Promise<RawAnswer> {
  const began = performance.now()
  const socket = connect(port, '127.0.0.1')
  socket.write(requestBytes(port, request))
  const bytes = await readAnswer(socket)
  socket.destroy()
  return { ...parseAnswer(bytes), milliseconds: performance.now() - began }
}

export function requestBytes(port: number, request: RawRequest): Buffer {
  const { method = 'POST', path, headers = {}, body = '' } = request
  const bytes = Buffer.from(body)
  const fields = {
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    ...headers,
  }
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

/** All bytes until the answer is at its end, or the connection is. */
function readAnswer(socket: Socket): Promise<Buffer> {
  const pieces: Buffer[] = []
  return new Promise((resolve) => {
    const finish = (): void => resolve(Buffer.concat(pieces))
    socket.on('data', (piece: Buffer) => {
      pieces.push(piece)
      if (isAtEnd(Buffer.concat(pieces))) finish()
    })
    socket.on('error', finish).on('close', finish)
  })
}

function isAtEnd(bytes: Buffer): boolean {
  const { end } = parseAnswer(bytes)
  return end === 'whole'
}

/** The first final answer in the bytes; answers that only announce others are passed over. */
export function parseAnswer(bytes: Buffer): Omit<RawAnswer, 'milliseconds'> {
  const end = bytes.indexOf('\r\n\r\n')
  if (end === -1) return { status: 0, head: bytes.toString('latin1'), body: '', end: 'cut' }
  const head = bytes.subarray(0, end).toString('latin1')
  const status = Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0)
  const rest = bytes.subarray(end + 4)
  if (status < 200) return parseAnswer(rest)
  if (/^transfer-encoding: *chunked/im.test(head)) return { status, head, ...unchunked(rest) }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? Number.NaN)
  const body = rest.toString('utf8')
  return { status, head, body, end: rest.length >= length ? 'whole' : 'cut' }
}

function unchunked(bytes: Buffer): { body: string; end: 'whole' | 'cut' } {
  const pieces: Buffer[] = []
  let at = 0
  for (;;) {
    const line = bytes.indexOf('\r\n', at)
    const size = line === -1 ? Number.NaN : Number.parseInt(bytes.subarray(at, line).toString('latin1'), 16)
    if (Number.isNaN(size)) return { body: textOf(pieces), end: 'cut' }
    if (size === 0) return { body: textOf(pieces), end: 'whole' }
    pieces.push(bytes.subarray(line + 2, line + 2 + size))
    at = line + 2 + size + 2
  }
}

function textOf(pieces: readonly Buffer[]): string {
  return Buffer.concat(pieces).toString('utf8')
}

/** What Redis answers to a command. */
export type Reply = string | number | null | RedisError | readonly Reply[]

/** Redis could not carry out a command, and says why. */
export class RedisError extends Error {
  override readonly name = 'RedisError'
}

/** A command as Redis reads it: the number of its words, and each with its length in bytes. */
export function encodeCommand(words: readonly string[]): string {
  const written = words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`)
  return `*${words.length}\r\n${written.join('')}`
}

/** An answer that nobody asked for in this size. */
const MOST_BYTES = 268_435_456

/** Reads replies from the bytes of a connection, wherever these were cut. Throws where they are no replies. */
export class ReplyReader {
  private pieces: Buffer[] = []
  private size = 0
  /** How many bytes there must be before it is worth looking again. */
  private wanted = 1

  push(chunk: Buffer): Reply[] {
    this.pieces.push(chunk)
    this.size += chunk.length
    if (this.size > MOST_BYTES) throw new RedisError('the reply is too long')
    if (this.size < this.wanted) return []
    const bytes = this.pieces.length === 1 ? chunk : Buffer.concat(this.pieces)
    const replies: Reply[] = []
    let at = 0
    for (let read = replyAt(bytes, at); ; read = replyAt(bytes, at)) {
      if (read.is === 'cut') {
        this.keep(bytes.subarray(at), read.until - at)
        return replies
      }
      replies.push(read.reply)
      at = read.end
    }
  }

  /** A long text comes in many pieces. Looking at all of it with each would take the square of its length. */
  private keep(rest: Buffer, wanted: number): void {
    this.pieces = rest.length === 0 ? [] : [rest]
    this.size = rest.length
    this.wanted = wanted
  }
}

type Read =
  | { readonly is: 'read'; readonly reply: Reply; readonly end: number }
  /** `until`: where the bytes have to reach at least, before it can be whole. */
  | { readonly is: 'cut'; readonly until: number }

function replyAt(bytes: Buffer, at: number): Read {
  const lineEnd = bytes.indexOf('\r\n', at)
  if (lineEnd === -1) return { is: 'cut', until: bytes.length + 1 }
  const line = bytes.toString('utf8', at + 1, lineEnd)
  const end = lineEnd + 2
  switch (String.fromCodePoint(bytes[at] ?? 0)) {
    case '+':
      return { is: 'read', reply: line, end }
    case '-':
      return { is: 'read', reply: new RedisError(line), end }
    case ':':
      return { is: 'read', reply: Number(line), end }
    case '$':
      return textAt(bytes, end, Number(line))
    case '*':
      return listAt(bytes, end, Number(line))
    default:
      throw new RedisError('what answers is not Redis')
  }
}

function textAt(bytes: Buffer, at: number, length: number): Read {
  if (length < 0) return { is: 'read', reply: null, end: at }
  const end = at + length + 2
  if (bytes.length < end) return { is: 'cut', until: end }
  return { is: 'read', reply: bytes.toString('utf8', at, at + length), end }
}

function listAt(bytes: Buffer, at: number, length: number): Read {
  if (length < 0) return { is: 'read', reply: null, end: at }
  const reply: Reply[] = []
  let end = at
  while (reply.length < length) {
    const read = replyAt(bytes, end)
    if (read.is === 'cut') return read
    reply.push(read.reply)
    end = read.end
  }
  return { is: 'read', reply, end }
}

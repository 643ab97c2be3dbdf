import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { ClientKey } from '../config/config.ts'

/** How long a session lasts. */
const SESSION_MS = 8 * 3_600_000

const COOKIE = 'dragoman_inspector'

/** The most sessions of which it is remembered that they were ended early. */
const MOST_ENDED = 10_000

/**
 * Sessions of the inspector. A session is a signed text in a cookie that no script can read, so that every process which
 * knows the secret knows the session. It ends by itself, with its key, or when the user ends it.
 */
export class Sessions {
  private readonly secret: string
  private readonly now: () => number
  private readonly ended = new Set<string>()

  /** `now`: the wall clock, in milliseconds. */
  constructor(secret: string, now: () => number) {
    this.secret = secret
    this.now = now
  }

  /** The value of the header that begins a session, or undefined where the key is none of these. */
  begin(given: string, keys: readonly ClientKey[], path: string): string | undefined {
    const digest = createHash('sha256').update(given).digest()
    let found: ClientKey | undefined
    // Every key is compared, even after one has matched: the time that it takes must not tell how many were tried.
    for (const key of keys) if (timingSafeEqual(digest, Buffer.from(key.sha256, 'hex'))) found ??= key
    if (found === undefined) return undefined
    const claim = `${this.now() + SESSION_MS}.${this.sign(`key ${found.sha256}`)}`
    return cookie(`${claim}.${this.sign(claim)}`, path, SESSION_MS / 1000)
  }

  isOpen(header: string | undefined, keys: readonly ClientKey[]): boolean {
    const token = tokenIn(header)
    const [until = '', key = '', signature = '', ...rest] = token.split('.')
    if (rest.length > 0 || !isSame(signature, this.sign(`${until}.${key}`))) return false
    if (!(Number(until) > this.now()) || this.ended.has(token)) return false
    return keys.some(({ sha256 }) => isSame(key, this.sign(`key ${sha256}`)))
  }

  /** The value of the header that ends the session of a request. */
  end(header: string | undefined, path: string): string {
    if (this.ended.size >= MOST_ENDED) this.ended.clear()
    this.ended.add(tokenIn(header))
    return cookie('', path, 0)
  }

  private sign(text: string): string {
    return createHmac('sha256', this.secret).update(text).digest('base64url')
  }
}

function cookie(value: string, path: string, seconds: number): string {
  return `${COOKIE}=${value}; HttpOnly; SameSite=Strict; Path=${path}; Max-Age=${seconds}`
}

function tokenIn(header = ''): string {
  const found = header.split(';').find((part) => part.trim().startsWith(`${COOKIE}=`))
  return found?.trim().slice(COOKIE.length + 1) ?? ''
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

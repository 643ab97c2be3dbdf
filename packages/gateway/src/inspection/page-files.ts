import { readdir, readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { extname, join } from 'node:path'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.LICENSE': 'text/plain; charset=utf-8',
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

/** What every answer of the inspector has: no other page may frame it, load it, or hear where it was left from. */
export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

/** The built page in a folder. Only the files that the folder lists are ever read. */
export class PageFiles {
  private readonly folder: string
  private names: ReadonlySet<string> | undefined
  private readonly files = new Map<string, Buffer>()

  constructor(folder: string) {
    this.folder = folder
  }

  /** Sends a file of the page. False where there is none of this name. */
  async send(name: string, method: string, response: ServerResponse): Promise<boolean> {
    const body = await this.read(name)
    if (body === undefined) return false
    response.writeHead(200, {
      ...pageHeaders,
      'content-type': types[extname(name)] ?? 'application/octet-stream',
      'content-length': body.length,
      // The names of most files change with what they hold.
      'cache-control': /-[\w-]{8}\.\w+$/.test(name) ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    response.end(method === 'HEAD' ? undefined : body)
    return true
  }

  private async read(name: string): Promise<Buffer | undefined> {
    this.names ??= new Set(await readdir(this.folder).catch(() => []))
    if (!this.names.has(name)) return undefined
    const known = this.files.get(name)
    if (known !== undefined) return known
    const body = await readFile(join(this.folder, name)).catch(() => undefined)
    if (body !== undefined) this.files.set(name, body)
    return body
  }
}

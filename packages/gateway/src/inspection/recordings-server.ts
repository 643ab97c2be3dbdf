import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sendJson } from '../base/send.ts'
import { checkPageCaller } from '../security/gatekeeper.ts'
import { createRedactor } from '../security/redact.ts'
import { Changes } from './changes.ts'
import { type Door, inspectorRoot, serveInspector, wantedFrom } from './inspector-server.ts'
import { PageFiles } from './page-files.ts'
import { RecordedExchanges } from './recorded-exchanges.ts'

export interface RecordingsServerOptions {
  /** A folder of recordings, or one. */
  readonly at: string
  readonly version: string
  readonly pageFolder: string
}

/** The inspector for recordings alone: no gateway, no upstream, and nobody but this machine. */
export class RecordingsServer {
  private readonly server: Server
  private readonly changes = new Changes(() => undefined)

  constructor({ at, version, pageFolder }: RecordingsServerOptions) {
    const files = new PageFiles(pageFolder)
    const source = new RecordedExchanges(at, 'any', createRedactor([]))
    const status = {
      version,
      instance: null,
      shows: 'recordings',
      mayAskAgain: false,
      examples: [],
    } as const
    const parts = { files, source, changes: this.changes, status, door: noDoor, mostBytes: 0 }
    this.server = createServer((request, response) => {
      // Without a listener an error on either socket would end the process.
      request.on('error', () => {})
      response.on('error', () => {})
      const policy = { isLoopback: true, port: this.port, allowedHosts: [], allowedOrigins: [] }
      const refused = checkPageCaller(request, policy, wantedFrom(request))
      if (refused !== null) {
        sendJson(response, refused.status ?? 403, { error: { message: refused.failure.message } })
      } else if (isInspector(request.url ?? '/')) {
        serveInspector(request, response, parts).catch(() => response.destroy())
      } else if (request.url === '/') {
        response.writeHead(302, { location: `${inspectorRoot}/` }).end()
      } else {
        sendJson(response, 404, { error: { message: `The page is at ${inspectorRoot}/.` } })
      }
    })
  }

  /** Resolves to the address of the page. */
  async listen(port: number): Promise<string> {
    await new Promise<void>((resolve, fail) => {
      this.server.once('error', fail).listen(port, '127.0.0.1', () => {
        this.server.off('error', fail)
        resolve()
      })
    })
    return `http://127.0.0.1:${this.port}${inspectorRoot}/`
  }

  async close(): Promise<void> {
    this.changes.close()
    await new Promise<void>((resolve) => {
      this.server.close(() => resolve())
      this.server.closeAllConnections()
    })
  }

  private get port(): number {
    const address = this.server.address()
    return typeof address === 'object' && address !== null ? (address satisfies AddressInfo).port : 0
  }
}

const noDoor: Door = {
  isOpenFor: () => true,
  unlock: () => ({ status: 404, message: 'No key is needed here.' }),
  lock: () => '',
}

function isInspector(url: string): boolean {
  const path = url.split('?', 1)[0] ?? ''
  return path === inspectorRoot || path.startsWith(`${inspectorRoot}/`)
}

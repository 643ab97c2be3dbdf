import { CliError } from '../terminal/cli-error.ts'

/** How long whoever has the port may take to say who it is. */
const PROBE_MS = 1000

export interface ListenAddress {
  readonly host: string
  readonly port: number
}

/** Why nothing can listen at an address, and what the user can do about it. */
export async function listenFailure(error: unknown, { host, port }: ListenAddress): Promise<CliError> {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  const reason = error instanceof Error ? error.message : String(error)
  const hint = code === 'EADDRINUSE' ? await portInUse(host, port) : hints.get(String(code))
  return new CliError(1, `cannot listen on ${named(host)}:${port}: ${reason}`, hint, { cause: error })
}

const hints: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'This port needs more rights: take one above 1023, with --port.'],
  ['EADDRNOTAVAIL', 'This machine has no such address: correct --host or listen.host.'],
])

async function portInUse(host: string, port: number): Promise<string> {
  const address = `http://${named(host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)}:${port}`
  const other = `--port ${port < 65_535 ? port + 1 : port - 1} takes another port, --port 0 any free one.`
  return (await isDragoman(address))
    ? `A dragoman answers there already: clients can use ${address}. ${other}`
    : `Another program listens there. ${other}`
}

/** A gateway names the id of each request twice, as the SDKs of its dialects look for it under different names. */
async function isDragoman(address: string): Promise<boolean> {
  try {
    const signal = AbortSignal.timeout(PROBE_MS)
    const { headers } = await fetch(`${address}/health`, { method: 'HEAD', redirect: 'manual', signal })
    const id = headers.get('request-id')
    return id !== null && id === headers.get('x-request-id')
  } catch {
    return false
  }
}

function named(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

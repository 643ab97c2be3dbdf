import { createHash } from 'node:crypto'

export const ada = { name: 'ada', sha256: digest('the-key-of-ada') }
export const client = { name: 'client', sha256: digest('the-key-of-a-client') }

function digest(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

export function unlock(
  address: string,
  key: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(`${address}/inspector/api/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ key }),
  })
}

/** The cookie of a session that was begun with this key. */
export async function cookieFor(address: string, key: string): Promise<string> {
  const [cookie = ''] = (await unlock(address, key)).headers.getSetCookie()
  return cookie.split(';', 1)[0] ?? ''
}

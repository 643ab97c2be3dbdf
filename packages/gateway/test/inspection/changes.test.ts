import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { Changes } from '../../src/inspection/changes.ts'
import { listExchanges } from '../../src/inspection/list-exchanges.ts'
import { LiveExchanges } from '../../src/inspection/live-exchanges.ts'

describe('a page that is open and takes nothing', () => {
  it('is let go, and holds no more than a few megabytes up to then', async () => {
    const live = new LiveExchanges({ bytes: 1e6, now: () => performance.now(), redact: (text) => text })
    const asked = { path: '/v1/messages', query: {} }
    live.open({ requestId: 'r', dialect: 'anthropic-messages', asked, userAgent: undefined }).end(200, 0)
    const [summary] = (await listExchanges(live, null, 1)).exchanges
    if (summary === undefined) throw new Error('nothing is listed')
    const changes = new Changes(() => ({ ...summary, failure: 'x'.repeat(2_000_000) }))
    const server = createServer((_, response) => changes.add(response)).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    if (typeof address !== 'object' || address === null) throw new Error('no port')
    const page = connect(address.port, '127.0.0.1').pause()
    page.on('error', () => {})
    page.write('GET / HTTP/1.1\r\nhost: a\r\n\r\n')
    await once(server, 'request')
    expect(changes.isWatched).toBe(true)
    let told = 0
    for (; changes.isWatched && told < 40; told++) {
      changes.changed('r')
      await pause(120)
    }
    expect(changes.isWatched).toBe(false)
    expect(told).toBeLessThan(40)
    page.destroy()
    changes.close()
    server.close()
    server.closeAllConnections()
  })
})

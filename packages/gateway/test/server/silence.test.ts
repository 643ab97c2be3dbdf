import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects, inTurn } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, json, sse, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

const PING_MS = 40
const settings = { timeouts: { ping: `${PING_MS}ms` } }

/** In short steps: on a machine that stands still for a while one long one would be over without a single ping. */
async function silence(): Promise<void> {
  await inTurn([...Array(30).keys()], () => sleep(10))
}

describe.each(clientDialects)('while the upstream is silent, a client of %s', (dialect) => {
  const signs = dialect === 'anthropic' ? 'pings' : 'comments'

  it('is told in the middle of an answer that we live', async () => {
    let silentFor = 0
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ content: 'Paris' }))
      const begin = performance.now()
      await silence()
      silentFor = performance.now() - begin
      sse(response, chunk({ content: ' is' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({ status: 200, text: 'Paris is', isMarkedDone: true })
    expect(answer[signs]).toBeGreaterThanOrEqual(3)
    expect(answer[signs]).toBeLessThanOrEqual(silentFor / PING_MS + 2)
  })

  it('is told so before the first word, once the upstream has taken the request', async () => {
    const upstream = await startUpstream(async (response) => {
      sse(response)
      await silence()
      sse(response, chunk({ content: 'Paris' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({ status: 200, text: 'Paris', isMarkedDone: true, error: undefined })
    expect(answer[signs]).toBeGreaterThanOrEqual(3)
  })

  it('gets an error event where the first word never comes', async () => {
    const upstream = await startUpstream(async (response) => {
      sse(response)
      await sleep(200)
      response.end()
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect)
    expect(answer).toMatchObject({ status: 200, text: '', isMarkedDone: false })
    expect(answer.error?.type).toBe(dialect === 'anthropic' ? 'api_error' : 'upstream_error')
  })

  it('is told nothing before the upstream has accepted: an error has a status of its own', async () => {
    const upstream = await startUpstream(async (response) => {
      await sleep(200)
      json(response, 400, { error: { message: 'no' } })
    })
    const { address } = await startGateway({ upstream: upstream.url, settings })
    expect(await ask(address, dialect)).toMatchObject({ status: 400, pings: 0, comments: 0 })
  })

  it('waits as long as the upstream sends signs of life', async () => {
    const upstream = await startUpstream(async (response) => {
      sse(response)
      await inTurn([...Array(15).keys()], async () => {
        await sleep(100)
        response.write(': alive\n\n')
      })
      sse(response, chunk({ content: 'Paris' }, 'stop'), '[DONE]')
      response.end()
    })
    const { address } = await startGateway({
      upstream: upstream.url,
      settings: { timeouts: { idle: '300ms' } },
    })
    expect(await ask(address, dialect)).toMatchObject({ status: 200, text: 'Paris', isMarkedDone: true })
  })
})

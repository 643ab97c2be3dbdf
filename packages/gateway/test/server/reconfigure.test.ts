import { afterEach, describe, expect, it } from 'vitest'
import { ask, paths, post, readAnswer, weatherRequest, inTurn } from './ask.ts'
import { configFor, startGateway, stopGateways } from './running-gateway.ts'
import { chunk, completion, json, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

describe('a new configuration', () => {
  it('leaves a running stream alone and holds for the next request', async () => {
    let finish: (() => void) | undefined
    const old = await startUpstream((response) => {
      sse(response, chunk({ content: 'old' }))
      finish = () => {
        sse(response, chunk({ content: ' and whole' }, 'stop'), '[DONE]')
        response.end()
      }
    })
    const next = await startUpstream((response) => json(response, 200, completion('new')))
    const { address, gateway } = await startGateway({ upstream: old.url })
    const running = await post(address, paths.anthropic, weatherRequest('anthropic'))
    gateway.reconfigure(await configFor({ upstream: next.url, settings: { limits: { bodyBytes: 2000 } } }))
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ text: 'new' })
    expect((await ask(address, 'openai', { padding: 'x'.repeat(3000) })).status).toBe(413)
    finish?.()
    expect(await readAnswer(running)).toMatchObject({ text: 'old and whole', isMarkedDone: true })
    expect(old.requests).toHaveLength(1)
  })
})

describe('the limit of requests at once', () => {
  it('turns away what is too much, in the dialect of the client, until there is room again', async () => {
    let isFast = false
    const upstream = await startUpstream((response) => {
      if (isFast) json(response, 200, completion('hi'))
      else sse(response, chunk({ content: 'slow' }))
    })
    const { address, requestLine } = await startGateway({
      upstream: upstream.url,
      settings: { limits: { concurrent: 1 } },
    })
    const leaving = new AbortController()
    const running = await post(address, paths.openai, weatherRequest('openai'), { signal: leaving.signal })
    await inTurn(['anthropic', 'openai'] as const, async (dialect) => {
      const refused = await ask(address, dialect)
      expect(refused).toMatchObject({ status: 503, error: { type: 'overloaded_error' } })
      expect(refused.headers.get('retry-after')).toBe('1')
    })
    expect((await fetch(`${address}/health`)).status).toBe(200)
    expect(upstream.requests).toHaveLength(1)
    leaving.abort()
    await expect(running.text()).rejects.toThrow()
    await until(() => requestLine()?.['how'] === 'left', 500)
    isFast = true
    expect(await ask(address, 'openai', { stream: false })).toMatchObject({ status: 200, text: 'hi' })
  })
})

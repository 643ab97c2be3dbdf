import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { at, inTurn } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { json, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterEach(async () => {
  await stopGateways()
  stopUpstreams()
})

async function listed(address: string, headers: Record<string, string> = {}): Promise<unknown[]> {
  const response = await fetch(`${address}/v1/models`, { headers })
  expect(response.status).toBe(200)
  const data = at(await response.json(), 'data')
  return Array.isArray(data) ? data.map((model: unknown) => at(model, 'id')) : []
}

const models = [
  { match: 'fast', upstream: 'lab', model: 'kimi-k2' },
  { match: 'claude-*', upstream: 'lab', model: 'kimi-k2' },
  { match: 'org/*', upstream: 'lab' },
]
const body = {
  object: 'list',
  data: [{ id: 'org/kimi-k2' }, { id: 'claude-3' }, { id: 'other' }, { id: 7 }, null],
}

describe('the list of models', () => {
  it('has the configured names and, behind a pattern, those of the upstream that reach it', async () => {
    const upstream = await startUpstream((response) => json(response, 200, body))
    const { address } = await startGateway({
      upstream: upstream.url,
      apiKey: 'a-key-for-it',
      settings: { models },
    })
    expect(await listed(address)).toEqual(['fast', 'org/kimi-k2'])
    expect(upstream.requests[0]?.headers['authorization']).toBe('Bearer a-key-for-it')
  })

  it('has the one model that every name leads to', async () => {
    const upstream = await startUpstream((response) => json(response, 404, {}))
    const settings = { models: [{ match: '*', upstream: 'lab', model: 'org/kimi-k2' }] }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    expect(await listed(address)).toEqual(['org/kimi-k2'])
  })

  it('is asked for once, however often a client looks', async () => {
    const upstream = await startUpstream((response) => json(response, 200, body))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    await Promise.all([listed(address), listed(address)])
    await listed(address)
    expect(upstream.requests).toHaveLength(1)
  })

  it('has the shape that the client knows', async () => {
    const upstream = await startUpstream((response) => json(response, 200, body))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    const chat = await fetch(`${address}/v1/models`)
    expect(await chat.json()).toMatchObject({ object: 'list', data: [{ id: 'fast', object: 'model' }, {}] })
    const anthropic = await fetch(`${address}/v1/models`, { headers: { 'anthropic-version': '2023-06-01' } })
    expect(await anthropic.json()).toMatchObject({
      data: [{ type: 'model', id: 'fast', display_name: 'fast' }, {}],
      has_more: false,
      first_id: 'fast',
      last_id: 'org/kimi-k2',
    })
  })

  it.each([
    ['has none', 404, {}],
    ['is broken', 500, 'x'],
    ['has another shape', 200, { models: [] }],
  ] as const)('holds the configured names where the upstream %s', async (_why, status, answer) => {
    const upstream = await startUpstream((response) => json(response, status, answer))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    expect(await listed(address)).toEqual(['fast'])
  })

  it('holds the configured names where nobody listens', async () => {
    const { address } = await startGateway({ upstream: 'http://127.0.0.1:1/v1', settings: { models } })
    expect(await listed(address)).toEqual(['fast'])
  })
})

describe('one model', () => {
  it('is there for the SDKs of both dialects, in their own shape', async () => {
    const upstream = await startUpstream((response) => json(response, 200, body))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'any', maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0 })
    await inTurn(['fast', 'org/kimi-k2', 'claude-opus-9'], async (id) => {
      expect(await openai.models.retrieve(id)).toMatchObject({ id, object: 'model', owned_by: 'dragoman' })
      expect(await anthropic.models.retrieve(id)).toMatchObject({ id, type: 'model', display_name: id })
    })
  })

  it('is a 404 in the shape of the client where there is none of this name', async () => {
    const upstream = await startUpstream((response) => json(response, 200, body))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    const openai = new OpenAI({ baseURL: `${address}/v1`, apiKey: 'any', maxRetries: 0 })
    const anthropic = new Anthropic({ baseURL: address, apiKey: 'any', maxRetries: 0 })
    await inTurn(['slow', 'org/no-such', 'fast/er', '%'], async (id) => {
      await expect(openai.models.retrieve(id)).rejects.toMatchObject({
        status: 404,
        code: 'model_not_found',
        type: 'not_found_error',
      })
      await expect(anthropic.models.retrieve(id)).rejects.toMatchObject({
        status: 404,
        error: { type: 'error', error: { type: 'not_found_error' }, request_id: expect.any(String) },
      })
    })
  })

  it('is there behind a pattern where the upstream does not say what it has', async () => {
    const upstream = await startUpstream((response) => json(response, 404, {}))
    const { address } = await startGateway({ upstream: upstream.url, settings: { models } })
    const found = await fetch(`${address}/models/org/anything?x=1`)
    expect([found.status, at(await found.json(), 'id')]).toEqual([200, 'org/anything'])
    expect((await fetch(`${address}/v1/models/`)).status).toBe(404)
    expect((await fetch(`${address}/v1/models/fast`, { method: 'DELETE' })).status).toBe(405)
    expect((await fetch(`${address}/v1/models/%`)).status).toBe(404)
  })
})

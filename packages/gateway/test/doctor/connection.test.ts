import { once } from 'node:events'
import { createServer as createSecureServer } from 'node:https'
import { createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { certificate, privateKey } from '../server/certificates.ts'
import { chunk, completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { examined, withServer } from './examined.ts'

afterEach(stopUpstreams)

describe('an upstream that cannot be reached', () => {
  it('because nothing listens there', async () => {
    const { finding, works } = await examined({ upstream: 'http://127.0.0.1:1/v1', model: 'm' })
    expect(finding('reach')).toMatchObject({
      status: 'fail',
      seen: '127.0.0.1:1: connection refused, nothing listens there',
    })
    expect(finding('stream')).toMatchObject({ status: 'skipped', blockedBy: 'model' })
    expect(works).toBe(false)
  })

  it('because there is no such host', async () => {
    const { finding } = await examined({ upstream: 'http://no-such-host.invalid/v1', model: 'm' })
    expect(finding('reach').seen).toContain('there is no such name')
  })

  it('because it speaks plain HTTP', async () => {
    await withServer({}, async (url) => {
      const { finding } = await examined({ upstream: url.replace('http:', 'https:'), model: 'm' })
      expect(finding('reach')).toMatchObject({ status: 'fail', advice: 'Write http:// in the address.' })
    })
  })

  it('because it speaks HTTPS', async () => {
    const secure = createSecureServer({ key: privateKey, cert: certificate })
    const upstream = `http://localhost:${await listen(secure)}/v1`
    const { finding } = await examined({ upstream, model: 'm' })
    secure.close()
    expect(finding('reach')).toMatchObject({
      status: 'fail',
      advice: 'If it speaks HTTPS, write https:// in the address.',
    })
  })

  it('because it does not answer in time', async () => {
    const silent = createServer(() => {})
    const upstream = `http://127.0.0.1:${await listen(silent)}/v1`
    const { finding } = await examined({ upstream, model: 'm', timeout: 300 })
    silent.close()
    expect(finding('reach').seen).toContain('did not answer within 300 ms')
  })

  it('because nobody knows who signed its certificate', async () => {
    const secure = createSecureServer({ key: privateKey, cert: certificate })
    const upstream = `https://localhost:${await listen(secure)}/v1`
    const { finding } = await examined({ upstream, model: 'm' })
    secure.close()
    expect(finding('reach')).toMatchObject({ status: 'ok' })
    expect(finding('tls')).toMatchObject({ status: 'fail' })
    expect(finding('tls').advice).toContain('NODE_EXTRA_CA_CERTS')
    expect(finding('key')).toMatchObject({ status: 'skipped', blockedBy: 'tls' })
  })

  it('because it moved', async () => {
    const { url } = await startUpstream((response) =>
      response.writeHead(308, { location: 'https://elsewhere.example/v1/models' }).end(),
    )
    const { finding } = await examined({ upstream: url, model: 'm' })
    expect(finding('reach').seen).toContain('a redirect to https://elsewhere.example/v1/models')
  })
})

describe('an address that is almost right', () => {
  it.each(['/v2', '/v1/models', '/api'])('%s is told what it should be', async (path) => {
    await withServer({ server: 'vllm-0.21' }, async (url) => {
      const upstream = url.replace('/v1', path)
      const { finding, works } = await examined({ upstream, model: 'qwen3' })
      expect(finding('reach')).toMatchObject({
        status: 'fail',
        advice: `Write ${url}, where it lists its models.`,
      })
      expect(finding('reach').seen).toContain(`has nothing at ${path}`)
      expect(works).toBe(false)
    })
  })

  it('is not looked for where answers come without a list of models', async () => {
    const { url } = await startUpstream((response) =>
      response.req.url === '/v1/models'
        ? json(response, 200, { data: [{ id: 'other' }] })
        : response.req.method === 'GET'
          ? json(response, 404, {})
          : json(response, 200, completion('one two three')),
    )
    const { finding } = await examined({ upstream: url.replace('/v1', '/v2'), model: 'm' })
    expect(finding('reach')).toMatchObject({ status: 'ok' })
    expect(finding('model').seen).toContain('the server has no list of models')
  })

  it('is not looked for with the key', async () => {
    const asked = new Map<string, string | undefined>()
    const { url } = await startUpstream((response) => {
      asked.set(response.req.url ?? '', response.req.headers.authorization)
      json(response, 404, {})
    })
    const apiKey = 'k'.repeat(30)
    await examined({ upstream: url.replace('/v1', '/v2'), apiKey, model: 'm' })
    expect(asked.get('/v2/models')).toContain(apiKey)
    expect(asked.has('/v1/models')).toBe(true)
    expect(asked.get('/v1/models')).toBeUndefined()
  })
})

describe('a server that still loads its model', () => {
  it('is left alone after one line', async () => {
    await withServer({ server: 'llama.cpp', loading: 50 }, async (upstream) => {
      const { findings, complaints } = await examined({ upstream, model: 'qwen3' })
      expect(complaints).toEqual(['reach fail'])
      expect(findings[0]).toMatchObject({
        seen: 'the server is still loading its model',
        advice: 'Try again in a while.',
      })
    })
  })
})

describe('the patience of the doctor', () => {
  it('is named where it ends', async () => {
    const { url } = await startUpstream((response) => {
      if (response.req.method === 'GET') json(response, 200, { data: [{ id: 'm', max_model_len: 65_536 }] })
    })
    const { finding } = await examined({ upstream: url, model: 'm', timeout: 300 })
    expect(finding('stream')).toMatchObject({
      status: 'fail',
      seen: 'no answer: nothing came within the 300 ms that the doctor waits (--timeout)',
      advice: 'If the server needs more than 300 ms, say so with --timeout.',
    })
  })

  it('is named where an answer stops in its middle', async () => {
    const { url } = await startUpstream((response) => {
      if (response.req.method === 'GET') {
        json(response, 200, { data: [{ id: 'm', max_model_len: 65_536 }] })
      } else {
        response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(`data: ${JSON.stringify(chunk({ content: 'one' }))}\n\n`)
      }
    })
    const { finding } = await examined({ upstream: url, model: 'm', timeout: 300 })
    expect(finding('stream').seen).toContain('nothing came within the 300 ms that the doctor waits')
  })
})

describe('a key', () => {
  it('that the server repeats in its refusal is not shown', async () => {
    const apiKey = 'canary-key-1234567890'
    const { url } = await startUpstream((response) =>
      json(response, 401, { error: { message: `Incorrect API key provided: ${apiKey}.` } }),
    )
    const { findings, finding } = await examined({ upstream: url, apiKey, model: 'm' })
    expect(finding('key')).toMatchObject({ status: 'fail' })
    expect(finding('key').seen).toContain('the key is refused: Incorrect API key provided')
    expect(JSON.stringify(findings)).not.toContain(apiKey)
  })

  it('that only answers need is asked for at the first answer', async () => {
    const { url } = await startUpstream((response) =>
      response.req.method === 'GET'
        ? json(response, 200, { data: [{ id: 'm' }] })
        : json(response, 401, { error: { message: 'No key.' } }),
    )
    const { finding } = await examined({ upstream: url, model: 'm' })
    expect(finding('key')).toMatchObject({ status: 'ok' })
    expect(finding('stream')).toMatchObject({ status: 'fail', seen: 'a key is needed: No key.' })
  })
})

describe('a server that has too much to do', () => {
  it('is asked once more before anything is said of it', async () => {
    let refusals = 0
    const { url } = await startUpstream((response) => {
      if (response.req.method === 'GET')
        return json(response, 200, { data: [{ id: 'm', max_model_len: 65_536 }] })
      refusals++
      return refusals === 1
        ? json(response, 429, { error: { message: 'Slow down.' } }, { 'retry-after': '0' })
        : json(response, 200, completion('one two three'))
    })
    const { finding } = await examined({ upstream: url, model: 'm' })
    expect(finding('stream')).toMatchObject({ status: 'warn', seen: 'JSON came in place of a stream' })
  })
})

describe('a server whose parser fails', () => {
  it('and tells the call in its error is no obstacle: the gateway reads it there', async () => {
    const written = '<tool_call>\n{"name": "get_weather", "arguments": {"city": "Paris"}}\n</tool_call>'
    const upstream = await startUpstream((response, nth) => {
      const { body } = upstream.requests[nth - 1] ?? { body: '' }
      if (response.req.method === 'GET') return json(response, 200, { data: [{ id: 'qwen3-8b' }] })
      return body.includes('"tools"')
        ? json(response, 500, { error: { message: `Failed to parse input at pos 0: ${written}`, code: 500 } })
        : json(response, 200, completion('one two three'))
    })
    const { finding } = await examined({ upstream: upstream.url, model: 'qwen3-8b' })
    expect(finding('call-streamed')).toMatchObject({ status: 'note' })
    expect(finding('call-streamed').seen).toContain('in the error of the server')
  })

  it('behind a beginning is no obstacle either', async () => {
    await withServer({ server: 'groq', parser: 'broken', quirks: ['no-usage'] }, async (upstream) => {
      const { finding, works } = await examined({ upstream, model: 'kimi-k2' })
      for (const id of ['call-streamed', 'call-whole']) {
        expect(finding(id)).toMatchObject({ status: 'note' })
        expect(finding(id).seen).toContain('the gateway reads it there')
      }
      // Its errors count nothing, which says nothing of the answers that are whole.
      expect(finding('usage').seen).toBe('counted, but not in streams')
      expect(works).toBe(true)
    })
  })

  it('in every way is told what is left to do', async () => {
    const upstream = await startUpstream((response, nth) => {
      if (response.req.method === 'GET')
        return json(response, 200, { data: [{ id: 'm', owned_by: 'sglang' }] })
      const lost = { index: 0, message: { role: 'assistant', content: '' }, finish_reason: 'tool_calls' }
      const { body } = upstream.requests[nth - 1] ?? { body: '' }
      const isCalled = body.includes('get_weather')
      return json(response, 200, isCalled ? { ...completion(''), choices: [lost] } : completion('one'))
    })
    const { finding } = await examined({ upstream: upstream.url, model: 'm' })
    expect(finding('call-streamed')).toMatchObject({ status: 'fail' })
    expect(finding('call-streamed').advice).toContain(
      'With the tools in the prompt (tools: prompt) no call arrived either. What is left: start it with another ' +
        '--tool-call-parser, take a newer version of the server, or another model.',
    )
  })
})

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : 0
}

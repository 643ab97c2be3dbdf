import { describe, expect, it } from 'vitest'
import { geminiHttp } from '../../../src/dialects/gemini/http.ts'

describe('the addresses', () => {
  it('are those of every version and of the cloud, for answers, streams and counts', () => {
    const paths = geminiHttp.routes.map(({ path }) => path)
    for (const version of ['/v1beta', '/v1', '/v1alpha']) {
      for (const method of ['generateContent', 'streamGenerateContent', 'countTokens']) {
        expect(paths).toContain(`${version}/models/{model}:${method}`)
      }
    }
    expect(paths).toContain(
      '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models/{model}:generateContent',
    )
    expect(geminiHttp.routes.every(({ method }) => method === 'POST')).toBe(true)
    const served = geminiHttp.routes.filter(({ serves }) => serves !== 'refusal')
    expect(served.filter(({ path }) => path.includes('embed'))).toEqual([])
  })

  it('of an upstream have the model as it is called, and ask streams for events', () => {
    expect(geminiHttp.upstreamPath('/v1beta', 'gemini-x', false)).toBe(
      '/v1beta/models/gemini-x:generateContent',
    )
    expect(geminiHttp.upstreamPath('/v1beta', 'models/gemini-x', true)).toBe(
      '/v1beta/models/gemini-x:streamGenerateContent?alt=sse',
    )
    expect(geminiHttp.upstreamPath('', 'org/qwen 3:8b', false)).toBe(
      '/models/org/qwen%203:8b:generateContent',
    )
  })
})

describe('keys', () => {
  it('stand in a header or a parameter, beside the one that all dialects take', () => {
    expect([geminiHttp.keyHeaders, geminiHttp.keyParameters]).toEqual([['x-goog-api-key'], ['key']])
    expect(geminiHttp.headers('secret')).toEqual({ 'x-goog-api-key': 'secret' })
    expect(geminiHttp.headers()).toEqual({})
    expect(geminiHttp.upstreamPath('/v1beta', 'm', true)).not.toContain('key')
  })
})

describe('a number of tokens', () => {
  it('is never 0, and is read from the answer of a server', () => {
    const counting = geminiHttp.routes.flatMap((route) => (route.serves === 'token-count' ? [route] : []))
    expect(counting.map(({ body }) => [body(7), body(0)])).toEqual(
      counting.map(() => [{ totalTokens: 7 }, { totalTokens: 1 }]),
    )
    expect(counting[0]?.read({ totalTokens: 7 })).toBe(7)
    expect(counting[0]?.read({})).toBeUndefined()
    expect(counting[0]?.read(null)).toBeUndefined()
  })
})

describe('models', () => {
  it('are listed with their limits, as far as these are known', () => {
    const methods = ['generateContent', 'streamGenerateContent', 'countTokens']
    expect(
      geminiHttp.models.list([{ id: 'kimi', window: 131_072, maxOutput: 4096 }, { id: 'a/b:c' }]),
    ).toEqual({
      models: [
        {
          name: 'models/kimi',
          displayName: 'kimi',
          inputTokenLimit: 131_072,
          outputTokenLimit: 4096,
          supportedGenerationMethods: methods,
        },
        { name: 'models/a/b:c', displayName: 'a/b:c', supportedGenerationMethods: methods },
      ],
    })
  })
})

describe('a sign of life', () => {
  it('is white space: clients take nothing else in front of an event', () => {
    expect(geminiHttp.keepAlive).toBe('\n')
  })
})

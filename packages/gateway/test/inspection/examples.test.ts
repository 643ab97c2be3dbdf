import { describe, expect, it } from 'vitest'
import { examplesFor } from '../../src/inspection/examples.ts'
import { accepted } from '../config/fake-world.ts'

const keys = `keys: [{ name: a, sha256: "${'0'.repeat(64)}" }]`
const lab = 'upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }'

async function modelsTried(yaml: string): Promise<unknown[]> {
  const examples = examplesFor(await accepted({ yaml }))
  return examples.map(({ body }) => {
    const request: unknown = JSON.parse(body)
    return typeof request === 'object' && request !== null && 'model' in request ? request.model : null
  })
}

describe('requests to try', () => {
  it('ask the simulator for a call, and for one that breaks off', async () => {
    expect(await modelsTried('')).toEqual(['kimi-k2', 'kimi-k2+length'])
  })

  it('ask an upstream for a model that the configuration names, and for none where it names none', async () => {
    expect(await modelsTried(`${lab}\nmodels: [{ match: fast, upstream: lab }]`)).toEqual(['fast'])
    expect(await modelsTried(lab)).toEqual([])
  })

  it('have a place for the key where clients need one', async () => {
    const headers = examplesFor(await accepted({ yaml: keys })).map((example) => example.headers)
    expect(headers[0]).toEqual({ authorization: 'Bearer $DRAGOMAN_API_KEY' })
    expect(examplesFor(await accepted({ yaml: '' }))[0]?.headers).toEqual({})
  })
})

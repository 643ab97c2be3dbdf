import { dialectIds, type DialectId } from '@dragoman/core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { call, readers, requests, said, Speech, text } from '../../faults/dialects.ts'
import { post } from '../server/ask.ts'
import { type RunningGateway, startGateway, stopGateways } from '../server/running-gateway.ts'
import {
  type Script,
  type ScriptedUpstream,
  startUpstream,
  stopUpstreams,
} from '../server/scripted-upstream.ts'

// JSON may have keys that mean something to JavaScript. Copied carelessly, `__proto__` changes the object it is copied
// to, and `constructor` every object there is.

const dangerous =
  '"__proto__":{"polluted":"yes","stream":true,"is_error":true},"constructor":{"prototype":{"polluted":"yes"}},' +
  '"prototype":{"polluted":"yes"},"toString":"x","hasOwnProperty":1'

const speeches = dialectIds.map((id) => new Speech(id))
let script: Script = () => {}
let upstream: ScriptedUpstream
const gateways = new Map<DialectId, RunningGateway>()

beforeAll(async () => {
  upstream = await startUpstream((response, nth) => script(response, nth))
  for (const dialect of dialectIds) {
    const url = dialect === 'gemini' ? upstream.url.replace('/v1', '/v1beta') : upstream.url
    gateways.set(dialect, await startGateway({ upstream: url, dialect }))
  }
})

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

afterEach(() => {
  const fresh: object = {}
  expect(Object.keys(Object.prototype)).toEqual([])
  expect(Reflect.get(fresh, 'polluted')).toBeUndefined()
  expect(Reflect.get(() => {}, 'polluted')).toBeUndefined()
  expect(Reflect.get([], 'polluted')).toBeUndefined()
})

/** The same JSON with these keys at the beginning of every object, in a text of its own or in the lines of a stream. */
function everywhere(body: string): string {
  return body.replaceAll(
    /^((?:data: )?)(\{.*\})$/gm,
    (_, field: string, json: string) => field + withKeys(JSON.parse(json)),
  )
}

function withKeys(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(withKeys).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const own = Object.entries(value).map(([key, each]) => `${JSON.stringify(key)}:${withKeys(each)}`)
  return `{${[dangerous, ...own].join(',')}}`
}

/** What a strict reader of the dialect understands of it: where nothing is written anew, the keys are still there. */
function withoutKeys(body: string): string {
  return body.replaceAll(`${dangerous},`, '')
}

const pairings = dialectIds.flatMap((client) => speeches.map((speech) => ({ client, speech })))
const wishes = ['stream', 'whole'] as const

describe.each(pairings)('a client of $client with an upstream of $speech.dialect', ({ client, speech }) => {
  const ask = async (wants: (typeof wishes)[number], change: (body: string) => string) => {
    const { path, body } = requests[client]('m', wants)
    const gateway = gateways.get(speech.dialect)
    const reply = await post(gateway?.address ?? '', path, change(String(body)))
    const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
    const received = {
      status: reply.status,
      is: isStream ? 'stream' : 'whole',
      body: await reply.text(),
    } as const
    return { ...readers[client]({ ...received, body: withoutKeys(received.body) }), body: received.body }
  }

  const answer = (items: Parameters<typeof said>[0], change: (body: string) => string): Script => {
    const whole = said(items)
    return (response) => {
      const asked = upstream.requests.at(-1)
      const isStream = /"stream":true|:streamGenerateContent/.test(`${asked?.path} ${asked?.body}`)
      const body = isStream ? speech.events(whole).map(change).join('') : change(speech.whole(whole))
      response
        .writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
        .end(body)
    }
  }

  it.each(wishes)('is answered where its request has keys of objects themselves: %s', async (wants) => {
    script = answer([text('Sunny.')], (body) => body)
    const view = await ask(wants, everywhere)
    expect(view).toMatchObject({ text: 'Sunny.' })
    // What the client put under `__proto__` has not become a field that the gateway reads.
    const sent = JSON.parse(upstream.requests.at(-1)?.body ?? '')
    expect(Object.hasOwn(sent, 'polluted')).toBe(false)
    if (speech.dialect !== 'gemini') expect(sent.stream === true).toBe(wants === 'stream')
  })

  it.each(wishes)('reads an answer that has such keys everywhere: %s', async (wants) => {
    script = answer([text('Sunny.'), call('get_weather', '{"city":"Paris"}')], everywhere)
    expect(everywhere(speech.whole(said([text('Sunny.')])))).toContain(dangerous)
    const view = await ask(wants, (body) => body)
    expect(view.text).toBe('Sunny.')
    expect(view.calls).toHaveLength(1)
    expect(view.failure).toBeNull()
  })

  it.each(wishes)('gets arguments with such keys as they are: %s', async (wants) => {
    const args = `{"city":"Paris",${dangerous}}`
    script = answer([call('get_weather', args)], (body) => body)
    const view = await ask(wants, (body) => body)
    expect(view.calls).toHaveLength(1)
    expect(view.calls[0]?.arguments).toContain('{"city":"Paris","__proto__":{"polluted":"yes"')
    expect(view.calls[0]?.arguments).toContain('"constructor":{"prototype":{"polluted":"yes"}}')
  })
})

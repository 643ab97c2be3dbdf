import { afterAll, describe, expect, it } from 'vitest'
import { ask, clientDialects } from './ask.ts'
import { broken, type Fault, late, says, shortTimeouts } from './faults.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, sse, startUpstream, stopUpstreams, until } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

const inStream: readonly (Fault & { readonly text: string })[] = [
  {
    upstream: 'breaks off between two events',
    script: (response) => {
      sse(response, says)
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'ends in an orderly way, but without having finished',
    script: (response) => {
      sse(response, says)
      response.end()
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of a line',
    script: (response) => {
      sse(response, says)
      response.write('data: {"choices":[{"ind', () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of what may be a marker',
    script: (response) => {
      sse(response, says, chunk({ content: ' <|tool_calls_sec' }))
      response.write('\n', () => response.destroy())
    },
    text: 'Paris is <|tool_calls_sec',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'breaks off in the middle of a character',
    script: (response) => {
      sse(response, says)
      const bytes = Buffer.from(`data: ${JSON.stringify(chunk({ content: 'é' }))}`)
      response.write(bytes.subarray(0, bytes.indexOf(0xc3) + 1), () => response.destroy())
    },
    text: 'Paris is',
    outcome: broken('upstream_truncated'),
  },
  {
    upstream: 'goes silent',
    script: (response) => sse(response, says),
    text: 'Paris is',
    outcome: late('upstream_idle_timeout'),
  },
  {
    upstream: 'sends data that is not JSON',
    script: (response) => sse(response, says, '{"choices":'),
    text: 'Paris is',
    outcome: broken('upstream_protocol_error'),
  },
  {
    upstream: 'sends an event that is too long',
    script: (response) => sse(response, says, chunk({ content: 'x'.repeat(70_000) })),
    text: 'Paris is',
    outcome: broken('upstream_limit'),
  },
  {
    upstream: 'reports that it is overloaded',
    script: (response) =>
      sse(response, says, { error: { type: 'overloaded_error', code: 'busy', message: 'busy' } }),
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['overloaded_error', 'overloaded_error'], code: 'busy' },
  },
  {
    upstream: 'reports an error as an event of that name',
    script: (response) => {
      sse(response, says)
      response.write(
        'event: error\ndata: {"error":{"message":"sorry","type":"rate_limit_error","code":"slow"}}\n\n',
      )
    },
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['rate_limit_error', 'rate_limit_error'], code: 'slow' },
  },
  {
    upstream: 'reports an error as vLLM does',
    script: (response) =>
      sse(response, says, { object: 'error', message: 'sorry', type: 'BadThing', code: 500 }),
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['api_error', 'BadThing'], code: 500 },
  },
  {
    upstream: 'reports an error with a number for a code',
    script: (response) =>
      sse(response, says, { error: { message: 'slow', type: 'provider_error', code: 429 } }),
    text: 'Paris is',
    outcome: { status: [200, 200], type: ['rate_limit_error', 'provider_error'], code: 429 },
  },
]

describe.each(clientDialects)('a stream that fails, for a client of %s', (dialect) => {
  const which = dialect === 'anthropic' ? 0 : 1
  it.concurrent.each(inStream)('$upstream', async ({ script, outcome, text }) => {
    const upstream = await startUpstream(script)
    const settings = { timeouts: shortTimeouts, limits: { lineBytes: 65_536 } }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect)
    expect(answer.status).toBe(200)
    expect(answer.text).toBe(text)
    expect(answer.error?.type).toBe(outcome.type[which])
    if (dialect === 'openai') expect(answer.error?.code).toBe(outcome.code)
    expect(answer.last).toHaveProperty('error')
    // The client has read the beginning: a second answer would stand behind it.
    expect(upstream.requests).toHaveLength(1)
    expect(answer).toMatchObject({ finish: undefined, isMarkedDone: false, hasCall: false })
    await until(() => upstream.openRequests === 0, 1000)
  })

  it.concurrent.each(inStream)('$upstream, and the client wants no stream', async ({ script, outcome }) => {
    const upstream = await startUpstream(script)
    const settings = { timeouts: shortTimeouts, limits: { lineBytes: 65_536 } }
    const { address } = await startGateway({ upstream: upstream.url, settings })
    const answer = await ask(address, dialect, { stream: false })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.error?.type).toBe(outcome.type[which])
    if (dialect === 'openai') expect(answer.error?.code).toBe(outcome.code)
    expect(answer.finish).toBeUndefined()
    await until(() => upstream.openRequests === 0, 1000)
  })
})

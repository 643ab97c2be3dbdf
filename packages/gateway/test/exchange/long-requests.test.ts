import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { startGateway } from '../server/running-gateway.ts'
import { json, startUpstream } from '../server/scripted-upstream.ts'
import { between, stopAll } from './between.ts'

afterEach(stopAll)

const chatAnswer = {
  choices: [{ index: 0, message: { role: 'assistant', content: 'Fine.' }, finish_reason: 'stop' }],
}
const answer = { type: 'application/json', pieces: [JSON.stringify(chatAnswer)] }
// Longer than a slice, and with every kind of character that is written otherwise than it is.
const text = 'A "long" text,\n漢字 and 😀 in it: \\ and \u0001. '.repeat(15_000)
const picture = Buffer.from(text).toString('base64')
const other = { models: [{ match: '*', upstream: 'lab', model: 'other', format: 'kimi' }] }

/** What each dialect calls it. */
const requests = {
  'openai-chat': {
    path: '/v1/chat/completions',
    body: {
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image_url', image_url: { url: `data:image/png;base64,${picture}` } },
          ],
        },
      ],
    },
  },
  'anthropic-messages': {
    path: '/v1/messages',
    body: {
      model: 'm',
      max_tokens: 99,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            { type: 'image', source: { type: 'base64', media_type: 'image/png', data: picture } },
          ],
        },
      ],
    },
  },
  'openai-responses': {
    path: '/v1/responses',
    body: {
      model: 'm',
      input: [
        {
          role: 'user',
          content: [
            { type: 'input_text', text },
            { type: 'input_image', image_url: `data:image/png;base64,${picture}` },
          ],
        },
      ],
    },
  },
  gemini: {
    path: '/v1beta/models/m:generateContent',
    body: {
      contents: [
        { role: 'user', parts: [{ text }, { inlineData: { mimeType: 'image/png', data: picture } }] },
      ],
    },
  },
}

describe('a long request', () => {
  it.each(Object.entries(requests))(
    'of the dialect %s reaches the upstream whole',
    async (_, { path, body }) => {
      const gateway = await between(answer, { settings: other })
      expect(await gateway.post(path, body)).toMatchObject({
        status: 200,
        text: expect.stringContaining('Fine.'),
      })
      const [asked = '{}'] = gateway.asked
      expect(JSON.parse(asked)).toMatchObject({
        model: 'other',
        messages: requests['openai-chat'].body.messages,
      })
    },
  )

  it('goes on byte for byte where nothing has to change', async () => {
    const gateway = await between(answer)
    const spaced = JSON.stringify(requests['openai-chat'].body, undefined, 2)
    await gateway.post('/v1/chat/completions', spaced)
    expect(gateway.asked).toEqual([spaced])
  })

  it('is written anew where keys are configured', async () => {
    const key = 'a-key-of-a-client'
    const sha256 = createHash('sha256').update(key).digest('hex')
    const gateway = await between(answer, { settings: { keys: [{ name: 'laptop', sha256 }] } })
    const twice = JSON.stringify({ model: 'last', messages: [{ role: 'user', content: text }] }).replace(
      '{',
      `{"model":"${'f'.repeat(9000)}",`,
    )
    await gateway.post('/v1/chat/completions', twice, { authorization: `Bearer ${key}` })
    expect(JSON.parse(gateway.asked[0] ?? '{}')).toMatchObject({ model: 'last' })
    expect(gateway.asked[0]).not.toContain('fff')
  })

  it('is refused where it is no JSON, and no upstream is asked', async () => {
    const gateway = await between(answer)
    const broken = JSON.stringify(requests['openai-chat'].body).slice(0, -9)
    expect(await gateway.post('/v1/chat/completions', broken)).toMatchObject({
      status: 400,
      text: expect.stringContaining('The body is not JSON.'),
    })
    expect(gateway.asked).toEqual([])
  })

  it('is asked again as another one where the upstream refused a field of it', async () => {
    const upstream = await startUpstream((response) => {
      if (upstream.requests.length > 1) json(response, 200, chatAnswer)
      else json(response, 400, { error: { message: 'Unsupported parameter: reasoning_effort' } })
    })
    const gateway = await startGateway({ upstream: upstream.url, settings: other })
    const { path, body } = requests['openai-chat']
    const response = await fetch(gateway.address + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, reasoning_effort: 'high' }),
    })
    expect(response.status).toBe(200)
    expect(upstream.requests.map(({ body: sent }) => sent.includes('reasoning_effort'))).toEqual([
      true,
      false,
    ])
    expect(JSON.parse(upstream.requests[1]?.body ?? '{}')).toMatchObject({ messages: body.messages })
  })

  it('is sent nowhere where its client left while it was read', async () => {
    const upstream = await startUpstream(() => {})
    const gateway = await startGateway({ upstream: upstream.url, settings: other })
    const { port } = new URL(gateway.address)
    const { path, body } = requests['openai-chat']
    const bytes = Buffer.from(JSON.stringify({ ...body, more: 'y'.repeat(12_000_000) }))
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\ncontent-length: ${bytes.length}\r\n\r\n`,
    )
    socket.end(bytes)
    await once(socket, 'close')
    await sleep(300)
    await expect.poll(() => upstream.openRequests, { timeout: 2000 }).toBe(0)
  })
})

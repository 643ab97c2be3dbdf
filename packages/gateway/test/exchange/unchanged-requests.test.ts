import { createHash } from 'node:crypto'
import { afterEach, describe, expect, it } from 'vitest'
import { sameJson } from '../../src/base/json-body.ts'
import { between, stopAll } from './between.ts'

afterEach(stopAll)

const answer = {
  type: 'application/json',
  pieces: ['{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}'],
}
// The spacing, the order and the number are nobody's but the client's.
const asked =
  '{ "temperature": 0.50,\n  "x_vendor": {"big": 12345678901234567890},\n "messages": [{"content": "Hi", "role": "user"}], "model": "m"}'

describe('a request to an upstream of the same dialect', () => {
  it('goes on byte for byte where nothing has to change', async () => {
    const gateway = await between(answer)
    await gateway.post('/v1/chat/completions', asked)
    expect(gateway.asked).toEqual([asked])
  })

  it('goes on byte for byte in whatever form it says what it says', async () => {
    const gateway = await between(answer, { settings: { models: [{ match: '*', upstream: 'lab' }] } })
    const call = { type: 'function', id: 'call_x', function: { arguments: ' {"a":1.0}', name: 'ping' } }
    const spelled = JSON.stringify({
      model: 'm',
      stop: 'END',
      messages: [
        {
          content: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
          role: 'system',
        },
        { role: 'developer', content: 'Be kind.', name: 'house' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
        { role: 'assistant', content: '', refusal: null, reasoning_content: 'hm', tool_calls: [call] },
        { role: 'tool', content: [{ type: 'text', text: 'pong' }], tool_call_id: 'call_x' },
        { role: 'system', content: 'Mind the time.' },
        { role: 'assistant', content: [{ type: 'text', text: 'So.' }] },
        { role: 'user', content: '' },
      ],
    })
    await gateway.post('/v1/chat/completions', spelled)
    expect(gateway.asked).toEqual([spelled])
  })

  it('goes on byte for byte where it says that it wants no stream', async () => {
    const gateway = await between(answer)
    const said = asked.replace('{ ', '{ "stream" : false, ')
    await gateway.post('/v1/chat/completions', said)
    expect(gateway.asked).toEqual([said])
  })

  it('goes on without the byte order mark that stood before it', async () => {
    const gateway = await between(answer)
    await gateway.post('/v1/chat/completions', `\uFEFF${asked}`)
    expect(gateway.asked).toEqual([asked])
  })

  it('is written anew where the model has another name there', async () => {
    const models = [{ match: '*', upstream: 'lab', model: 'n', format: 'kimi' }]
    const gateway = await between(answer, { settings: { models } })
    await gateway.post('/v1/chat/completions', asked)
    expect(JSON.parse(gateway.asked[0] ?? '')).toMatchObject({ model: 'n', temperature: 0.5 })
  })

  it('is written anew where an id has to change', async () => {
    const gateway = await between(answer)
    const call = { id: 'call_x', type: 'function', function: { name: 'ping', arguments: '{}' } }
    await gateway.post('/v1/chat/completions', {
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_x', content: 'pong' },
      ],
    })
    expect(gateway.asked[0]).toContain('"functions.ping:0"')
    expect(gateway.asked[0]).not.toContain('call_x')
  })

  it('is written anew where keys are configured: an upstream may read the first of two equal keys', async () => {
    const key = 'a-key-of-a-client'
    const sha256 = createHash('sha256').update(key).digest('hex')
    const gateway = await between(answer, { settings: { keys: [{ name: 'laptop', sha256 }] } })
    const twice = '{"model":"first","model":"last","messages":[{"role":"user","content":"Hi"}]}'
    await gateway.post('/v1/chat/completions', twice, { authorization: `Bearer ${key}` })
    expect(gateway.asked[0]).toContain('"last"')
    expect(gateway.asked[0]).not.toContain('"first"')
  })
})

describe('two JSON values', () => {
  it.each([
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [{ a: 1, b: undefined }, { a: 1 }],
    [{ a: 1 }, { a: 1, b: undefined }],
    ['x', 'x'],
  ])('%j and %j say the same', (a, b) => {
    expect(sameJson(a, b)).toBe(true)
  })

  it.each([
    [{ a: 1 }, { a: 1, b: null }],
    [{ a: 1, b: 2 }, { a: 1 }],
    [
      [1, 2],
      [2, 1],
    ],
    [[], {}],
    [{}, []],
    [null, {}],
    [{ toString: 1 }, {}],
    [1, '1'],
  ])('%j and %j do not', (a, b) => {
    expect(sameJson(a, b)).toBe(false)
  })
})

import { EventEmitter, once } from 'node:events'
import { createConnection } from 'node:net'
import { createParser, assemble, type ModelEvent } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSimulator } from '../../src/simulator/server.ts'
import { chunkings, fields } from '../../src/simulator/settings.ts'
import { simulate } from '../../src/simulator/simulate.ts'
import { writings } from '../../src/simulator/writings.ts'
import { readStream, type Received } from './chat-stream.ts'
import { calling, request, result, time, user, weather, weatherQuestion } from './requests.ts'

const simulator = createSimulator()
let base = ''
beforeAll(async () => {
  base = await simulator.listen()
})
afterAll(() => simulator.close())

function post(body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${base}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  })
}

async function stream(model: string, content = weatherQuestion, more: object = {}): Promise<Received> {
  return readStream(await post({ ...request(content, [weather, time]), model, stream: true, ...more }))
}

function parse({ pieces }: Received, model: string) {
  // A name that says nothing leaves the format to the user of the parser.
  const format = model === 'xml' ? model : 'auto'
  const parser = createParser({ format, model, tools: [weather, time] })
  const events: ModelEvent[] = pieces.flatMap(({ field, text }) =>
    parser.push(text, field === 'content' ? 'content' : 'reasoning'),
  )
  return assemble([...events, ...parser.end('stop')])
}

describe('a stream of the simulator', () => {
  for (const writing of writings) {
    if (writing.kind !== 'text') continue
    const model = writing.models[0] ?? ''
    const isBare = writing.isBare === true
    // In reasoning a call without any marker is a thought like others.
    for (const field of isBare ? (['content'] as const) : fields) {
      it(`${model} calls in ${field}, in every chunking, in a stream and not`, async () => {
        const streams = await Promise.all(chunkings.map((chunk) => stream(`${model}+${field}+${chunk}`)))
        for (const received of streams) {
          expect(received).toMatchObject({
            contentType: 'text/event-stream',
            finishReason: 'stop',
            isDone: true,
          })
          const { toolCalls, problems, content, reasoning } = parse(received, model)
          expect(problems).toEqual([])
          expect(toolCalls.map((call) => [call.name, JSON.parse(call.arguments)])).toEqual([
            ['get_weather', { city: 'Paris' }],
          ])
          if (!isBare) expect(field === 'content' ? content : reasoning).toMatch(/simulated/)
        }
        const written = streams.map(({ pieces }) => pieces.filter((piece) => piece.field === field))
        const texts = written.map((pieces) => pieces.map(({ text }) => text).join(''))
        expect(new Set(texts).size).toBe(1)
        const counts = written.map((pieces) => pieces.length)
        expect(counts[chunkings.indexOf('char')]).toBe(Array.from(texts.join('')).length / streams.length)
        expect(counts[chunkings.indexOf('whole')]).toBe(1)
        const whole = await post({ ...request(weatherQuestion, [weather, time]), model: `${model}+${field}` })
        expect(await whole.json()).toMatchObject({
          object: 'chat.completion',
          choices: [{ finish_reason: 'stop', message: { [field]: texts[0] } }],
        })
      })
    }
  }

  it('structured calls come in pieces, with an id and a name in the first', async () => {
    const { events, finishReason } = await stream('standard+char', 'The weather in Rome and the time, both.')
    const deltas = events.flatMap((event) => toolCallsIn(event))
    expect(finishReason).toBe('tool_calls')
    expect(deltas[0]).toEqual({
      index: 0,
      id: 'call_sim_0',
      type: 'function',
      function: { name: 'get_weather', arguments: '' },
    })
    const written = (index: number): string =>
      deltas
        .filter((delta) => delta.index === index)
        .map((delta) => delta.function.arguments)
        .join('')
    expect([written(0), written(1)]).toEqual(['{"city":"Rome"}', '{"zone":"UTC"}'])
  })

  it('a Kimi model whose server reads the calls has Kimi ids', async () => {
    const { events } = await stream('kimi-k2+structured')
    expect(events.flatMap(toolCallsIn)[0]?.id).toBe('functions.get_weather:0')
  })

  it('Kimi counts its calls over the whole conversation', async () => {
    const messages = [
      user('x'),
      calling([['functions.get_time:0', 'get_time']]),
      result('functions.get_time:0'),
      user(weatherQuestion),
    ]
    const received = await stream('kimi-k2', '', { messages })
    expect(parse(received, 'kimi-k2').toolCalls[0]?.id).toBe('functions.get_weather:1')
  })

  it('thoughts come in the reasoning field, or between the marks of the model', async () => {
    const apart = parse(await stream('qwen3+think'), 'qwen3')
    const inline = await stream('qwen3+inline-think+whole')
    expect(inline.pieces[0]?.text).toMatch(/^<think>\n/)
    expect(parse(inline, 'qwen3').reasoning.trim()).toBe(apart.reasoning)
    expect(apart.reasoning).toContain('simulated thought')
  })

  it('usage comes where it was asked for', async () => {
    const { events } = await stream('kimi-k2', weatherQuestion, { stream_options: { include_usage: true } })
    expect(events.at(-2)).toMatchObject({ choices: [], usage: { prompt_tokens: expect.any(Number) } })
    expect((await stream('kimi-k2')).events.at(-2)).not.toHaveProperty('usage')
  })

  it('max_tokens cuts the answer', async () => {
    const received = await stream('kimi-k2', weatherQuestion, { max_tokens: 14 })
    expect(received).toMatchObject({ finishReason: 'length', isDone: true })
    expect(received.pieces).toHaveLength(14)
    expect(parse(received, 'kimi-k2').toolCalls).toEqual([])
  })
})

describe('faults', () => {
  it('error: an error object comes in the middle, and nothing after it', async () => {
    const { events, isDone, finishReason } = await stream('kimi-k2+error')
    expect(events.at(-1)).toMatchObject({ error: { type: 'server_error' } })
    expect({ isDone, finishReason }).toEqual({ isDone: false, finishReason: undefined })
  })

  it('cut: what came before the cut arrives, then the connection breaks', async () => {
    const response = await post({ ...request(weatherQuestion), model: 'kimi-k2+cut', stream: true })
    await expect(response.text()).rejects.toThrow()
    const { hostname, port } = new URL(base)
    const body = JSON.stringify({ ...request(weatherQuestion), model: 'kimi-k2+cut', stream: true })
    const socket = createConnection(Number(port), hostname)
    let received = ''
    socket.setEncoding('utf8').on('data', (text: string) => (received += text))
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
    await once(socket, 'close')
    expect(received).toContain('tool_calls_section_begin')
    expect(received).not.toContain('tool_calls_section_end')
    expect(received.endsWith('0\r\n\r\n')).toBe(false)
  })

  it('stall: the middle arrives, then nothing, until the client leaves', async () => {
    const leaving = new AbortController()
    const response = await post(
      { ...request(weatherQuestion), model: 'kimi-k2+stall', stream: true },
      leaving.signal,
    )
    const first = await response.body?.getReader().read()
    expect(first?.done).toBe(false)
    expect(simulator.openRequests).toBe(1)
    leaving.abort()
    await expect.poll(() => simulator.openRequests).toBe(0)
  })

  it('garbage: one event is no JSON, the rest goes on', async () => {
    const { events, isDone } = await stream('kimi-k2+garbage')
    expect(events.filter((event) => typeof event === 'string')).toEqual(['{"simulated garbage', '[DONE]'])
    expect(isDone).toBe(true)
  })

  it('no-done and no-finish leave out the end', async () => {
    expect(await stream('kimi-k2+no-done')).toMatchObject({ isDone: false, finishReason: 'stop' })
    expect(await stream('kimi-k2+no-finish')).toMatchObject({ isDone: true, finishReason: undefined })
  })

  it('json: plain JSON although a stream was asked for', async () => {
    const response = await post({ ...request(weatherQuestion), model: 'kimi-k2+json', stream: true })
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
  })

  it('length: the answer ends inside the call', async () => {
    const received = await stream('kimi-k2+length')
    expect(received.finishReason).toBe('length')
    expect(received.pieces.map(({ text }) => text).join('')).toContain('tool_call_begin')
    expect(parse(received, 'kimi-k2').toolCalls).toEqual([])
  })

  it('a number is the status', async () => {
    const response = await post({ ...request(weatherQuestion), model: 'kimi-k2+429' })
    expect(response.status).toBe(429)
    expect(await response.json()).toMatchObject({ error: { code: 429 } })
  })

  it('comments stand in the stream', async () => {
    expect((await stream('kimi-k2+comments')).comments).toBe(2)
    expect((await stream('kimi-k2')).comments).toBe(0)
  })

  it('a word that means nothing stays in the name', async () => {
    const { events } = await stream('command-r+')
    expect(events[0]).toMatchObject({ model: 'command-r+' })
    expect((await stream('kimi-k2+nonsense')).isDone).toBe(true)
  })
})

describe('the server', () => {
  it('lists its models, each labelled as a simulation', async () => {
    const list = await (await fetch(`${base}/models`)).json()
    const names = list.data.map((model: { id: string }) => model.id)
    expect(names).toEqual(
      expect.arrayContaining([
        'kimi-k2',
        'kimi-k3',
        'qwen3-coder',
        'qwen3',
        'hermes-4',
        'deepseek-v4',
        'standard',
      ]),
    )
    for (const model of list.data) expect(model.description).toContain('[simulated]')
  })

  it('any other name answers too', async () => {
    expect(parse(await stream('moonshotai/kimi-k2-0905'), 'kimi-k2').toolCalls).toHaveLength(1)
    expect((await stream('my-own-model')).finishReason).toBe('tool_calls')
  })

  it('other routes and bad bodies get errors in the shape of OpenAI', async () => {
    const missing = await fetch(`${base}/embeddings`, { method: 'POST' })
    expect(missing.status).toBe(404)
    expect(await missing.json()).toMatchObject({ error: { type: 'invalid_request_error' } })
    const bad = await fetch(`${base}/chat/completions`, { method: 'POST', body: '{"model":' })
    expect(bad.status).toBe(400)
    expect(await bad.json()).toMatchObject({ error: { message: 'The body must be a JSON object.' } })
  })

  it('remembers what it was asked and what was wrong with it', async () => {
    await stream('kimi-k2', '', { messages: [user('x'), result('call_9')], marker: 'remember me' })
    expect(simulator.requests.at(-1)).toMatchObject({
      body: { marker: 'remember me' },
      headers: { 'content-type': 'application/json' },
    })
    expect(simulator.historyProblems.at(-1)).toEqual({
      model: 'kimi-k2',
      code: 'unexpected-result',
      message: 'messages[1]: the result for call_9 has no call',
    })
    const told = await (await fetch(base.replace('/v1', '/simulator/history-problems'))).json()
    expect(told.data.at(-1)).toMatchObject({ code: 'unexpected-result' })
  })

  it('strict: a wrong history is refused', async () => {
    const response = await post({ model: 'kimi-k2+strict', messages: [user('x'), result('call_9')] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      error: { message: expect.stringContaining('history problem') },
    })
  })

  it('a client that leaves ends the answer', async () => {
    const slow = createSimulator({ pace: 60_000 })
    const address = await slow.listen()
    const leaving = new AbortController()
    const response = await fetch(`${address}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ ...request(weatherQuestion), stream: true }),
      signal: leaving.signal,
    })
    expect(response.status).toBe(200)
    expect(slow.openRequests).toBe(1)
    leaving.abort()
    await expect.poll(() => slow.openRequests).toBe(0)
    await slow.close()
  })

  it('a client that leaves while it sends is forgotten', async () => {
    const { hostname, port } = new URL(base)
    const socket = createConnection(Number(port), hostname)
    socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{"model"')
    await expect.poll(() => simulator.openRequests).toBe(1)
    socket.destroy()
    await expect.poll(() => simulator.openRequests).toBe(0)
  })

  it('close ends what still runs', async () => {
    const slow = createSimulator({ faults: ['stall'] })
    const address = await slow.listen()
    const response = await fetch(`${address}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(request(weatherQuestion)),
    })
    await slow.close()
    await expect(response.text()).rejects.toThrow()
    expect(slow.openRequests).toBe(0)
  })

  it('a format that cannot be written is refused at once', () => {
    expect(() => createSimulator({ format: 'klingon' })).toThrow('cannot write "klingon"')
  })
})

describe('a simulation without a server', () => {
  const body = { ...request(weatherQuestion), stream: true }

  it('waits between chunks, and is the same each time', async () => {
    const first = await playedOut(body)
    expect(first.waits).toEqual(first.chunks.map(() => 7))
    expect(first.chunks[0]).toContain('"id":"chatcmpl-sim-x"')
    expect(first.chunks[0]).toContain('"created":5')
    expect(await playedOut(body)).toEqual(first)
  })

  it('a chunk waits until there is room', async () => {
    const chunks: string[] = []
    const gate = new EventEmitter()
    const room = once(gate, 'room').then(() => undefined)
    const simulation = simulate('openai-chat', body, {}, (text) => {
      chunks.push(text)
      return room
    })
    await new Promise((resolve) => setImmediate(resolve))
    expect(chunks).toHaveLength(1)
    simulation.cancel()
    gate.emit('room')
    expect(await simulation.done).toBe('cancelled')
    expect(chunks).toHaveLength(1)
  })
})

async function playedOut(body: unknown): Promise<{ chunks: string[]; waits: number[] }> {
  const chunks: string[] = []
  const waits: number[] = []
  const world = { wait: async (pace: number) => void waits.push(pace), now: () => 5000, newId: () => 'x' }
  const take = (text: string): void => void chunks.push(text)
  const { done, reply } = simulate('openai-chat', body, { pace: 7, chunk: 'random', seed: 4 }, take, world)
  expect(reply.status).toBe(200)
  expect(await done).toBe('ended')
  return { chunks, waits }
}

interface CallDelta {
  readonly index: number
  readonly id?: string
  readonly function: { readonly name?: string; readonly arguments: string }
}

function toolCallsIn(event: unknown): CallDelta[] {
  const { choices } = Object(event)
  return choices?.[0]?.delta?.tool_calls ?? []
}

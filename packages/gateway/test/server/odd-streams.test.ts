import { createSseDecoder } from '@dragoman/core'
import { afterAll, describe, expect, it } from 'vitest'
import { ask, at, clientDialects, type ClientDialect } from './ask.ts'
import { startGateway, stopGateways } from './running-gateway.ts'
import { chunk, type Script, sse, startUpstream, stopUpstreams } from './scripted-upstream.ts'

afterAll(async () => {
  await stopGateways()
  stopUpstreams()
})

interface Call {
  readonly id: string
  readonly name: string
  readonly arguments: unknown
}

interface Seen {
  readonly status: number
  readonly text: string
  readonly finish: string | undefined
  readonly error: string | undefined
  readonly isMarkedDone: boolean
  readonly calls: readonly Call[]
}

async function see(script: Script, dialect: ClientDialect, stream: boolean): Promise<Seen> {
  const upstream = await startUpstream(script)
  const { address } = await startGateway({ upstream: upstream.url })
  const answer = await ask(address, dialect, { stream, tools: toolsOf(dialect) })
  const { status, text, finish, error, isMarkedDone, body } = answer
  const calls =
    error !== undefined ? [] : stream ? streamedCalls(body, dialect) : wholeCalls(answer.last, dialect)
  return { status, text, finish, error: error?.message, isMarkedDone, calls }
}

function toolsOf(dialect: ClientDialect): object[] {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } }
  return ['get_weather', 'get_time'].map((name) =>
    dialect === 'anthropic'
      ? { name, input_schema: parameters }
      : { type: 'function', function: { name, parameters } },
  )
}

function streamedCalls(body: string, dialect: ClientDialect): Call[] {
  const calls = new Map<unknown, { id: string; name: string; json: string }>()
  const begin = (index: unknown, id: unknown, name: unknown): void => {
    calls.set(index, { id: String(id), name: String(name), json: '' })
  }
  const rename = (index: unknown, given: unknown): void => {
    const call = calls.get(index)
    if (call !== undefined && typeof given === 'string') call.name = given
  }
  const add = (index: unknown, json: unknown): void => {
    const call = calls.get(index)
    if (call !== undefined && typeof json === 'string') call.json += json
  }
  const decoder = createSseDecoder()
  const items = [...decoder.push(body), ...decoder.end()]
  for (const item of items) {
    if (item.kind !== 'event' || item.data === '[DONE]') continue
    const event: unknown = JSON.parse(item.data)
    if (dialect === 'anthropic') {
      const block = at(event, 'content_block')
      if (at(block, 'type') === 'tool_use') begin(at(event, 'index'), at(block, 'id'), at(block, 'name'))
      add(at(event, 'index'), at(event, 'delta', 'partial_json'))
    } else {
      const deltas = at(event, 'choices', 0, 'delta', 'tool_calls')
      for (const delta of Array.isArray(deltas) ? deltas : []) {
        const index = at(delta, 'index')
        if (!calls.has(index)) begin(index, at(delta, 'id'), '')
        rename(index, at(delta, 'function', 'name'))
        add(index, at(delta, 'function', 'arguments'))
      }
    }
  }
  return [...calls.values()].map(({ id, name, json }) => ({ id, name, arguments: JSON.parse(json) }))
}

function wholeCalls(body: unknown, dialect: ClientDialect): Call[] {
  const blocks =
    dialect === 'anthropic' ? at(body, 'content') : at(body, 'choices', 0, 'message', 'tool_calls')
  return (Array.isArray(blocks) ? blocks : []).flatMap((block: unknown) => {
    if (dialect === 'openai') {
      const json = String(at(block, 'function', 'arguments'))
      const name = String(at(block, 'function', 'name'))
      return [{ id: String(at(block, 'id')), name, arguments: JSON.parse(json) }]
    }
    if (at(block, 'type') !== 'tool_use') return []
    return [{ id: String(at(block, 'id')), name: String(at(block, 'name')), arguments: at(block, 'input') }]
  })
}

const section = '<|tool_calls_section_begin|>'
const header = `${section}<|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>`
const saying =
  (content: string, finish = 'stop'): Script =>
  (response) => {
    sse(response, chunk({ role: 'assistant', content }), chunk({}, finish), '[DONE]')
    response.end()
  }

const call = (index: number, rest: object): object => chunk({ tool_calls: [{ index, ...rest }] })

describe.each(clientDialects)('for a client of %s', (dialect) => {
  describe.each([true, false])('(stream: %s)', (stream) => {
    describe('markup that is not closed when the model stops', () => {
      it('is a call where its arguments are whole', async () => {
        const seen = await see(saying(`${header}{"city": "Paris"}`), dialect, stream)
        expect(seen).toMatchObject({
          status: 200,
          finish: dialect === 'anthropic' ? 'tool_use' : 'tool_calls',
          calls: [{ name: 'get_weather', arguments: { city: 'Paris' } }],
        })
      })

      it('is text where no call has begun', async () => {
        const seen = await see(saying(`Look: ${section}`), dialect, stream)
        expect(seen).toMatchObject({
          status: 200,
          text: `Look: ${section}`,
          finish: dialect === 'anthropic' ? 'end_turn' : 'stop',
          calls: [],
          isMarkedDone: stream,
        })
      })

      it('is an error where a call has begun', async () => {
        const seen = await see(saying(`${header}{"city": "Par`), dialect, stream)
        expect(seen).toMatchObject({ status: stream ? 200 : 502, isMarkedDone: false, finish: undefined })
        expect(seen.error).toContain('get_weather')
      })
    })

    it('structured calls with gaps, without ids, with late names and mixed with one another stay apart', async () => {
      const seen = await see(
        (response) => {
          sse(
            response,
            chunk({ role: 'assistant', content: null }),
            call(1, { type: 'function', function: { arguments: '' } }),
            call(1, { function: { name: 'get_weather', arguments: '{"city":' } }),
            call(4, { id: '', function: { name: 'get_time', arguments: '{"ci' } }),
            call(1, { function: { arguments: '"Paris"}' } }),
            call(4, { function: { arguments: 'ty":"Rome"}' } }),
            chunk({}, 'tool_calls'),
            '[DONE]',
          )
          response.end()
        },
        dialect,
        stream,
      )
      expect(seen.calls.map(({ name, arguments: given }) => [name, given])).toEqual([
        ['get_weather', { city: 'Paris' }],
        ['get_time', { city: 'Rome' }],
      ])
      const ids = seen.calls.map(({ id }) => id)
      expect(new Set(ids).size).toBe(2)
      for (const id of ids) expect(id).toMatch(/^[\w-]+$/)
    })

    it('chunks without choices, without a delta and of a second choice do no harm', async () => {
      const seen = await see(
        (response) => {
          sse(
            response,
            { id: 'c', object: 'chat.completion.chunk', choices: [] },
            { ...chunk({}), choices: [{ index: 0, delta: null, finish_reason: null }] },
            { ...chunk({}), choices: [{ index: 0 }] },
            { ...chunk({}), choices: null },
            { ...chunk({}), choices: [{ index: 1, delta: { content: 'second' }, finish_reason: null }] },
            chunk({ role: 'assistant', content: 'first' }),
            { ...chunk({}), choices: [{ index: 1, delta: {}, finish_reason: 'stop' }] },
            chunk({}, 'stop'),
            '[DONE]',
          )
          response.end()
        },
        dialect,
        stream,
      )
      expect(seen).toMatchObject({ status: 200, error: undefined, isMarkedDone: stream })
      // Only an OpenAI client that reads a stream is passed the second choice, as it came.
      expect(seen.text).toBe(dialect === 'openai' && stream ? 'secondfirst' : 'first')
    })

    it('comments, unknown fields, other line ends, a byte order mark and data in several lines are read', async () => {
      const seen = await see(
        (response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          const json = JSON.stringify(chunk({ role: 'assistant', content: 'one' }))
          const half = json.indexOf(',') + 1
          response.write('\uFEFF: hello\r\n\r\n: again\n\n')
          response.write('id: 7\r\nretry: 3\r\nx-unknown: y\r\nnonsense without a colon\r\n')
          response.write(`data:${json.slice(0, half)}\r\ndata: ${json.slice(half)}\r\n\r\n`)
          response.write(`data: ${JSON.stringify(chunk({ content: ' two' }, 'stop'))}\r\r`)
          response.end('data: [DONE]\n\n')
        },
        dialect,
        stream,
      )
      expect(seen).toMatchObject({ status: 200, text: 'one two', error: undefined, isMarkedDone: stream })
    })
  })
})

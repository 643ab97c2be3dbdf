import { request } from 'node:http'

const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }

/** A conversation of two turns: a question that needs a tool, and the tool's result. */
const dialects = {
  'openai-chat': {
    path: '/v1/chat/completions',
    first: (city) => ({
      model: 'team-model',
      stream: true,
      messages: [{ role: 'user', content: `What is the weather in ${city}?` }],
      tools: [{ type: 'function', function: { name: 'get_weather', parameters: schema } }],
    }),
    end: '[DONE]',
    callIn: (body) => {
      const deltas = eventsIn(body).flatMap((event) => event.choices?.[0]?.delta?.tool_calls ?? [])
      const id = deltas.find((delta) => delta.id)?.id
      const json = deltas.map((delta) => delta.function?.arguments ?? '').join('')
      return id === undefined ? undefined : { id, json }
    },
    second: (asked, { id, json }) => ({
      ...asked,
      messages: [
        ...asked.messages,
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id, type: 'function', function: { name: 'get_weather', arguments: json } }],
        },
        { role: 'tool', tool_call_id: id, content: 'sunny' },
      ],
    }),
  },
  'anthropic-messages': {
    path: '/v1/messages',
    first: (city) => ({
      model: 'team-model',
      stream: true,
      max_tokens: 1000,
      messages: [{ role: 'user', content: `What is the weather in ${city}?` }],
      tools: [{ name: 'get_weather', input_schema: schema }],
    }),
    end: 'event: message_stop',
    callIn: (body) => {
      const events = eventsIn(body)
      const id = events.find(({ content_block: block }) => block?.type === 'tool_use')?.content_block.id
      const json = events.map(({ delta }) => delta?.partial_json ?? '').join('')
      return id === undefined ? undefined : { id, json }
    },
    second: (asked, { id, json }) => ({
      ...asked,
      messages: [
        ...asked.messages,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id, name: 'get_weather', input: JSON.parse(json) }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'sunny' }] },
      ],
    }),
  },
}

export const dialectNames = Object.keys(dialects)

function eventsIn(body) {
  return body
    .split('\n')
    .filter((line) => line.startsWith('data: {'))
    .map((line) => JSON.parse(line.slice(6)))
}

/**
 * One turn. `whole`: it came to its end. `told`: it broke, and an error says so. `cut`: the connection broke before HTTP said
 * that the answer is over. `refused`: a status. `unanswered`: the connection broke before there was one. `false end`: it looks
 * over, and is not. `askedAt` and `answeredAt` are around the moment in which a gateway let it in.
 */
export function ask(port, dialect, body, key, agent) {
  const { path, end } = dialects[dialect]
  const text = JSON.stringify(body)
  const askedAt = performance.now()
  return new Promise((resolve) => {
    const headers = {
      host: 'gateway.example',
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      authorization: `Bearer ${key}`,
    }
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent }, (response) => {
      const { statusCode: status, headers: answered } = response
      const by = { upstream: answered['x-dragoman-upstream'], gateway: answered['x-gateway'] }
      const answeredAt = performance.now()
      let got = ''
      const became = (is) =>
        resolve({ is, got, status, answered, ...by, askedAt, answeredAt, endedAt: performance.now() })
      const cut = () => became('cut')
      response.setEncoding('utf8').on('data', (piece) => (got += piece))
      response.on('error', cut).on('aborted', cut)
      response.on('end', () => {
        if (!response.complete) cut()
        else if (status !== 200) became('refused')
        else if (got.includes(end)) became('whole')
        else became(got.includes('"error"') ? 'told' : 'false end')
      })
    })
    asked.on('error', (error) => resolve({ is: 'unanswered', got: String(error), askedAt }))
    asked.end(text)
  })
}

/** The body of each turn of a conversation, the second once the answer to the first is there. */
export function conversation(dialect, city) {
  const { first, second, callIn } = dialects[dialect]
  const opening = first(city)
  return {
    opening,
    goOn: (body) => {
      const call = callIn(body)
      return call === undefined ? undefined : second(opening, call)
    },
  }
}

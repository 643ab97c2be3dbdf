import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PIECES, streams as written } from './burst-streams.mjs'
import { median } from './measure.mjs'
import { file, start, startGateway } from './program.mjs'
import { printTable, short } from './table.mjs'

const ROUNDS = 7
const AT_ONCE = 32
const WARM_UP = 1500
const MEASURED = 400
const dialects = Object.keys(written)

/** What does an event of a stream cost beside a proxy that copies bytes, in each dialect and between dialects? */
export async function streams() {
  const pairings = [
    ...dialects.map((dialect) => [dialect, dialect]),
    ...dialects.filter((dialect) => dialect !== 'openai-chat').map((dialect) => [dialect, 'openai-chat']),
    ...dialects.filter((dialect) => dialect !== 'openai-chat').map((dialect) => ['openai-chat', dialect]),
  ]
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'))
  const upstream = start([file('./burst-upstream.mjs')])
  const port = await upstream.line(/^(\d+)$/m)
  const proxy = start([file('./byte-proxy.mjs'), port])
  const gateway = startGateway('--config', configIn(folder, port))
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  try {
    const address = await gateway.address()
    const proxyAddress = `http://127.0.0.1:${await proxy.line(/^(\d+)$/m)}`
    const runs = [
      ...dialects.map((dialect) => ({
        key: `proxy ${dialect}`,
        pid: proxy.pid,
        ask: () => ask(agent, proxyAddress, dialect, dialect),
      })),
      ...pairings.map(([client, from]) => ({
        key: `${client} ${from}`,
        pid: gateway.pid,
        ask: () => ask(agent, address, client, from),
      })),
    ]
    const samples = new Map(runs.map(({ key }) => [key, []]))
    for (const each of runs) await inParallel(each.ask, WARM_UP)
    for (let round = 0; round < ROUNDS; round++) {
      for (const { key, pid, ask: once } of runs) {
        const before = processorMicroseconds(pid)
        await inParallel(once, MEASURED)
        samples.get(key).push((processorMicroseconds(pid) - before) / MEASURED / PIECES)
      }
    }
    const rows = pairings.map(([client, from]) => {
      const bare = samples.get(`proxy ${from}`)
      const own = samples.get(`${client} ${from}`)
      const ratio = median(own.map((each, at) => each / bare[at]))
      return [
        `${client} client, ${from} upstream`,
        short(median(own)),
        short(median(bare)),
        `${ratio.toFixed(2)} ×`,
      ]
    })
    printTable('An event of a burst, µs of processor time', ['', 'gateway', 'byte proxy', 'times'], rows)
  } finally {
    agent.destroy()
    for (const each of [gateway, proxy, upstream]) each.end()
    rmSync(folder, { recursive: true })
  }
}

/** `more`: what else the configuration says; `name` is that of the file. */
export function configIn(folder, port, more = {}, name = 'dragoman.yaml') {
  const entries = dialects.map((dialect) => {
    const url = `http://127.0.0.1:${port}/${dialect === 'gemini' ? 'v1beta' : 'v1'}`
    return [dialect, { url, dialect, kind: 'other' }]
  })
  const models = dialects.map((dialect) => ({ match: dialect, upstream: dialect, model: 'kimi-k2' }))
  const path = join(folder, name)
  writeFileSync(
    path,
    JSON.stringify({ upstreams: Object.fromEntries(entries), models, log: { level: 'warn' }, ...more }),
  )
  return path
}

export async function inParallel(once, count) {
  let left = count
  const worker = async () => {
    while (left-- > 0) await once()
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

export function ask(agent, address, client, model) {
  const { path, body } = questions[client](model)
  const text = JSON.stringify(body)
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  return new Promise((resolve, fail) => {
    const sent = request(`${address}${path}`, { agent, method: 'POST', headers }, (response) => {
      let last = ''
      response.setEncoding('latin1')
      response.on('data', (piece) => (last = last.slice(-600) + piece))
      response.on('end', () => {
        if (ends[client].test(last)) resolve()
        else fail(new Error(`${client} from ${model}: ${response.statusCode} ${last.slice(-600)}`))
      })
    })
    sent.on('error', fail)
    sent.end(text)
  })
}

const ends = {
  'openai-chat': /\[DONE\]\n\n$/,
  'anthropic-messages': /"message_stop"\}\n\n$/,
  'openai-responses': /"response\.completed"/,
  gemini: /"finishReason":"STOP"/,
}

const parameters = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }
const about = { name: 'read_file', description: 'Reads a file.' }

/** The same question in each dialect, with a tool. */
const questions = {
  'openai-chat': (model) => ({
    path: '/v1/chat/completions',
    body: {
      model,
      stream: true,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ type: 'function', function: { ...about, parameters } }],
    },
  }),
  'anthropic-messages': (model) => ({
    path: '/v1/messages',
    body: {
      model,
      stream: true,
      max_tokens: 1000,
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [{ ...about, input_schema: parameters }],
    },
  }),
  'openai-responses': (model) => ({
    path: '/v1/responses',
    body: {
      model,
      stream: true,
      store: false,
      input: 'Hello',
      tools: [{ type: 'function', ...about, parameters, strict: false }],
    },
  }),
  gemini: (model) => ({
    path: `/v1beta/models/${model}:streamGenerateContent?alt=sse`,
    body: {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [{ ...about, parametersJsonSchema: parameters }] }],
    },
  }),
}

/** Of this process so far, in user and kernel mode: Linux tells it in hundredths of a second. */
function processorMicroseconds(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRecorder } from '../../src/recorder/recorder.ts'
import { parseRecording, type RecordedExchange } from '../../src/recorder/recording.ts'
import { createRedactor } from '../../src/security/redact.ts'
import { between, stopAll, type ScriptedAnswer } from '../exchange/between.ts'

let dir = ''
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'dragoman-record-'))
})
afterEach(async () => {
  await rm(dir, { recursive: true })
})

const key = 'lab-secret-4711'
const chunks = [
  'data: {"id":"gen-7","choices":[{"index":0,"delta":{"content":"Hé"}}]}\n\n',
  'data: {"id":"gen-7","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
  'data: [DONE]\n\n',
]

/** Sends one request through a gateway that records, and reads what it recorded. */
async function recorded(
  answer: ScriptedAnswer,
  path: string,
  body: object,
): Promise<{ exchange: RecordedExchange; file: string; text: string; status: number }> {
  const recorder = createRecorder({
    config: { dir, maxBytes: 1_000_000, maxAge: 60_000 },
    redact: createRedactor([key]),
    now: Date.now,
    onDrop: () => {},
    onFault: () => {},
  })
  const gateway = await between(answer, { apiKey: key, recorder })
  const { text, status } = await gateway.post(path, body, {
    authorization: 'Bearer client-secret-99',
    'x-api-key': 'client-secret-98',
  })
  await stopAll()
  await recorder.close()
  const [name] = await readdir(dir)
  const file = await readFile(join(dir, name ?? ''), 'utf8')
  const exchange = parseRecording(file)
  if (exchange === undefined) throw new Error('There is no recording.')
  return { exchange, file, text, status }
}

const messages = [{ role: 'user', content: 'Hello' }]

it('a stream is recorded in its four stages', async () => {
  const request = { model: 'm', max_tokens: 9, stream: true, messages }
  const { exchange, text } = await recorded({ pieces: chunks }, '/v1/messages', request)
  expect(exchange.client).toEqual({
    dialect: 'anthropic-messages',
    request: JSON.stringify(request),
    status: 200,
    response: text,
  })
  expect(text).toContain('event: message_stop')
  expect(exchange.upstream).toMatchObject({
    name: 'lab',
    dialect: 'openai-chat',
    model: 'm',
    reading: { format: 'kimi' },
    status: 200,
    contentType: 'text/event-stream',
    response: chunks.join(''),
    fault: null,
  })
  expect(JSON.parse(exchange.upstream?.request ?? '')).toMatchObject({ model: 'm', stream: true })
})

it('no credential is in the file, whoever it belongs to', async () => {
  const pieces = [`data: {"error":{"message":"wrong key ${key}"}}\n\n`]
  const { file } = await recorded({ pieces }, '/v1/chat/completions', { model: 'm', stream: true, messages })
  expect(file).not.toContain(key)
  expect(file).not.toContain('client-secret')
  expect(file.toLowerCase()).not.toContain('authorization')
})

it('a credential that stands for the name of the model is not in the file either', async () => {
  const { exchange, file } = await recorded({ pieces: chunks }, '/v1/messages', {
    model: `model-${key}`,
    max_tokens: 9,
    stream: true,
    messages,
  })
  expect(file).not.toContain(key)
  expect(exchange.upstream).toMatchObject({
    model: 'model-[redacted]',
    reading: { model: 'model-[redacted]' },
  })
})

it('a refusal of the upstream is recorded with what the client got', async () => {
  const answer = { status: 429, type: 'application/json', pieces: ['{"error":{"message":"slow down"}}'] }
  const { exchange, text } = await recorded(answer, '/v1/chat/completions', { model: 'm', messages })
  expect(exchange.upstream).toMatchObject({ status: 429, response: '{"error":{"message":"slow down"}}' })
  expect(exchange.client).toMatchObject({ status: 429, response: text })
})

it('a request that goes nowhere is recorded without an upstream', async () => {
  const { exchange } = await recorded({ pieces: [] }, '/v1/chat/completions', { model: 'm', messages: 7 })
  expect(exchange.upstream).toBeNull()
  expect(exchange.client.status).toBe(400)
})

it('an answer that was cut off is marked', async () => {
  const answer = { pieces: chunks.slice(0, 1), isCut: true }
  const { exchange } = await recorded(answer, '/v1/chat/completions', { model: 'm', stream: true, messages })
  expect(exchange.upstream).toMatchObject({ fault: 'cut', response: chunks[0] })
  expect(exchange.client.response).toContain('upstream_truncated')
})

import { Agent, request } from 'node:http'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DialectName } from '../../core/test/clients-agree/answer.ts'
import { dialectNames, readers, requests } from './dialects.ts'
import { FaultWorld } from './fault-world.ts'

// Requests that no server could answer. Each is refused with a status of the client's own kind, in the client's own
// words, and nobody is asked.

const runs = Number(process.env['FUZZ_REQUESTS'] ?? 20_000)
const atOnce = 32

let world: FaultWorld
const agent = new Agent({ keepAlive: true, maxSockets: atOnce })

beforeAll(async () => {
  world = await FaultWorld.start()
})

afterAll(async () => {
  agent.destroy()
  await world.stop()
})

/** Where the conversation stands, and one turn of it. */
const conversations: Readonly<Record<DialectName, { readonly field: string; readonly turn: object }>> = {
  'openai-chat': { field: 'messages', turn: { role: 'user', content: 'Hi' } },
  'anthropic-messages': { field: 'messages', turn: { role: 'user', content: 'Hi' } },
  'openai-responses': { field: 'input', turn: { type: 'message', role: 'user', content: 'Hi' } },
  gemini: { field: 'contents', turn: { role: 'user', parts: [{ text: 'Hi' }] } },
}

const noText = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.array(fc.integer(), { maxLength: 3 }),
  fc.object({ maxDepth: 1 }),
)
const noObject = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.string({ maxLength: 9 }),
  fc.array(fc.integer(), { maxLength: 2 }),
)

/** A body that is wrong for certain, and why. */
function wrongBody(client: DialectName): fc.Arbitrary<{ readonly why: string; readonly body: string }> {
  const { field, turn } = conversations[client]
  const whole: Record<string, unknown> = JSON.parse(
    String(requests[client]('openai-chat.never', 'whole').body),
  )
  const text = JSON.stringify({ ...whole, [field]: [turn] })
  const isNamed = client !== 'gemini'
  const withField = (why: string, values: fc.Arbitrary<unknown>) =>
    values.map((value) => ({ why, body: JSON.stringify({ ...whole, [field]: value }) }))
  return fc.oneof(
    fc.nat(text.length - 2).map((length) => ({ why: 'JSON that was cut', body: text.slice(0, length) })),
    fc
      .tuple(fc.nat(text.length - 1), fc.constantFrom('\u0001', '}{', '""', '#'))
      .filter(([at]) => !isInText(text, at))
      .map(([at, piece]) => ({
        why: 'JSON with something in it',
        body: text.slice(0, at) + piece + text.slice(at),
      }))
      .filter(({ body }) => !isJson(body)),
    noObject.map((value) => ({ why: 'no object', body: JSON.stringify(value) })),
    withField(
      'a conversation that is no list',
      fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.object()),
    ),
    withField('turns that are no objects', fc.array(noObject, { minLength: 1, maxLength: 3 })),
    withField(
      'a turn of nobody',
      noText.map((role) => [{ ...turn, role }]),
    ),
    ...(isNamed
      ? [
          noText.map((model) => ({
            why: 'a model that is no text',
            body: JSON.stringify({ ...whole, model }),
          })),
        ]
      : []),
    fc.integer({ min: 200, max: 5000 }).map((depth) => ({
      why: 'levels without end',
      body: text.replace('{', `{"x":${'['.repeat(depth)}${']'.repeat(depth)},`),
    })),
  )
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** Whether the place lies in a text of the JSON, where more may stand. */
function isInText(json: string, at: number): boolean {
  return (json.slice(0, at).match(/(?<!\\)"/g) ?? []).length % 2 === 1
}

interface Refused {
  readonly status: number
  readonly body: string
}

function post(path: string, body: string): Promise<Refused> {
  return new Promise((resolve, fail) => {
    const headers = {
      ...world.keyHeader,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    }
    const sent = request(
      { port: world.port, host: '127.0.0.1', method: 'POST', path, agent, headers },
      (response) => {
        const pieces: Buffer[] = []
        response
          .on('data', (piece: Buffer) => pieces.push(piece))
          .on('end', () =>
            resolve({ status: response.statusCode ?? 0, body: Buffer.concat(pieces).toString('utf8') }),
          )
      },
    )
    sent.on('error', fail).end(body)
  })
}

describe.each(dialectNames)('a client of %s', (client) => {
  it(
    'that asks for what cannot be is refused in its own words, and nobody is asked',
    async () => {
      const { path } = requests[client]('openai-chat.never', 'whole')
      await fc.assert(
        fc.asyncProperty(
          fc.array(wrongBody(client), { minLength: atOnce, maxLength: atOnce }),
          async (wrong) => {
            await Promise.all(
              wrong.map(async ({ why, body }) => {
                const got = await post(path, body)
                const told = `${why}: ${body.slice(0, 300)}\n${got.body.slice(0, 300)}`
                expect(got.status, told).toBeGreaterThanOrEqual(400)
                expect(got.status, told).toBeLessThan(500)
                const { failure } = readers[client]({ ...got, is: 'whole' })
                expect(failure?.message, told).toMatch(/\S/)
              }),
            )
          },
        ),
        { numRuns: Math.ceil(runs / atOnce) },
      )
      expect(world.upstream.countOf('openai-chat.never')).toBe(0)
      agent.destroy()
      await world.expectCalm()
    },
    Math.max(300_000, runs * 20),
  )
})

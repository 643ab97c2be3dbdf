import { readdirSync, readFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { MessageChannel, Worker } from 'node:worker_threads'
import {
  dialectIds,
  encodeSse,
  formats,
  mintToolId,
  problemCodes,
  repairCodes,
  translateAnswer,
} from '@dragoman/core'
import { afterAll, expect, it } from 'vitest'
import { type Golden, readGoldens } from '../../core/test/support/golden-file.ts'
import { usualSettings } from '../src/model/workbench.ts'
import { packedBoth, packedReading } from '../src/reading/packed.ts'
import type { Input, Questions } from '../src/reading/protocol.ts'
import { readBoth, readInput } from '../src/reading/read.ts'

const page = new URL('../../gateway/dist/inspector/', import.meta.url)
const goldens = new URL('../../core/test/golden/', import.meta.url)

const script = readdirSync(page).find((name) => /^worker.*\.js$/.test(name)) ?? ''
/**
 * The script with what a worker has in a browser. Its short names are those of a scope, as they are in the page, where it is
 * a module: other tests may make globals of such names.
 */
const program = `
  const { parentPort } = require('node:worker_threads')
  globalThis.addEventListener = (type, listener) => parentPort.on(type, (data) => listener({ data }))
  ;(() => {
    ${readFileSync(new URL(script, page), 'utf8')}
  })()
`
const worker = new Worker(program, { eval: true })
afterAll(() => worker.terminate())

const broken = new Promise<never>((_, reject) => {
  worker.on('error', reject)
})

/** Asks the script of the page, from which the build takes what answers do not need, and most names. */
function ask<Kind extends keyof Questions>(kind: Kind, question: Questions[Kind]['ask']): Promise<unknown> {
  const { port1: here, port2: there } = new MessageChannel()
  worker.postMessage({ kind, ask: question, answer: there }, [there])
  const answer = new Promise<unknown>((resolve) => {
    here.once('message', (message: unknown) => {
      here.close()
      resolve(message)
    })
  })
  return Promise.race([answer, broken])
}

const samples = readdirSync(goldens).flatMap((name) =>
  readGoldens(readFileSync(new URL(name, goldens), 'utf8')).map((golden) => ({
    title: `${name}: ${golden.title}`,
    input: inputOf(golden),
  })),
)

function inputOf({ options, pieces, reason }: Golden): Input {
  const { format, model = '', tools, promptOpensReasoning: isOpened, delivery, calls } = options
  return {
    source: pieces.map(({ text }) => text).join(''),
    as: 'text',
    settings: {
      format: format ?? 'auto',
      model,
      tools: tools === undefined || tools === null ? '' : JSON.stringify(tools),
      channel: pieces[0]?.channel ?? 'content',
      prompt: isOpened === undefined ? 'unknown' : isOpened ? 'opened' : 'not-opened',
      delivery: delivery ?? 'incremental',
      calls: calls ?? 'read',
      end: reason ?? 'unknown',
    },
  }
}

it.each([
  ['whole', () => null],
  ['cut in the middle, with what is held', (length: number) => Math.floor(length / 2)],
])('the worker of the page reads every golden as the sources do: %s', async (_, cutOf) => {
  const judged = samples.map(async ({ title, input }) => {
    const cut = cutOf(input.source.length)
    const answer = ask('read', { input, cut })
    const sent = packedReading(readInput(input, cut))
    return isDeepStrictEqual(await answer, { sent }) ? [] : [title]
  })
  const others = (await Promise.all(judged)).flat()
  expect(samples.length).toBeGreaterThan(1000)
  expect(others).toEqual([])
})

it.each(dialectIds)('and what clients got, in %s', async (dialect) => {
  for (const wants of ['stream', 'whole'] as const) {
    for (const { id, sample } of formats) {
      const said = stream({ reasoning_content: 'hm' }, { content: `Yes. ${sample}` })
      const translation = translateAnswer({
        from: 'openai-chat',
        to: dialect,
        delivered: 'stream',
        wants,
        includeUsage: false,
        parser: { format: id },
        mint: (format, taken) => mintToolId({ dialect, format, taken, newId: () => 'n1' }),
        encoding: () => ({ id: 'x', model: 'm', created: 1, inputTokens: () => 1, signature: () => 's' }),
      })
      const got = translation.push(said) + translation.end()
      const both = { said: wire(said, id), got: wire(got, 'standard'), isEnded: true }
      const sent = packedBoth(readBoth(both.said, both.got, both.isEnded))
      expect(await ask('both', both)).toEqual({ sent })
    }
  }
})

function stream(...deltas: readonly object[]): string {
  const choices = [...deltas.map((delta) => ({ index: 0, delta })), { index: 0, finish_reason: 'stop' }]
  return choices.map((choice) => encodeSse({ data: JSON.stringify({ choices: [choice] }) })).join('')
}

function wire(source: string, format: string): Input {
  return { source, as: 'auto', settings: { ...usualSettings, format } }
}

it('and it knows the formats, what codes mean, and that chunks do not matter', async () => {
  expect(await ask('formats', null)).toEqual({ sent: formats.map(({ id, sample }) => ({ id, sample })) })
  expect(await ask('meanings', null)).toEqual({ sent: { ...problemCodes, ...repairCodes } })
  const input = wire('<tool_call>{"name": "ping", "arguments": {}}</tool_call>', 'auto')
  expect(await ask('chunkings', input)).toMatchObject({ sent: { difference: null } })
})

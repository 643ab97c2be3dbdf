import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterEach, describe, expect, it } from 'vitest'
import { ask, clientDialects, paths, post, weatherRequest } from '../server/ask.ts'
import { chunk, sse, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'
import { type RunningProgram, startProgram, stopPrograms } from './running-program.ts'

const MIB = 1_048_576

afterEach(() => {
  stopPrograms()
  stopUpstreams()
})

const event = (content: string): string => `data: ${JSON.stringify(chunk({ content }))}\n\n`

/** Writes text until so many bytes are written or nobody reads any more, no faster than it is read. */
async function pour(response: ServerResponse, piece: string, bytes: number): Promise<void> {
  const pieces = function* (): Generator<string> {
    for (let written = 0; written < bytes; written += piece.length) yield piece
  }
  await pipeline(Readable.from(pieces(), { objectMode: false }), response, { end: false }).catch(() => {})
}

/** The most memory that the process has had so far, in MiB. */
async function peak({ child }: RunningProgram): Promise<number> {
  const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
  return Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? Number.NaN) / 1024
}

describe.each(clientDialects)('for a client of %s', (dialect) => {
  it('a line of more than 8 MiB is an error in the stream, and is not kept', async () => {
    const upstream = await startUpstream(async (response, nth) => {
      sse(response, chunk({ role: 'assistant', content: 'Paris is' }))
      // A process that has just begun grows to its working size with whatever it does first.
      if (nth === 1) {
        await pour(response, event('x'.repeat(4000)), 16 * MIB)
        response.end()
        return
      }
      response.write('data: {"choices":[{"index":0,"delta":{"content":"')
      await pour(response, 'x'.repeat(65_536), 64 * MIB)
    })
    const program = await startProgram(['--port', '0', '--upstream', upstream.url])
    await ask(program.address, dialect)
    const before = await peak(program)
    const answer = await ask(program.address, dialect)
    expect(answer).toMatchObject({ status: 200, text: 'Paris is', isMarkedDone: false })
    expect(answer.body).toContain('upstream_limit')
    await until(() => upstream.openRequests === 0, 1000)
    expect((await peak(program)) - before).toBeLessThan(64)
  })

  it('a stream of 100 MB arrives whole, and is not kept', async () => {
    const piece = event('All work and no play. '.repeat(400))
    const pieces = Math.ceil(100_000_000 / piece.length)
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ role: 'assistant', content: '' }))
      await pour(response, piece, pieces * piece.length)
      sse(response, chunk({}, 'stop'), '[DONE]')
      response.end()
    })
    const program = await startProgram(['--port', '0', '--upstream', upstream.url])
    const response = await post(program.address, paths[dialect], weatherRequest(dialect))
    let received = 0
    let tail = ''
    for await (const bytes of response.body ?? []) {
      received += bytes.length
      tail = (tail + Buffer.from(bytes).toString('latin1')).slice(-300)
    }
    expect(received).toBeGreaterThan(pieces * 400 * 22)
    expect(tail).toContain(dialect === 'anthropic' ? 'message_stop' : '[DONE]')
    expect(await peak(program)).toBeLessThan(220)
  })

  it('arguments without end are passed on until the client leaves, and are not kept', async () => {
    const begin = '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0'
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ content: `${begin}<|tool_call_argument_begin|>{"city":"` }))
      await pour(response, event('Paris '.repeat(1500)), 1024 * MIB)
    })
    const program = await startProgram(['--port', '0', '--upstream', upstream.url])
    const leaving = new AbortController()
    const response = await post(program.address, paths[dialect], weatherRequest(dialect), leaving)
    let received = 0
    for await (const bytes of response.body ?? []) {
      received += bytes.length
      if (received > 20 * MIB) break
    }
    leaving.abort()
    await until(() => upstream.openRequests === 0, 1000)
    expect(received).toBeGreaterThan(20 * MIB)
    expect(await peak(program)).toBeLessThan(220)
  })

  it('arguments without end that have to be held are an error', async () => {
    const begin = '<tool_call>{"name":"get_weather","arguments":{"city":"'
    const upstream = await startUpstream(async (response) => {
      sse(response, chunk({ role: 'assistant', content: begin }))
      await pour(response, event('Paris '.repeat(1500)), 1024 * MIB)
    })
    const dir = await mkdtemp(join(tmpdir(), 'dragoman-'))
    await writeFile(join(dir, 'dragoman.yaml'), 'delivery: complete\n')
    const program = await startProgram(['--port', '0', '--upstream', upstream.url], { cwd: dir })
    const answer = await ask(program.address, dialect)
    expect([answer.isMarkedDone, answer.hasCall]).toEqual([false, false])
    expect(`${answer.error?.code} ${answer.error?.message}`).toContain('tool_call_too_large')
    await until(() => upstream.openRequests === 0, 1000)
    expect(await peak(program)).toBeLessThan(220)
  })
})

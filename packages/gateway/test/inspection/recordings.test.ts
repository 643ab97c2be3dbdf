import { linkSync } from 'node:fs'
import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { packageFile } from '../../src/cli/package-files.ts'
import { RecordingScanner } from '../../src/inspection/recording-scan.ts'
import { RecordingsServer } from '../../src/inspection/recordings-server.ts'
import { createRecorder } from '../../src/recorder/recorder.ts'
import { dragoman } from '../cli/in-process.ts'
import { withFile } from '../cli/run-cli.ts'
import { ask } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { completion, json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { eventually, lookAt } from './look.ts'

let folder = ''
let server: RecordingsServer | undefined

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-inspect-'))
})
afterEach(async () => {
  await server?.close()
  server = undefined
  await stopGateways()
  stopUpstreams()
  await rm(folder, { recursive: true })
})

async function inspect(at = folder): Promise<ReturnType<typeof lookAt>> {
  server = new RecordingsServer({ at, version: '0.0.0', pageFolder: packageFile('dist/inspector') })
  const page = await server.listen(0)
  expect((await fetch(page)).status).toBe(200)
  return lookAt(new URL(page).origin)
}

function recording(more: object = {}, said = 'data: [DONE]\n\n'): Record<string, unknown> {
  return {
    dragomanRecording: 1,
    requestId: 'req-1',
    time: '2026-03-04T05:06:07.008Z',
    client: {
      dialect: 'openai-chat',
      request: '{"messages":[{"role":"user","content":"the \\"model\\": \\"x\\""}],"model":"kimi-k2"}',
      status: 200,
      response: said,
    },
    upstream: {
      name: 'lab',
      dialect: 'openai-chat',
      model: 'moonshotai/kimi-k2',
      format: 'kimi',
      reading: { format: 'auto', model: 'moonshotai/kimi-k2', limits: { toolCallBytes: 1 }, calls: 'read' },
      request: '{}',
      status: 200,
      contentType: 'text/event-stream',
      fault: null,
      response: said,
    },
    ...more,
  }
}

function nameOf(second: number, id: string): string {
  return `2026-03-04T05-06-${String(second).padStart(2, '0')}.008Z-${id}.json`
}

describe('dragoman inspect', () => {
  it('lists recordings newest first, with what a recording knows', async () => {
    await writeFile(join(folder, nameOf(7, 'req-1')), JSON.stringify(recording(), null, 2))
    await writeFile(join(folder, nameOf(8, 'req-2')), JSON.stringify(recording()))
    await writeFile(
      join(folder, 'renamed.json'),
      JSON.stringify(recording({ time: '2026-03-04T05:06:09.000Z' })),
    )
    await writeFile(join(folder, 'package.json'), '{"version":"1.0.0"}')
    const look = await inspect()
    expect(await look.status()).toMatchObject({ shows: 'recordings', mayAskAgain: false })
    const { exchanges } = await look.list()
    expect(exchanges.map(({ id }) => id)).toEqual(['renamed.json', 'req-2', 'req-1'])
    expect(exchanges[2]).toMatchObject({
      time: '2026-03-04T05:06:07.008Z',
      state: 'ended',
      clientDialect: 'openai-chat',
      model: 'kimi-k2',
      upstreamModel: 'moonshotai/kimi-k2',
      format: 'kimi',
      durationMs: null,
    })
    expect(await look.details('req-1')).toMatchObject({
      client: { path: '/v1/chat/completions' },
      upstream: { reading: { format: 'auto', model: 'moonshotai/kimi-k2', calls: 'read' } },
    })
    expect(await look.stage('req-1', 'upstream-response')).toEqual([{ at: null, text: 'data: [DONE]\n\n' }])
  })

  it('shows what there is of a file that is cut off, and says so', async () => {
    const whole = JSON.stringify(recording({}, `data: "${'é'.repeat(50)}"\n\n`), null, 2)
    await writeFile(join(folder, nameOf(7, 'req-1')), whole.slice(0, whole.indexOf('éé') + 10))
    const look = await inspect()
    const [only] = (await look.list()).exchanges
    expect(only).toMatchObject({ state: 'failed', model: 'kimi-k2', upstream: null })
    expect(only?.failure).toContain('cut off')
    expect(await look.stageText('req-1', 'client-response')).toBe(`data: "${'é'.repeat(10)}`)
  })

  it('says of another layout that it is one, and shows what it knows of it', async () => {
    await writeFile(
      join(folder, nameOf(7, 'req-1')),
      JSON.stringify(recording({ dragomanRecording: 7, new: [1] })),
    )
    const look = await inspect()
    const [only] = (await look.list()).exchanges
    expect(only).toMatchObject({
      state: 'failed',
      failure: 'The recording has the layout 7; this version reads 1.',
    })
    expect(await look.stageText('req-1', 'client-response')).toContain('[DONE]')
  })

  it('reads a large file in pieces, of which none cuts a character or an escape', async () => {
    const path = join(folder, nameOf(7, 'req-1'))
    const [before = '', behind = ''] = JSON.stringify(recording({}, 'HERE')).split('"response":"HERE"', 2)
    const line = String.raw`data: {\"content\":\"é 𝄞 \ud834\udd1e \u0041 \\\\\"}\n\n`
    const file = await open(path, 'w')
    await file.write(`${before}"response":"`)
    const block = line.repeat(20_000)
    for (let at = 0; at < 8; at++) await file.write(block)
    await file.write(`"${behind}"response":""}}`)
    await file.close()
    const look = await inspect()
    expect((await look.list()).exchanges[0]).toMatchObject({ state: 'ended', upstream: 'lab' })
    const first = await look.part('req-1', 'client-response', 0)
    expect(first.next).toBe(1)
    expect(first.chunks[0]?.text.length).toBeLessThan(1_100_000)
    const text = await look.stageText('req-1', 'client-response')
    const unescapedLine: unknown = JSON.parse(`"${line}"`)
    expect(text === String(unescapedLine).repeat(160_000)).toBe(true)
  }, 60_000)

  it('shows the beginning, the middle and the end of half a gigabyte, and holds none of it', async () => {
    const path = join(folder, nameOf(7, 'req-1'))
    const [before = '', behind = ''] = JSON.stringify(recording({}, 'HERE')).split('"response":"HERE"', 2)
    const events = String.raw`data: {\"content\":\"é\"}\n\n`.repeat(50_000)
    const file = await open(path, 'w')
    await file.write(`${before}"response":"${events}`)
    // The middle is a hole in the file, so that no disk has to take it: it reads as bytes without a meaning.
    await file.write(`${events}"${behind}"response":""}}`, 500_000_000)
    await file.close()
    const look = await inspect()
    const used = process.memoryUsage().rss
    const began = performance.now()
    expect((await look.list()).exchanges[0]).toMatchObject({ state: 'ended', upstream: 'lab' })
    expect(performance.now() - began).toBeLessThan(20_000)
    const first = await look.part('req-1', 'client-response', 0)
    expect(first.chunks[0]?.text).toBe('data: {"content":"é"}\n\n')
    const middle = await look.part('req-1', 'client-response', 250)
    expect(middle.chunks[0]?.text.length).toBeLessThan(1_100_000)
    const last = await look.part('req-1', 'client-response', 501)
    expect(last).toMatchObject({ next: null })
    expect(last.chunks.at(-1)?.text).toBe('data: {"content":"é"}\n\n')
    expect(process.memoryUsage().rss - used).toBeLessThan(200_000_000)
  }, 60_000)

  it('refuses other sites, and any name but that of this machine', async () => {
    await writeFile(join(folder, nameOf(7, 'req-1')), JSON.stringify(recording()))
    server = new RecordingsServer({ at: folder, version: '0.0.0', pageFolder: packageFile('dist/inspector') })
    const api = `${await server.listen(0)}api/v1/exchanges`
    expect((await fetch(api, { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await fetch(api.replace('127.0.0.1', 'localhost'))).status).toBe(200)
  })

  it.each([
    [['inspect', '/nowhere/at/all'], 'there is no file or folder /nowhere/at/all'],
    [['inspect', '--port', 'many', '.'], '--port needs a number up to 65535'],
  ])('%j is told what is wrong', async (args, words) => {
    const { code, stderr } = await dragoman(args)
    expect(code).toBeGreaterThan(0)
    expect(stderr).toContain(words)
  })

  it('a file that is no recording is told so', async () => {
    await withFile('notes.json', '{"a":1}', async (path) => {
      const { code, stderr } = await dragoman(['inspect', path])
      expect(code).toBe(1)
      expect(stderr).toContain('is not a recording of dragoman')
    })
  })
})

describe('a scanner', () => {
  it('finds the same in every chunking', () => {
    const bytes = Buffer.from(JSON.stringify(recording({}, 'a "é" \\ \u0000 \ud834 end'), null, 1))
    const scan = (size: number): unknown => {
      const scanner = new RecordingScanner()
      for (let at = 0; at < bytes.length; at += size) scanner.push(bytes.subarray(at, at + size))
      return scanner.end()
    }
    const whole = scan(bytes.length)
    expect(whole).toMatchObject({ end: 'whole' })
    for (const size of [1, 2, 3, 7, 64]) expect(scan(size)).toEqual(whole)
  })

  it.each(['', 'data: 1', '[]', '{"a":1,,}', '{"a" "b"}', '{]}', '\u0000\u0001'])(
    '%j is no recording',
    (text) => {
      const scanner = new RecordingScanner()
      scanner.push(Buffer.from(text))
      expect(scanner.end().values.get('dragomanRecording')).toBeUndefined()
    },
  )
})

describe('a gateway that records', () => {
  it('lists the recordings of its folder behind what it remembers, each exchange once', async () => {
    await writeFile(join(folder, nameOf(7, 'old')), JSON.stringify(recording()))
    const recorder = createRecorder({
      config: { dir: folder, maxBytes: 1e9, maxAge: 1e12 },
      redact: (text) => text,
      now: Date.now,
      onDrop: () => {},
      onFault: () => {},
    })
    const upstream = await startUpstream((response) => json(response, 200, completion('hi')))
    const { address } = await startGateway({
      upstream: upstream.url,
      recorder,
      settings: { record: { dir: folder, maxAge: '9000d' }, inspector: { memory: 60_000 } },
    })
    const look = lookAt(address)
    expect(await look.status()).toMatchObject({ shows: 'live-and-recordings' })
    for (let at = 0; at < 6; at++) await ask(address, 'openai', { stream: false })
    await recorder.close()
    await eventually(async () => (await look.list()).exchanges.length === 7)
    const { exchanges } = await look.list()
    expect(exchanges.at(-1)).toMatchObject({ id: 'old', durationMs: null })
    expect(exchanges[0]?.durationMs).not.toBeNull()
    // What the memory has forgotten is still there, from its file.
    expect(exchanges[5]?.durationMs).toBeNull()
    expect(await look.stageText(exchanges[5]?.id ?? '', 'client-response')).toContain('hi')
  })

  it('lists thousands of them page by page', async () => {
    const one = join(folder, nameOf(7, 'r0'))
    await writeFile(one, JSON.stringify(recording()))
    for (let at = 1; at < 2500; at++) linkSync(one, join(folder, nameOf(7, `r${at}`)))
    const look = await inspect()
    const ids = new Set<string>()
    let next: string | null = ''
    while (next !== null) {
      const page = await look.list(`limit=500${next === '' ? '' : `&cursor=${encodeURIComponent(next)}`}`)
      for (const { id } of page.exchanges) ids.add(id)
      next = page.next
    }
    expect(ids.size).toBe(2500)
  }, 120_000)
})

import { linkSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { RecordingFolder } from '../../src/recorder/recording-folder.ts'
import { createRecorder, type Recorder, type RecorderOptions } from '../../src/recorder/recorder.ts'
import { parseRecording, type RecordedExchange } from '../../src/recorder/recording.ts'
import { createRedactor } from '../../src/security/redact.ts'

let folder = ''
let dir = ''
let now = Date.parse('2026-03-04T05:06:07.008Z')
let dropped = 0
let faults: string[] = []

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-record-'))
  dir = join(folder, 'deep', 'recordings')
  now = Date.parse('2026-03-04T05:06:07.008Z')
  dropped = 0
  faults = []
})
afterEach(async () => {
  await rm(folder, { recursive: true })
})

function recorder(more: Partial<RecorderOptions> & { maxBytes?: number; maxAge?: number } = {}): Recorder {
  const { maxBytes = 1_000_000, maxAge = 60_000, ...options } = more
  return createRecorder({
    config: { dir, maxBytes, maxAge },
    redact: createRedactor(['hush-hush-1']),
    now: () => now,
    onDrop: () => dropped++,
    onFault: (message) => faults.push(message),
    ...options,
  })
}

function about(requestId: string): Parameters<Recorder['open']>[0] {
  return { requestId, dialect: 'openai-chat', asked: { path: '/v1/chat/completions', query: {} } }
}

function record(into: Recorder, id: string, answer = 'Hi'): void {
  const recording = into.open(about(id))
  recording.clientRequest('{"model":"m"}')
  recording.clientChunk(answer)
  recording.end(200)
}

async function readOnly(): Promise<RecordedExchange | undefined> {
  const [name] = await readdir(dir)
  return parseRecording(await readFile(join(dir, name ?? ''), 'utf8'))
}

describe('a recorder', () => {
  it('writes one file an exchange, named by time and request, for the owner alone', async () => {
    const into = recorder()
    record(into, 'req-1')
    now += 1000
    record(into, 'req-2')
    await into.close()
    expect(await readdir(dir)).toEqual([
      '2026-03-04T05-06-07.008Z-req-1.json',
      '2026-03-04T05-06-08.008Z-req-2.json',
    ])
    expect((await stat(dir)).mode & 0o777).toBe(0o700)
    expect((await stat(join(dir, '2026-03-04T05-06-07.008Z-req-1.json'))).mode & 0o777).toBe(0o600)
  })

  it('takes a secret out even where it lies across two chunks', async () => {
    const into = recorder()
    const recording = into.open(about('req-1'))
    recording.clientRequest('{"note":"hush-hush-1"}')
    recording.clientChunk('it is hush-')
    recording.clientChunk(Buffer.from('hush-1, né'))
    recording.end(200)
    await into.close()
    expect(await readOnly()).toMatchObject({
      requestId: 'req-1',
      time: '2026-03-04T05:06:07.008Z',
      client: { request: '{"note":"[redacted]"}', response: 'it is [redacted], né', status: 200 },
      upstream: null,
    })
  })

  it('makes room by removing the oldest, and touches no file that is not its own', async () => {
    const into = recorder({ maxBytes: 4000 })
    for (let at = 0; at < 20; at++) {
      now += 1000
      record(into, `req-${at}`, 'x'.repeat(500))
    }
    await into.close()
    await writeFile(join(dir, 'notes.json'), 'y'.repeat(9000))
    const later = recorder({ maxBytes: 4000 })
    await later.close()
    const names = await readdir(dir)
    expect(names).toContain('notes.json')
    const own = names.filter((name) => name !== 'notes.json')
    expect(own.at(-1)).toContain('req-19')
    expect(own.length).toBeGreaterThan(1)
    const sizes = await Promise.all(own.map(async (name) => (await stat(join(dir, name))).size))
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(4000)
  })

  it('removes what is too old when it starts', async () => {
    const into = recorder()
    record(into, 'old')
    await into.close()
    now += 61_000
    const later = recorder()
    record(later, 'new')
    await later.close()
    expect(await readdir(dir)).toEqual(['2026-03-04T05-07-08.008Z-new.json'])
  })

  it('drops an exchange for which there is no room in memory, and counts it once', async () => {
    const into = recorder({ limits: { heldBytes: 100 } })
    record(into, 'large', 'x'.repeat(200))
    record(into, 'small')
    await into.close()
    expect(dropped).toBe(1)
    expect(await readdir(dir)).toEqual(['2026-03-04T05-06-07.008Z-small.json'])
  })

  it('drops what would wait behind too many others', async () => {
    const into = recorder({ limits: { waiting: 2 } })
    for (const id of ['a', 'b', 'c', 'd']) record(into, id)
    await into.close()
    expect(dropped).toBe(2)
    expect((await readdir(dir)).length).toBe(2)
  })

  it('gives memory free as it writes', async () => {
    const into = recorder({ limits: { heldBytes: 100 } })
    record(into, 'a', 'x'.repeat(50))
    // Closing waits for what is being written; it can be used behind that.
    await into.close()
    record(into, 'b', 'x'.repeat(50))
    await into.close()
    expect(dropped).toBe(0)
  })

  it('goes on where the folder cannot be written, says so once, and counts', async () => {
    await mkdir(join(folder, 'deep'))
    await writeFile(dir, 'a file where the folder should be')
    const into = recorder()
    record(into, 'a')
    record(into, 'b')
    await into.close()
    expect(dropped).toBe(2)
    expect(faults.length).toBe(1)
    await rm(dir)
    const again = recorder()
    record(again, 'c')
    await again.close()
    expect((await readdir(dir)).length).toBe(1)
  })
})

describe('parseRecording', () => {
  it('tells a recording from other JSON', () => {
    for (const text of ['', '{', '[]', '{}', '{"dragomanRecording":1}', '{"choices":[]}']) {
      expect(parseRecording(text)).toBeUndefined()
    }
  })
})

describe('a folder with many recordings', () => {
  it('is looked through without keeping anybody waiting', async () => {
    await mkdir(dir, { recursive: true })
    // Names of one file, as they are made and removed in a tenth of the time that files take.
    const one = join(folder, 'one.json')
    await writeFile(one, 'x')
    for (let at = 0; at < 20_000; at++) {
      const time = new Date(now - at).toISOString().replaceAll(':', '-')
      linkSync(one, join(dir, `${time}-r${at}.json`))
    }
    const lag = monitorEventLoopDelay({ resolution: 5 })
    const keeping = new RecordingFolder({ dir, maxBytes: 10_000, maxAge: 3_600_000 }, () => now)
    lag.enable()
    await keeping.sweep()
    lag.disable()
    // All at once took most of a second, and more on a slower machine.
    expect(lag.max / 1e6).toBeLessThan(250)
    expect(await readdir(dir)).toHaveLength(9000)
  }, 60_000)
})

import { mkdtemp, readdir, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { startCollector } from '../observe/traces/collector-stand-in.ts'
import { ask } from '../server/ask.ts'
import { startProgram, stopPrograms } from './running-program.ts'

vi.setConfig({ testTimeout: 30_000 })

afterEach(stopPrograms)

/** The files that the program has loaded while it served a request, as the engine lists them. */
async function loadedFiles(env: Readonly<Record<string, string>>): Promise<string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-'))
  const started = { env: { ...env, NODE_V8_COVERAGE: folder } }
  const { child, address, exit } = await startProgram(['--port', '0'], started)
  await ask(address, 'openai')
  child.kill('SIGTERM')
  expect(await exit).toBe(0)
  const reports = await Promise.all(
    (await readdir(folder)).map((name) => readFile(join(folder, name), 'utf8')),
  )
  const urls = reports.flatMap((text) => [...text.matchAll(/"url":"([^"]+)"/g)].map(([, url]) => url ?? ''))
  return urls.map((url) => url.slice(url.lastIndexOf('/') + 1))
}

describe('what sends traces', () => {
  it('is loaded where there is a collector, which gets them, and nowhere else', async () => {
    const collector = await startCollector()
    const traced = await loadedFiles({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
    expect(traced).toContain('traces.js')
    expect(
      collector
        .spans()
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(['POST simulator', 'chat kimi-k2'])
    expect(collector.posts[0]?.resource).toMatchObject({ 'service.name': 'dragoman' })
    await collector.close()
    const plain = await loadedFiles({})
    expect(plain).toContain('service.js')
    expect(plain).not.toContain('traces.js')
  })
})

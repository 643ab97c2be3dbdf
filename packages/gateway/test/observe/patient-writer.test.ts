import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, vi } from 'vitest'
import { openLogFile, PatientWriter } from '../../src/observe/patient-writer.ts'

async function withWriter(use: (writer: PatientWriter, read: () => Promise<string>) => Promise<void>) {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-log-'))
  const file = join(folder, 'log')
  try {
    const writer = new PatientWriter(openLogFile(file) ?? 2, () => {})
    await use(writer, () => readFile(file, 'utf8'))
    await writer.close()
  } finally {
    await rm(folder, { recursive: true })
  }
}

const closeAfter = (ms: number): Promise<void> =>
  withWriter(async (writer, read) => {
    writer.write('line\n'.repeat(20))
    await sleep(ms)
    await writer.close()
    writer.write('late\n')
    expect(await read()).toBe('line\n'.repeat(20))
  })

it('a line is written soon, though it waits for others', () =>
  withWriter(async (writer, read) => {
    writer.write('one\n')
    await expect.poll(read, { timeout: 2000 }).toBe('one\n')
  }))

// What still waited for its batch would throw where nobody catches it, and end the process with an error.
it('closing writes what waits, whenever it comes, and nothing happens behind it', async () => {
  const onUncaught = vi.fn()
  process.on('uncaughtException', onUncaught)
  // A batch waits for 50 ms.
  await Promise.all(Array.from({ length: 160 }, (_, at) => closeAfter(at % 80)))
  await sleep(60)
  process.off('uncaughtException', onUncaught)
  expect(onUncaught).not.toHaveBeenCalled()
})

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

it('a line is written soon, though it waits for others', () =>
  withWriter(async (writer, read) => {
    writer.write('one\n')
    await expect.poll(read, { timeout: 2000 }).toBe('one\n')
  }))

// Whatever still waited for its batch would throw where nobody catches it, and end the process with an error.
it('closing writes what waits, and nothing happens behind it', () =>
  withWriter(async (writer, read) => {
    const onUncaught = vi.fn()
    process.on('uncaughtExceptionMonitor', onUncaught)
    for (let line = 0; line < 20; line++) {
      writer.write('line\n')
      if (line === 10) await sleep(60)
    }
    await writer.close()
    writer.write('late\n')
    await sleep(120)
    expect(await read()).toBe('line\n'.repeat(20))
    expect(onUncaught).not.toHaveBeenCalled()
    process.off('uncaughtExceptionMonitor', onUncaught)
  }))

import { execFileSync } from 'node:child_process'
import { closeSync, constants, openSync, statSync } from 'node:fs'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { openLogFile, PatientWriter } from '../../src/observe/patient-writer.ts'
import { until } from '../server/scripted-upstream.ts'

/** Counts what a writer to this file says is lost. */
async function lostIn(
  file: string,
  use: (writer: PatientWriter, lost: () => number) => Promise<void>,
): Promise<number> {
  let lost = 0
  const writer = new PatientWriter(openLogFile(file) ?? 2, (lines) => {
    lost += lines
  })
  await use(writer, () => lost)
  await writer.close()
  return lost
}

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
  // A batch waits for 50 ms: some are closed before that, some at that moment, some behind it.
  await Promise.all(Array.from({ length: 160 }, (_, at) => closeAfter(at % 80)))
  // The batch of the last one would be due by then.
  await sleep(60)
  process.off('uncaughtException', onUncaught)
  expect(onUncaught).not.toHaveBeenCalled()
})

// A write that is tried again behind the end would go to whatever has the number of the closed descriptor by then.
it.runIf(process.platform === 'linux')('what a full pipe did not take goes to no other file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-log-'))
  const pipe = join(folder, 'pipe')
  execFileSync('sh', ['-c', 'mkfifo "$0"', pipe])
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK)
  const writer = new PatientWriter(openLogFile(pipe) ?? 2, () => {})
  for (let line = 0; line < 40; line++) writer.write(`${'.'.repeat(9000)}\n`)
  // It is tried every tenth of a second, and this is not when the writer is closed.
  await sleep(50)
  await writer.close()
  const others = Array.from({ length: 20 }, (_, at) => join(folder, `other-${at}`))
  const opened: number[] = []
  for (const other of others) {
    opened.push(openSync(other, 'w'))
    await sleep(10)
  }
  expect(others.filter((other) => statSync(other).size > 0)).toEqual([])
  for (const descriptor of [reader, ...opened]) closeSync(descriptor)
  await rm(folder, { recursive: true })
})

const lineOf = (bytes: number): string => `${'é'.repeat(bytes / 2)}\n`

describe('lines that could not be written', () => {
  it.runIf(process.platform === 'linux')('are each counted once, however often they are tried', async () => {
    const lost = await lostIn('/dev/full', async (writer, lostSoFar) => {
      for (let line = 0; line < 30; line++) writer.write('line\n')
      await until(() => lostSoFar() === 30)
      writer.write('two\nlines\n')
      await until(() => lostSoFar() === 32)
      for (let line = 0; line < 8; line++) writer.write(lineOf(9000))
      await until(() => lostSoFar() === 40)
    })
    expect(lost).toBe(40)
  })

  it.runIf(process.platform === 'linux')('are counted too where there is no room to keep them', async () => {
    const lost = await lostIn('/dev/full', async (writer, lostSoFar) => {
      for (let line = 0; line < 700; line++) writer.write(lineOf(9000))
      await until(() => lostSoFar() > 0)
    })
    expect(lost).toBe(700)
  })

  it('are none where all were', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'dragoman-log-'))
    const file = join(folder, 'log')
    const lost = await lostIn(file, async (writer) => {
      for (let line = 0; line < 100; line++) writer.write(lineOf(9000))
      await until(() => statSync(file).size > 0)
      for (let line = 0; line < 100; line++) writer.write(lineOf(90))
    })
    expect([lost, (await readFile(file, 'utf8')).split('\n').length]).toEqual([0, 201])
    await rm(folder, { recursive: true })
  })
})

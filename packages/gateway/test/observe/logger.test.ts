import { mkdtemp, readFile, rename, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../src/observe/logger.ts'
import { createRedactor } from '../../src/security/redact.ts'

async function numbersIn(file: string): Promise<unknown[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n')
  return lines.map((line) => Object(JSON.parse(line)).line)
}

describe('a log file', () => {
  it('is made with its folder, for its owner only, and holds no secrets', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'dragoman-')), 'logs', 'today', 'gateway.log')
    const logger = createLogger({
      config: { level: 'info', file },
      redact: createRedactor(['canary-0123456789']),
      isTerminal: false,
      onDrop: () => {},
    })
    logger.debug({}, 'too quiet')
    logger.info({ failure: 'canary-0123456789 is wrong', header: 'Bearer abcdefghijkl' }, 'request')
    await logger.close()
    const text = await readFile(file, 'utf8')
    expect(JSON.parse(text)).toMatchObject({ level: 'info', msg: 'request', failure: '[redacted] is wrong' })
    expect(text).not.toMatch(/canary|abcdefghijkl|too quiet/)
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(dirname(file))).mode & 0o777).toBe(0o700)
  })

  it('is opened again under its name, and every line is in one of the two', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'dragoman-')), 'gateway.log')
    const config = { level: 'info', file } as const
    const logger = createLogger({
      config,
      redact: createRedactor([]),
      isTerminal: false,
      onDrop: () => {},
    })
    for (let line = 0; line < 200; line++) logger.info({ line }, 'before')
    await rename(file, `${file}.1`)
    logger.info({ line: 200 }, 'before')
    logger.reopen()
    for (let line = 201; line < 400; line++) logger.info({ line }, 'after')
    await logger.close()
    const numbers = Array.from({ length: 400 }, (_, line) => line)
    expect(await numbersIn(`${file}.1`)).toEqual(numbers.slice(0, 201))
    expect(await numbersIn(file)).toEqual(numbers.slice(201))
    expect((await stat(file)).mode & 0o777).toBe(0o600)
  })
})

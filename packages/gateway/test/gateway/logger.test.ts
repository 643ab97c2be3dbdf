import { mkdtemp, readFile, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createLogger } from '../../src/observe/logger.ts'
import { createRedactor } from '../../src/security/redact.ts'

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
})

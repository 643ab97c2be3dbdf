import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HeadAndTail } from '../../src/chat/tools/head-and-tail.ts'
import { until } from '../server/scripted-upstream.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'
import { useTool } from './use-tool.ts'

let folder: string

beforeAll(async () => {
  folder = await temporaryFolder()
})

afterAll(removeFolders)

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function pidIn(name: string): Promise<number> {
  const text = await readFile(join(folder, name), 'utf8').catch(() => '')
  if (text.trim() !== '') return Number(text)
  await sleep(10)
  return pidIn(name)
}

// Side by side, as each waits for its command and not for the machine.
describe.concurrent('run_command', () => {
  it('runs in the working folder and gives back what was printed', async () => {
    const { result, isError } = await useTool('run_command', { command: 'pwd; echo problem >&2' }, { folder })
    expect({ result, isError }).toEqual({ result: `${folder}\nproblem`, isError: false })
  })

  it('an exit code is an error, with the output', async () => {
    const { result, isError } = await useTool('run_command', { command: 'echo half; exit 3' }, { folder })
    expect({ result, isError }).toEqual({ result: 'half\n[exit code 3]', isError: true })
  })

  it('a command that waits for input gets none', async () => {
    expect((await useTool('run_command', { command: 'cat' }, { folder })).result).toBe('[no output]')
  })

  it('long output keeps its beginning and its end', async () => {
    const command = 'echo first; yes | head -c 1000000; echo last'
    const { result } = await useTool('run_command', { command }, { folder })
    expect(result.length).toBeLessThan(70_000)
    expect(result).toMatch(/^first\n[^]*bytes left out[^]*\nlast$/)
  })

  it('one that takes too long is ended, with all that it started', async () => {
    const command = 'sleep 60 & echo $! > slow.pid; wait'
    const { result } = await useTool('run_command', { command, timeout_seconds: 1 }, { folder })
    expect(result).toContain('[stopped after 1 seconds]')
    const pid = await pidIn('slow.pid')
    await until(() => !isRunning(pid), 30_000)
  })

  it('is ended when the user stops it, and says what was printed so far', async () => {
    const stop = new AbortController()
    const command = 'echo begun; sleep 60 & echo $! > stopped.pid; wait'
    const running = useTool('run_command', { command }, { folder, signal: stop.signal })
    const pid = await pidIn('stopped.pid')
    stop.abort()
    expect((await running).result).toContain('begun\n[stopped by the user]')
    await until(() => !isRunning(pid), 30_000)
  })

  it('what it leaves in the background neither holds it up nor stays', async () => {
    const command = 'sleep 60 & echo $! > left.pid; echo done'
    const started = performance.now()
    expect((await useTool('run_command', { command }, { folder })).result).toBe('done')
    expect(performance.now() - started).toBeLessThan(10_000)
    const pid = await pidIn('left.pid')
    await until(() => !isRunning(pid), 30_000)
  })

  it('one that will not end is killed', async () => {
    const command = `trap '' TERM; echo $$ > stubborn.pid; while :; do sleep 0.1; done`
    const running = useTool('run_command', { command, timeout_seconds: 1 }, { folder })
    const pid = await pidIn('stubborn.pid')
    await running
    await until(() => !isRunning(pid), 30_000)
  })
})

describe('the beginning and the end of an output', () => {
  it('is all of it where it is short, and else its first and last bytes, however it came', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', 'c') })), (pieces) => {
        const output = new HeadAndTail(8)
        for (const piece of pieces) output.push(Buffer.from(piece))
        const whole = pieces.join('')
        if (whole.length <= 16) expect(output.toString()).toBe(whole)
        else {
          const gap = `\n[… ${whole.length - 16} bytes left out …]\n`
          expect(output.toString()).toBe(whole.slice(0, 8) + gap + whole.slice(-8))
        }
      }),
    )
  })
})

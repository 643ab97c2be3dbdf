import { chmod, mkdtemp, readdir, readFile, readlink, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ask, paths, post, readAnswer, weatherRequest, inTurn } from '../server/ask.ts'
import { chunk, sse, startUpstream, stopUpstreams, until, untilStill } from '../server/scripted-upstream.ts'
import { childrenOf } from './child-processes.ts'
import { dragoman as answerHere } from './in-process.ts'
import { dragoman } from './run-cli.ts'
import { type RunningProgram, startProgram, stopPrograms } from './running-program.ts'

vi.setConfig({ testTimeout: 30_000 })

afterEach(() => {
  stopPrograms()
  stopUpstreams()
})

async function configFile(yaml: string): Promise<{ dir: string; file: string }> {
  const dir = await mkdtemp(join(tmpdir(), 'dragoman-'))
  const file = join(dir, 'dragoman.yaml')
  await writeFile(file, yaml, { mode: 0o600 })
  return { dir, file }
}

async function linesIn(file: string): Promise<number> {
  return (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1
}

/** The gateway lets what runs come to its end. One of several processes may be gone by then. */
async function untilDraining(address: string): Promise<void> {
  const health = () =>
    fetch(`${address}/health`).then(
      ({ status }) => status,
      () => null,
    )
  await expect.poll(health, { timeout: 5000 }).toBe(503)
}

/** Which of a program's processes have a file open; none where the system does not tell. */
async function holdersOf(file: string, pid: number | undefined): Promise<number[]> {
  const pids = [pid ?? 0, ...childrenOf(pid)]
  const areHolders = await Promise.all(
    pids.map(async (each) => {
      const names = await readdir(`/proc/${each}/fd`).catch(() => [])
      const files = await Promise.all(
        names.map((name) => readlink(`/proc/${each}/fd/${name}`).catch(() => '')),
      )
      return files.includes(file)
    }),
  )
  return pids.filter((_, at) => areHolders[at])
}

describe('dragoman without a command', () => {
  it('serves on the simulator, and ends on SIGTERM with code 0', async () => {
    const { child, address, stdout, exit } = await startProgram(['--port', '0'])
    const answer = await ask(address, 'openai', { stream: false })
    expect(answer).toMatchObject({ status: 200, finish: 'tool_calls', hasCall: true })
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(stdout()).toBe(`dragoman listening on ${address}\n`)
  })

  it('serve is the name of the same command', async () => {
    const { address } = await startProgram(['serve', '--port', '0'])
    const health = await fetch(`${address}/health`)
    expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
  })

  it('does not start on a wrong file, and names the place without a stack trace', async () => {
    const { file } = await configFile('listen:\n  port: 0\nlimits: { bodyBytes: -1 }\n')
    const { code, stdout, stderr } = await dragoman(['serve', '--config', file])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain(`${file}:3:22: limits.bodyBytes: must be a whole number`)
    expect(stderr).not.toMatch(/\n\s+at /)
  })

  it.runIf(process.platform === 'linux').each([['1'], ['2']])(
    'does not start where nothing can be recorded, and names the folder: %s processes',
    async (workers) => {
      const { file } = await configFile('{}')
      // In /proc no folder can be made, though it is there: Node's recursive way tries for ever.
      await inTurn(['/proc/dragoman/recordings', join(file, 'recordings'), file], async (dir) => {
        const started = performance.now()
        const args = ['--port', '0', '--workers', workers, '--record', dir]
        const { code, stdout, stderr } = await answerHere(args)
        expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
        expect(stderr).toContain(`cannot record in ${dir}: `)
        expect(stderr).not.toMatch(/\n\s+at /)
        expect(performance.now() - started).toBeLessThan(5000)
      })
    },
  )

  it.runIf(process.platform === 'linux')('serves on where the log cannot be written', async () => {
    const { dir } = await configFile('log: { file: /proc/dragoman/log }\nlisten: { port: 0 }\n')
    const { address } = await startProgram([], { cwd: dir })
    expect((await fetch(`${address}/health`)).status).toBe(200)
  })

  it('says that the port is taken', async () => {
    const { address } = await startProgram(['--port', '0'])
    const { port } = new URL(address)
    await inTurn(['1', '2'], async (workers) => {
      const { code, stderr } = await dragoman(['--port', port, '--workers', workers])
      expect(code).toBe(1)
      expect(stderr).toContain(`cannot listen on 127.0.0.1:${port}`)
      expect(stderr).toContain(`A dragoman answers there already: clients can use ${address}.`)
      expect(stderr).toContain('--port 0')
    })
  })

  it('says that another program has the port', async () => {
    const { url } = await startUpstream((response) => response.end())
    const { port } = new URL(url)
    const { code, stderr } = await dragoman(['--port', port])
    expect(code).toBe(1)
    expect(stderr).toContain('Another program listens there.')
    expect(stderr).toContain('--port 0')
  })

  it('takes a sensible number of workers only', async () => {
    await inTurn(['0', 'two', '-1', '1.5', '1000'], async (count) => {
      const { code, stderr } = await answerHere(['--port', '0', `--workers=${count}`])
      expect([code, stderr]).toEqual([2, expect.stringContaining('--workers must be a whole number')])
    })
  })
})

describe.each([['1'], ['2']])('a gateway of %s processes', (workers) => {
  it('reads its file again on SIGHUP and when it changes, and keeps the old one where the new one is wrong', async () => {
    const upstream = 'upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }\n'
    const { dir, file } = await configFile(`${upstream}listen: { port: 0 }\n`)
    const { child, address, stderr, stdout } = await startProgram(['--workers', workers], { cwd: dir })
    const modelsAt = async () => JSON.stringify(await (await fetch(`${address}/v1/models`)).json())
    expect(await modelsAt()).not.toContain('second')

    const second = 'models: [{ match: second, upstream: lab }]\n'
    await writeFile(file, `${upstream}${second}listen: { port: 1 }\n`)
    await expect.poll(stderr, { timeout: 5000 }).toContain('a restart is needed for listen.port')
    await expect.poll(modelsAt, { timeout: 3000 }).toContain('second')

    await writeFile(file, 'limits: { bodyBytes: many }\n')
    child.kill('SIGHUP')
    await expect
      .poll(stderr, { timeout: 5000 })
      .toContain('the new configuration is wrong; the old one stays')
    expect(stderr()).toMatch(/dragoman\.yaml:1:22: limits\.bodyBytes/)
    await inTurn([1, 2, 3, 4], async () => expect(await modelsAt()).toContain('second'))
    expect(stdout()).toBe(`dragoman listening on ${address}\n`)
  })

  it('keeps its configuration where the file is gone or empty', async () => {
    const upstream = 'upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }\n'
    const yaml = `${upstream}models: [{ match: mine, upstream: lab }]\nlisten: { port: 0 }\n`
    const { dir, file } = await configFile(yaml)
    const { child, address, stderr } = await startProgram(['--workers', workers], { cwd: dir })
    const modelsAt = async () => JSON.stringify(await (await fetch(`${address}/v1/models`)).json())
    await rm(file)
    await expect.poll(stderr, { timeout: 5000 }).toContain('dragoman.yaml: is gone')
    child.kill('SIGHUP')
    await expect.poll(() => stderr().split('is gone').length - 1, { timeout: 5000 }).toBe(2)
    await inTurn([1, 2, 3, 4], async () => expect(await modelsAt()).toContain('mine'))
    await writeFile(file, '', { mode: 0o600 })
    await expect.poll(stderr, { timeout: 5000 }).toContain('dragoman.yaml: is empty')
    await inTurn([1, 2, 3, 4], async () => expect(await modelsAt()).toContain('mine'))
    expect(stderr()).not.toContain('read again')
    await writeFile(file, yaml.replace('mine', 'yours'))
    await expect.poll(modelsAt, { timeout: 5000 }).toContain('yours')
  })

  it('opens its log file again on SIGHUP, also where the configuration is wrong by then', async () => {
    const { dir, file } = await configFile('listen: { port: 0 }\nlog: { file: gateway.log }\n')
    const { child, address, stderr } = await startProgram(['--workers', workers], { cwd: dir })
    const log = join(dir, 'gateway.log')
    const askOnce = async (): Promise<void> => {
      expect((await ask(address, 'openai', { stream: false })).status).toBe(200)
    }
    await inTurn([1, 2, 3, 4], askOnce)
    await expect.poll(() => linesIn(log), { timeout: 3000 }).toBe(4)
    await writeFile(file, 'log: 3\n')
    await expect.poll(stderr, { timeout: 5000 }).toContain('the old one stays')
    await rename(log, `${log}.1`)
    child.kill('SIGHUP')
    await expect.poll(() => stderr().split('the old one stays').length - 1, { timeout: 5000 }).toBe(2)
    await expect.poll(() => readFile(log, 'utf8').catch(() => null), { timeout: 3000 }).toBe('')
    await expect.poll(() => holdersOf(`${log}.1`, child.pid), { timeout: 3000 }).toEqual([])
    await inTurn([1, 2, 3, 4], askOnce)
    await expect.poll(() => linesIn(log), { timeout: 3000 }).toBe(4)
    expect(await linesIn(`${log}.1`)).toBe(4)
  })

  it('lets a stream end, cuts one that lasts too long, and ends with code 0', async () => {
    let finish: (() => void) | undefined
    const upstream = await startUpstream((response, nth) => {
      sse(response, chunk({ content: 'Paris is' }))
      if (nth > 1) return
      finish = () => {
        sse(response, chunk({}, 'stop'), '[DONE]')
        response.end()
      }
    })
    const { dir } = await configFile(
      `upstreams: { lab: { url: "${upstream.url}", kind: other } }\ntimeouts: { drain: 1s }\nlisten: { port: 0 }\n`,
    )
    const { child, address, exit } = await startProgram(['--workers', workers], { cwd: dir })
    const short = await post(address, paths.openai, weatherRequest('openai'))
    await until(() => upstream.requests.length === 1, 3000)
    const long = await post(address, paths.anthropic, weatherRequest('anthropic'))
    await until(() => upstream.requests.length === 2, 3000)
    const started = performance.now()
    child.kill('SIGTERM')
    await untilDraining(address)
    finish?.()
    expect(await readAnswer(short)).toMatchObject({ isMarkedDone: true, error: undefined })
    expect(await readAnswer(long)).toMatchObject({
      isMarkedDone: false,
      text: 'Paris is',
      error: { type: 'overloaded_error' },
    })
    expect(await exit).toBe(0)
    expect(performance.now() - started).toBeLessThan(4000)
    await until(() => upstream.openRequests === 0, 1000)
  })

  it('ends at once at a second signal', async () => {
    const upstream = await startUpstream((response) => sse(response, chunk({ content: 'endless' })))
    const { dir } = await configFile(
      `upstreams: { lab: { url: "${upstream.url}" } }\ntimeouts: { drain: 60s }\nlisten: { port: 0 }\n`,
    )
    const { child, address, exit } = await startProgram(['--workers', workers], { cwd: dir })
    const running = await post(address, paths.openai, weatherRequest('openai'))
    child.kill('SIGTERM')
    await untilDraining(address)
    expect(child.exitCode).toBeNull()
    child.kill('SIGINT')
    const started = performance.now()
    expect(await exit).toBe(1)
    expect(performance.now() - started).toBeLessThan(1500)
    await running.text().catch(() => '')
    await until(() => upstream.openRequests === 0, 2000)
  })

  /** A program that has written more to standard error than a pipe holds, and of which nobody has read anything. */
  async function startUnread(): Promise<RunningProgram> {
    const program = await startProgram(['--port', '0', '--log-level', 'debug', '--workers', workers], {
      readsStderr: 'never',
    })
    const fields = Array.from({ length: 400 }, (_, at) => [`unknown-${at}-${'x'.repeat(80)}`, 1])
    const odd = Object.fromEntries(fields)
    const answers = await Promise.all(
      Array.from({ length: 80 }, () => ask(program.address, 'anthropic', { stream: false, ...odd })),
    )
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    return program
  }

  it('serves on where nobody reads what it writes, counts what is lost, and still ends', async () => {
    const { child, address, exit } = await startUnread()
    child.kill('SIGHUP')
    const metrics = await (await fetch(`${address}/metrics`)).text()
    const dropped = /^dragoman_dropped_total\{sink="log"\} (\d+)$/m.exec(metrics)?.[1]
    expect(Number(dropped ?? 0)).toBeGreaterThan(0)
    const started = performance.now()
    expect((await fetch(`${address}/health`)).status).toBe(200)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(performance.now() - started).toBeLessThan(5000)
  })

  it('ends where what it wrote is read slowly', async () => {
    const { child, exit } = await startUnread()
    const reading = setInterval(() => child.stderr?.read(1000), 5)
    const started = performance.now()
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
    expect(performance.now() - started).toBeLessThan(5000)
    clearInterval(reading)
  })
})

describe('several processes', () => {
  it('share one port, have one sum of metrics, and one that is lost is replaced', async () => {
    const { child, address, stderr, exit } = await startProgram(['--port', '0', '--workers', '2'])
    await inTurn([1, 2, 3, 4], async () => {
      expect((await ask(address, 'openai', { stream: false })).status).toBe(200)
    })
    const series = 'dragoman_requests_total{route="/v1/chat/completions",status="200"}'
    const scrape = async () => (await fetch(`${address}/metrics`)).text()
    await inTurn([1, 2, 3], async () => expect(await scrape()).toContain(`${series} 4\n`))
    expect(await scrape()).toMatch(/^dragoman_build_info\{version="[^"]+"\} 1$/m)

    const [lost] = childrenOf(child.pid)
    process.kill(lost ?? 0, 'SIGKILL')
    await expect.poll(stderr, { timeout: 3000 }).toContain('a worker ended (SIGKILL); it is replaced')
    expect((await ask(address, 'openai', { stream: false })).status).toBe(200)
    await expect.poll(() => childrenOf(child.pid).length, { timeout: 5000 }).toBe(2)
    child.kill('SIGTERM')
    expect(await exit).toBe(0)
  })

  it('one that is replaced waits for the file that the others have', async () => {
    const yaml =
      'upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }\nmodels: [{ match: mine, upstream: lab }]\n'
    const { dir, file } = await configFile(`${yaml}listen: { port: 0 }\n`)
    const { child, address, stderr } = await startProgram(['--workers', '2'], { cwd: dir })
    await rm(file)
    process.kill(childrenOf(child.pid)[0] ?? 0, 'SIGKILL')
    await expect.poll(stderr, { timeout: 5000 }).toContain('(a worker ended with code 1 before it listened)')
    await inTurn([1, 2, 3, 4], async () => {
      const models = await (await fetch(`${address}/v1/models`)).text()
      expect(models).toContain('mine')
    })
    await writeFile(file, `${yaml}listen: { port: 0 }\n`, { mode: 0o600 })
    // One that cannot start is replaced after a second, time and again.
    await untilStill(() => childrenOf(child.pid).join(' '), 1500)
    expect(childrenOf(child.pid)).toHaveLength(2)
  })
})

describe('a file with keys that others can read', () => {
  const keys = `keys: [{ name: a, sha256: "${'0'.repeat(64)}" }]\n`

  it('is a warning on a loopback address', async () => {
    const { dir, file } = await configFile(`listen: { port: 0 }\n${keys}`)
    await chmod(file, 0o644)
    const { stderr, address } = await startProgram([], { cwd: dir })
    expect(address).toContain('127.0.0.1')
    expect(stderr()).toMatch(/warning: .*chmod 600/)
  })

  it('is refused on any other', async () => {
    const { file } = await configFile(`listen: { port: 0, host: 0.0.0.0 }\n${keys}`)
    await chmod(file, 0o644)
    const { code, stderr } = await dragoman(['--config', file])
    expect([code, stderr]).toEqual([1, expect.stringContaining('chmod 600')])
  })
})

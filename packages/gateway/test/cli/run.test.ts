import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { clients, installCommand, isServed } from '../../src/launch/clients.ts'
import { json, type ScriptedUpstream, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { dragoman } from './in-process.ts'
import { binary, type Finished } from './run-cli.ts'
import { startProgram, stopPrograms } from './running-program.ts'

vi.setConfig({ testTimeout: 30_000 })

/** Nothing listens here, so a gateway that happens to run on this machine is not found. */
const nobody = ['--port', '9']

let place: { readonly bin: string; readonly temporary: string; readonly root: string }
const running = new Set<ChildProcess>()

beforeEach(async () => {
  const root = await mkdtemp(join(tmpdir(), 'dragoman-test-run-'))
  place = { root, bin: join(root, 'bin'), temporary: join(root, 'tmp') }
  await Promise.all([mkdir(place.bin), mkdir(place.temporary)])
})

afterEach(async () => {
  for (const child of running) child.kill('SIGKILL')
  running.clear()
  stopPrograms()
  stopUpstreams()
  await rm(place.root, { recursive: true })
})

/** A client that does what a test says. */
async function install(name: string, script: string): Promise<string> {
  const path = join(place.bin, name)
  await writeFile(path, `#!${process.execPath}\n${script}`)
  await chmod(path, 0o755)
  return path
}

/** A client that writes what it was started with into a file, as JSON. */
function tells(): string {
  return `require('fs').writeFileSync(${JSON.stringify(toldFile())}, JSON.stringify({ args: process.argv.slice(2), env: process.env }))`
}

function toldFile(): string {
  return join(place.root, 'told.json')
}

/** A client that asks for an answer with its environment, as Claude Code would. */
const asks = `
  const { ANTHROPIC_BASE_URL: base, ANTHROPIC_AUTH_TOKEN: key, ANTHROPIC_MODEL: model } = process.env
  const tools = [{ name: 'get_weather', input_schema: { type: 'object', properties: { city: { type: 'string' } } } }]
  const messages = [{ role: 'user', content: 'What is the weather in Paris?' }]
  fetch(base + '/v1/messages', {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer ' + key },
    body: JSON.stringify({ model, max_tokens: 100, messages, tools }),
  }).then(async (response) => console.log(response.status, await response.text()))`

/** A client that does the same several times, one after the other. */
function repeated(script: string, times: number): string {
  return `(async () => { for (let i = 0; i < ${times}; i++) { await (async () => {${script.replace('fetch(', 'return fetch(')}})() } })()`
}

function start(args: readonly string[], env: Record<string, string> = {}, detached = false): ChildProcess {
  const child = spawn(process.execPath, [binary, 'run', ...args], {
    detached,
    env: { PATH: place.bin, TMPDIR: place.temporary, HOME: place.root, ...env },
    cwd: place.root,
  })
  running.add(child)
  return child
}

async function finished(child: ChildProcess): Promise<Finished> {
  const written = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (written.stdout += text))
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (written.stderr += text))
  const [code]: unknown[] = await once(child, 'close')
  return { code: typeof code === 'number' ? code : null, ...written }
}

async function run(
  args: readonly string[],
  { env = {}, input = '' }: { env?: Record<string, string>; input?: string } = {},
): Promise<Finished> {
  const child = start(args, env)
  child.stdin?.end(input)
  return finished(child)
}

/** The same without a process of its own. What its client writes to the terminal is not in what it wrote. */
function runHere(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  return dragoman(['run', ...args], { env: { PATH: place.bin, HOME: place.root, ...env }, cwd: place.root })
}

/** What a client that tells was started with. */
async function told(
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ args: string[]; env: Record<string, string> }> {
  await rm(toldFile(), { force: true })
  const { code, stderr } = await runHere(args, env)
  if (code !== 0) throw new Error(stderr)
  return JSON.parse(await readFile(toldFile(), 'utf8'))
}

async function leftBehind(): Promise<string[]> {
  return readdir(place.temporary)
}

/** Resolves to the process id that a client prints first. */
async function pidOf(child: ChildProcess): Promise<number> {
  const [text]: unknown[] = child.stdout === null ? [] : await once(child.stdout, 'data')
  return Number(String(text).trim())
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('a client that dragoman runs', () => {
  it('is answered by a gateway that nobody had to start, and has the terminal for itself', async () => {
    await install('claude', asks)
    const { code, stdout, stderr } = await run([...nobody, '--', 'claude'])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^200 .*"type":"tool_use".*"name":"get_weather"/)
    expect(stderr).toMatch(/^dragoman: Claude Code on kimi-k2 through http:\/\/127\.0\.0\.1:\d+ .*\n$/)
    expect(await leftBehind()).toEqual([])
  })

  it('gets its own arguments as they are, with or without the two dashes', async () => {
    await install('claude', tells())
    const given = ['-p', 'two words', '--model=x', '--', '--help', '']
    expect((await told([...nobody, '--', 'claude', ...given])).args).toEqual(given)
    expect((await told([...nobody, 'claude', ...given])).args).toEqual(given)
  })

  it('keeps the environment of the user, without what leads elsewhere', async () => {
    await install('claude', tells())
    const own = { ANTHROPIC_API_KEY: 'sk', CLAUDE_CONFIG_DIR: '/home/ada/.claude', EDITOR: 'ed' }
    const { env } = await told([...nobody, '--', 'claude'], own)
    expect(env).toMatchObject({ CLAUDE_CONFIG_DIR: '/home/ada/.claude', EDITOR: 'ed' })
    expect(env).not.toHaveProperty('ANTHROPIC_API_KEY')
  })

  it('reads standard input itself', async () => {
    await install('claude', 'process.stdin.pipe(process.stdout)')
    const { stdout } = await run([...nobody, '--', 'claude'], { input: 'from outside' })
    expect(stdout).toBe('from outside')
  })

  it('works by its path', async () => {
    const path = await install('opencode', tells())
    const { env } = await told([...nobody, '--', path], { PATH: '/nowhere' })
    expect(env['OPENCODE_CONFIG_CONTENT']).toContain('dragoman/kimi-k2')
  })

  it('has its files while it runs, which are gone afterwards', async () => {
    await install(
      'qwen',
      "console.log(require('fs').readFileSync(process.env.QWEN_CODE_SYSTEM_SETTINGS_PATH, 'utf8'))",
    )
    const { code, stdout } = await run([...nobody, '--', 'qwen'])
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { model: { name: 'kimi-k2' } }])
    expect(await leftBehind()).toEqual([])
  })
})

describe('the end', () => {
  it.each([
    ['process.exit(7)', 7],
    ["process.kill(process.pid, 'SIGTERM')", 143],
    ["process.kill(process.pid, 'SIGKILL')", 137],
  ])('of a client by %s gives the code %d', async (script, code) => {
    await install('qwen', script)
    expect((await run([...nobody, '--', 'qwen'])).code).toBe(code)
    expect(await leftBehind()).toEqual([])
  })

  it.each(['SIGTERM', 'SIGHUP'] as const)('by %s is left to the client', async (signal) => {
    await install(
      'qwen',
      `process.on('${signal}', () => setTimeout(() => process.exit(5), 100))
       console.log(process.pid)
       setInterval(() => {}, 1000)`,
    )
    const child = start([...nobody, '--', 'qwen'])
    const pid = await pidOf(child)
    child.kill(signal)
    expect((await finished(child)).code).toBe(5)
    expect(isAlive(pid)).toBe(false)
    expect(await leftBehind()).toEqual([])
  })

  it('does not come by the interrupt of a terminal, which a client may take for something else', async () => {
    await install(
      'claude',
      `let count = 0
       process.on('SIGINT', () => count++)
       console.log(process.pid)
       setTimeout(() => process.exit(count), 500)`,
    )
    const child = start([...nobody, '--', 'claude'], {}, true)
    await pidOf(child)
    // A terminal sends the signal to the whole group.
    process.kill(-(child.pid ?? 0), 'SIGINT')
    expect((await finished(child)).code).toBe(1)
  })

  it('by a signal leaves nothing behind before the client has begun', async () => {
    await install('qwen', tells())
    const slow = createServer(() => {}).listen(0, '127.0.0.1')
    await once(slow, 'listening')
    const address = slow.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const child = start(['--upstream', `http://127.0.0.1:${port}/v1`, '--', 'qwen'])
    await once(slow, 'request')
    expect(await leftBehind()).toHaveLength(1)
    child.kill('SIGTERM')
    expect((await finished(child)).code).toBe(143)
    expect(await leftBehind()).toEqual([])
    slow.close()
    slow.closeAllConnections()
  })

  it('tells what the gateway warned of, and not before', async () => {
    const { url } = await startUpstream((response) => json(response, 500, { error: { message: 'broken' } }))
    await install('claude', `${asks}.then(() => console.error('the client has the terminal'))`)
    const { stdout, stderr } = await run(['--upstream', url, '--model', 'm', '--', 'claude'])
    expect(stdout).toMatch(/^5\d\d /)
    expect(stderr).toMatch(/the client has the terminal\ndragoman: the gateway warned once; --log FILE keeps/)
    expect(stderr).toMatch(/ {2}m: .*broken.*\n$/)
    expect(stderr).not.toContain('"route"')
  })

  it('tells each warning once, with how often it came', async () => {
    const { url } = await startUpstream((response) => json(response, 500, { error: { message: 'broken' } }))
    await install('claude', repeated(asks, 3))
    const { stderr } = await run(['--upstream', url, '--model', 'm', '--', 'claude'])
    expect(stderr).toContain('dragoman: the gateway warned 3 times;')
    expect(stderr.match(/broken/g)).toHaveLength(1)
    expect(stderr).toMatch(/ {2}m: .*broken.* \(3 times\)\n$/)
  })

  it('leaves the log where the user wants it', async () => {
    await install('claude', asks)
    const log = join(place.root, 'gateway.log')
    const { stderr } = await run(['--log', log, '--', 'claude'])
    expect(await readFile(log, 'utf8')).toContain('"calls":["get_weather"]')
    expect(stderr).not.toContain('"msg"')
  })
})

describe('a gateway that runs already', () => {
  const key = 'k'.repeat(30)
  const sha256 = createHash('sha256').update(key).digest('hex')

  async function withKeys(): Promise<string> {
    const file = join(place.root, 'keys.yaml')
    await writeFile(file, `keys: [{ name: ada, sha256: ${sha256} }]\n`, { mode: 0o600 })
    return file
  }

  it('is used', async () => {
    await install('claude', asks)
    const { address } = await startProgram(['--port', '0'])
    const { stdout, stderr } = await run(['--port', new URL(address).port, '--', 'claude'])
    expect(stdout).toMatch(/^200 /)
    expect(stderr).toBe(`dragoman: Claude Code on kimi-k2 through the gateway that runs at ${address}\n`)
  })

  it('is not used where the options ask for something of its own', async () => {
    await install('claude', tells())
    const { address } = await startProgram(['--port', '0'])
    const { port } = new URL(address)
    const { env } = await told(['--port', port, '--format', 'qwen', '--', 'claude'])
    expect(env['ANTHROPIC_BASE_URL']).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect(env['ANTHROPIC_BASE_URL']).not.toBe(address)
  })

  it('wants its key, which the user gives by a variable', async () => {
    await install('claude', asks)
    const { address } = await startProgram(['--config', await withKeys(), '--port', '0'])
    const args = ['--port', new URL(address).port]
    const refused = await runHere([...args, '--', 'claude'])
    expect([refused.code, refused.stdout]).toEqual([1, ''])
    expect(refused.stderr).toContain('wants a key.\nPut it into a variable and name that with --key-env')
    const wrong = await runHere([...args, '--key-env', 'MINE', '--', 'claude'], { MINE: 'x' })
    expect([wrong.code, wrong.stderr]).toEqual([1, expect.stringContaining('refuses the key')])
    const unset = await runHere([...args, '--key-env', 'MINE', '--', 'claude'])
    expect([unset.code, unset.stderr]).toEqual([1, expect.stringContaining('MINE is not set')])
    const right = await run([...args, '--key-env', 'MINE', '--', 'claude'], { env: { MINE: key } })
    expect(right.stdout).toMatch(/^200 /)
  })

  it('is shown a key that would be too short for one of our own', async () => {
    await install('claude', tells())
    const { address } = await startProgram(['--port', '0'])
    const { env } = await told(['--port', new URL(address).port, '--', 'claude'], {
      DRAGOMAN_API_KEY: 'short',
    })
    expect(env).toMatchObject({ ANTHROPIC_BASE_URL: address, ANTHROPIC_AUTH_TOKEN: 'short' })
    const own = await runHere([...nobody, '--', 'claude'], { DRAGOMAN_API_KEY: 'short' })
    expect([own.code, own.stderr]).toEqual([1, expect.stringContaining('at least 24 characters')])
  })

  it('need not be there for a configuration with keys: the client gets one of its own', async () => {
    await install('claude', asks)
    const { stdout } = await run([...nobody, '--config', await withKeys(), '--', 'claude'])
    expect(stdout).toMatch(/^200 /)
  })

  it('tells the room that the model has', async () => {
    await install('claude', tells())
    const server = createServer((request, response) => {
      response.setHeader('x-request-id', 'a').setHeader('request-id', 'a')
      const body = request.url === '/health' ? { status: 'ok' } : { id: 'm', context_length: 160_000 }
      response.end(JSON.stringify(body))
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    const { env } = await told(['--port', String(port), '--model', 'm', '--', 'claude'])
    expect(env['CLAUDE_CODE_AUTO_COMPACT_WINDOW']).toBe('160000')
    server.close()
    server.closeAllConnections()
  })
})

/** An upstream that lists these models. */
function listing(...ids: readonly string[]): Promise<ScriptedUpstream> {
  return startUpstream((response) => json(response, 200, { data: ids.map((id) => ({ id })) }))
}

/** The model that a client is told to ask for. */
async function modelWith(...args: readonly string[]): Promise<string | undefined> {
  await install('claude', tells())
  return (await told([...args, '--', 'claude'])).env['ANTHROPIC_MODEL']
}

/** What is said before the client could start. */
async function refusedWith(...args: readonly string[]): Promise<string> {
  await install('claude', tells())
  const { code, stdout, stderr } = await runHere([...args, '--', 'claude'])
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  await expect(readFile(toldFile())).rejects.toThrow('ENOENT')
  return stderr
}

describe('an upstream that cannot be asked', () => {
  it('because nothing listens there is told, whether a model is named or not', async () => {
    const dead = ['--upstream', 'http://127.0.0.1:9/v1']
    for (const args of [dead, [...dead, '--model', 'm']]) {
      const said = await refusedWith(...args)
      expect(said).toContain(
        'no answer at http://127.0.0.1:9/v1 (connection refused, nothing listens there).',
      )
      expect(said).toContain('Start the server, or check the port.')
    }
  })

  it('because it speaks plain HTTP is told so', async () => {
    const { url } = await listing('m')
    const said = await refusedWith('--upstream', url.replace('http:', 'https:'), '--model', 'm')
    expect(said).toContain('Write http:// in the address.')
  })

  it.each([
    [401, { error: { message: 'No key.' } }, 'a key is needed: No key.', '--upstream-key-env NAME'],
    [503, { error: { message: 'Loading model' } }, 'the server is still loading its model.', 'Try again'],
    [200, '<html></html>', 'answered with a web page.', 'not the address of an API'],
  ])('because it answers %d %j is told what to do', async (status, body, seen, advice) => {
    const { url } = await startUpstream((response) =>
      typeof body === 'string'
        ? response.writeHead(status, { 'content-type': 'text/html' }).end(body)
        : json(response, status, body),
    )
    const said = await refusedWith('--upstream', url)
    expect(said).toContain(seen)
    expect(said).toContain(advice)
  })

  it('for its models alone is asked all the same where a model is named', async () => {
    const { url } = await startUpstream((response) => json(response, 401, {}))
    expect(await modelWith('--upstream', url, '--model', 'm')).toBe('m')
  })
})

describe('a window that is too small', () => {
  it('is told before the client starts, and again where the client failed for it', async () => {
    const overflow =
      "This model's maximum context length is 8192 tokens. However, your prompt has 9000 tokens."
    const { url } = await startUpstream((response) =>
      response.req.method === 'GET'
        ? json(response, 200, { data: [{ id: 'm', max_model_len: 8192 }] })
        : json(response, 400, { error: { message: overflow, code: 'context_length_exceeded' } }),
    )
    await install('claude', `${asks}.then(() => process.exit(3))`)
    const { code, stderr } = await run(['--upstream', url, '--', 'claude'])
    expect(code).toBe(3)
    expect(stderr).toMatch(
      /^dragoman: the window has 8,192 tokens, and coding agents need 32,768 and more\.\ndragoman: Claude Code on m/,
    )
    expect(stderr).toContain('did not fit into the window of 8,192 tokens. Start the server')
  })
})

describe('the model', () => {
  it('is the one that is named', async () => {
    const { url } = await listing('first', 'second')
    expect(await modelWith('--upstream', url, '--model', 'second')).toBe('second')
    expect(await modelWith(...nobody, '--model', 'qwen3-coder')).toBe('qwen3-coder')
  })

  it('is the first that the file has a rule for', async () => {
    const { url } = await listing('first')
    const file = join(place.root, 'rules.yaml')
    await writeFile(
      file,
      `upstreams: { lab: { url: "${url}" } }\nmodels: [{ match: fast, upstream: lab }, { match: "*", upstream: lab }]\n`,
    )
    expect(await modelWith(...nobody, '--config', file)).toBe('fast')
    expect(await modelWith(...nobody, '--config', file, '--model', 'first')).toBe('first')
  })

  it('is the first that the upstream lists', async () => {
    const { url } = await listing('first', 'second')
    expect(await modelWith('--upstream', url)).toBe('first')
  })

  it('has to be named where nobody knows one', async () => {
    await install('claude', tells())
    const { url } = await listing()
    const { code, stdout, stderr } = await run(['--upstream', url, '--', 'claude'])
    expect([code, stdout]).toEqual([1, ''])
    expect(stderr).toContain('no model is known: the upstream lists none.\nName one with --model.')
    expect(await leftBehind()).toEqual([])
  })
})

describe('a client that cannot be run', () => {
  it('and is not installed is answered with how to install it', async () => {
    const { code, stdout, stderr } = await runHere(['--', 'claude'])
    expect([code, stdout]).toEqual([127, ''])
    expect(stderr).toContain('claude is not installed, or not on PATH.')
    expect(stderr).toContain('npm install -g @anthropic-ai/claude-code')
    expect((await runHere(['--', './claude'])).code).toBe(127)
  })

  it('and is unknown is answered with those that are known', async () => {
    const { code, stderr } = await runHere(['--', 'cluade'])
    expect(code).toBe(2)
    expect(stderr).toContain(
      `unknown client "cluade". Did you mean claude?\nKnown: ${Object.keys(clients).join(', ')}`,
    )
    expect((await runHere([])).code).toBe(2)
  })

  it.each(Object.entries(clients).filter(([, client]) => !isServed(client)))(
    'and speaks a dialect that is not served is told so: %s',
    async (name, client) => {
      await install(name, tells())
      const { code, stdout, stderr } = await runHere(['--', name])
      expect([code, stdout]).toEqual([1, ''])
      expect(stderr).toContain(
        `${client.title} asks at ${client.asks}, in a dialect that this version does not`,
      )
    },
  )

  it('and is no program says so', async () => {
    const path = join(place.bin, 'qwen')
    await writeFile(path, '#!/nowhere/at/all\n', { mode: 0o755 })
    const { code, stderr } = await run([...nobody, '--', 'qwen'])
    expect([code, stderr]).toEqual([1, expect.stringContaining(`cannot start ${path}`)])
    expect(await leftBehind()).toEqual([])
  })

  it('is in the list all the same', async () => {
    const { code, stdout } = await runHere(['--list'])
    expect(code).toBe(0)
    for (const [name, client] of Object.entries(clients)) {
      expect(stdout).toMatch(new RegExp(`^${name} .*${installCommand(client)}`, 'm'))
    }
  })
})

import { createHash } from 'node:crypto'
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { withServer } from '../doctor/examined.ts'
import { dragoman } from './in-process.ts'
import type { Finished } from './run-cli.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-test-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** Runs it where no other configuration is found. */
function run(args: readonly string[], env: Record<string, string> = {}): Promise<Finished> {
  return dragoman(args, { env: { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config'), ...env } })
}

async function file(text: string, mode = 0o600): Promise<string> {
  const written = join(folder, 'd.yaml')
  await writeFile(written, text, { mode })
  return written
}

/** Where `init` is told to write: its folder is not there yet. */
function path(): string {
  return join(folder, 'sub', 'dragoman.yaml')
}

describe('dragoman check', () => {
  it('prints ok and a summary', async () => {
    const config = await file(
      'upstreams: { lab: { url: "http://10.0.0.5:8000/v1" } }\nmodels: [{ match: "claude-*", upstream: lab, model: k2, format: kimi }]',
    )
    const { code, stdout, stderr } = await run(['check', '--config', config, '--offline'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^ok /)
    expect(stdout).toContain('http://127.0.0.1:12377')
    expect(stdout).toContain('http://10.0.0.5:8000/v1 (openai-chat, no key)')
    expect(stdout).toMatch(/claude-\* +lab k2 \(format kimi\)/)
  })

  it('prints where a rule leads that has several upstreams, and what is wrong with one', async () => {
    const upstreams = ['gpu1', 'gpu2', 'far'].map((name) => `${name}: { url: "https://${name}.example/v1" }`)
    const rule = (order: string): Promise<string> =>
      file(`upstreams: { ${upstreams.join(', ')} }\nmodels:\n- { match: "c*", upstream: ${order}, model: k }`)
    const right = await rule('[[gpu1, gpu2], { name: far, model: q, format: qwen }]')
    const { stdout } = await run(['check', '--config', right, '--offline'])
    expect(stdout).toMatch(
      /c\* +gpu1 k \(format auto\) or gpu2 k \(format auto\), then far q \(format qwen\)/,
    )
    const wrong = await rule('[[gpu1, gpu1], [], fra]')
    const { code, stderr } = await run(['check', '--config', wrong, '--offline'])
    expect(code).toBe(1)
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      expect.stringMatching(
        /d\.yaml:3:36: models\[0\]\.upstream\[0\]\[1\]: "gpu1" stands in this pool twice/,
      ),
      expect.stringMatching(/d\.yaml:3:43: models\[0\]\.upstream\[1\]: the pool is empty/),
      expect.stringMatching(/d\.yaml:3:47: models\[0\]\.upstream\[2\]: .*Did you mean far\?/),
    ])
  })

  it('warns of an upstream that does not answer, and has it in the data', async () => {
    const config = await file('upstreams: { lab: { url: "http://127.0.0.1:9/v1" } }')
    const fault = 'no answer at http://127.0.0.1:9/v1 (connection refused, nothing listens there).'
    const { code, stdout, stderr } = await run(['check', '--config', config])
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ok /)
    expect(stderr).toContain(`warning: upstreams.lab: ${fault} Start the server`)
    const data: unknown = JSON.parse((await run(['check', '--config', config, '--json'])).stdout)
    expect(data).toMatchObject({
      ok: true,
      upstreams: [{ name: 'lab', fault: expect.stringContaining(fault) }],
    })
  })

  it('shows windows under the patterns that lead to them', async () => {
    await withServer({ server: 'vllm-0.21', window: 65_536 }, async (url) => {
      const rules = '[{ match: "claude-*", upstream: lab, model: qwen3 }, { match: "*", upstream: lab }]'
      const config = await file(`upstreams: { lab: { url: "${url}" } }\nmodels: ${rules}`)
      const { stdout } = await run(['check', '--config', config])
      expect(stdout).toMatch(/^ {2}window +claude-\* +65,536 tokens/m)
    })
  })

  it('prints every error with its place, exits 1 and shows no stack', async () => {
    const config = await file('listen:\n  prot: 1\nmetrics: maybe\n')
    const { code, stdout, stderr } = await run(['check', '-c', config])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr.split('\n').slice(0, 3)).toEqual([
      `${config}:2:3: listen.prot: unknown key. Did you mean port?`,
      `${config}:3:10: metrics: must be true or false`,
      'The configuration has 2 errors.',
    ])
  })

  it('--explain says where each value comes from, without secrets', async () => {
    const config = await file('upstreams: { lab: { url: "https://lab.example/v1", apiKey: sk-canary } }')
    const { code, stdout } = await run(['check', '-c', config, '--explain', '--port', '99'], {
      DRAGOMAN_LOG_LEVEL: 'warn',
    })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^ {2}listen\.port +99 +--port$/m)
    expect(stdout).toMatch(/^ {2}log\.level +"warn" +\$DRAGOMAN_LOG_LEVEL$/m)
    expect(stdout).toMatch(/^ {2}upstreams\.lab\.apiKey +\[redacted\] +.*d\.yaml:1:\d+$/m)
    expect(stdout).toMatch(/^ {2}timeouts\.idle +"300s" +default$/m)
    expect(stdout).not.toContain('canary')
  })

  it('takes every option that serve takes', async () => {
    const config = await file('{}')
    const help = async (command: string): Promise<string[]> => {
      const { stdout } = await run([command, '--help'])
      return [...stdout.matchAll(/^ {2}(?:-\w, )?--([a-z-]+)/gm)].map(([, name]) => name ?? '')
    }
    const [serve, check] = [await help('serve'), await help('check')]
    expect(serve.length).toBeGreaterThan(8)
    expect(check).toEqual(expect.arrayContaining(serve))
    expect(await run(['check', '--config', config, '--workers', '2'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('--json gives the same as data', async () => {
    const config = await file('metrics: maybe')
    const { code, stdout } = await run(['check', '-c', config, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stdout)).toEqual({
      ok: false,
      files: [config],
      errors: [
        {
          from: 'file',
          file: config,
          line: 1,
          column: 10,
          path: 'metrics',
          message: 'must be true or false',
        },
      ],
      warnings: [],
    })
  })

  it('warns on standard error and still says ok', async () => {
    const config = await file(`keys: [{ name: a, sha256: "${'1'.repeat(64)}" }]`, 0o644)
    const { code, stdout, stderr } = await run(['check', '-c', config])
    expect(code).toBe(0)
    expect(stderr).toContain('warning: ')
    expect(stderr).toContain('chmod 600')
    expect(stdout).toMatch(/1 key$/m)
  })
})

describe('dragoman init', () => {
  it('writes a file for the user alone that check accepts', async () => {
    const made = await run(['init', path()])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toBe(`Wrote ${path()}. Check it with: npx dragoman check --config ${path()}\n`)
    expect((await stat(path())).mode & 0o777).toBe(0o600)
    expect((await readFile(path(), 'utf8')).split('\n')[0]).toMatch(
      /^# yaml-language-server: \$schema=\S+\/config\.schema\.json$/,
    )
    const checked = await run(['check', '-c', path()], { OPENROUTER_API_KEY: 'k' })
    expect(checked.code).toBe(0)
    // Where the tests run there may be no way to the internet, which is no fault of the file.
    expect(checked.stderr.replace(/^warning: upstreams\.openrouter: .*\n/, '')).toBe('')
    expect(checked.stdout).toContain('https://openrouter.ai/api/v1 (openai-chat, OpenRouter, with key)')
  })

  it('takes the upstream and the variable of its key', async () => {
    await run(['init', path(), '--upstream', 'https://lab.example', '--api-key-env', 'LAB_KEY'])
    const { code, stdout } = await run(['check', '-c', path()], { LAB_KEY: 'k' })
    expect(code).toBe(0)
    expect(stdout).toContain('https://lab.example/v1 (openai-chat, with key)')
    expect((await run(['check', '-c', path()])).stderr).toContain('LAB_KEY is not set')
  })

  it('needs no key for a server without one', async () => {
    await run(['init', path(), '-u', 'http://127.0.0.1:8000/v1'])
    expect((await run(['check', '-c', path()])).stdout).toContain(
      'http://127.0.0.1:8000/v1 (openai-chat, no key)',
    )
  })

  it.each([
    ['openai-chat', 'https://lab.example', 'https://lab.example/v1'],
    ['anthropic-messages', 'https://lab.example', 'https://lab.example/v1'],
    ['openai-responses', 'https://lab.example/v1', 'https://lab.example/v1'],
    ['gemini', 'https://lab.example', 'https://lab.example/v1beta'],
    ['gemini', 'https://lab.example/v1beta/', 'https://lab.example/v1beta'],
    ['gemini', 'https://lab.example/v1beta/models', 'https://lab.example/v1beta'],
  ])('writes an upstream of %s at %s', async (dialect, url, base) => {
    expect((await run(['init', path(), '-u', url, '--dialect', dialect])).code).toBe(0)
    expect((await run(['check', '-c', path()])).stdout).toContain(`${base} (${dialect}, no key)`)
  })

  it('sends the Gemini models that Gemini CLI asks for on the side to models that are there', async () => {
    await run(['init', path()])
    const { stdout } = await run(['check', '-c', path()], { OPENROUTER_API_KEY: 'k' })
    expect(stdout).toContain('gemini-*')
    await run(['init', path(), '--force', '-u', 'http://127.0.0.1:8000/v1'])
    expect(await readFile(path(), 'utf8')).toContain('# - { match: "gemini-*", upstream: main,')
  })

  it('writes a complete example for a team, with a key that is told once and stands nowhere', async () => {
    const made = await run(['init', path(), '--team'])
    const key = /shown only here: ([0-9a-f]{48})$/m.exec(made.stdout)?.[1] ?? ''
    const text = await readFile(path(), 'utf8')
    expect(text).not.toContain(key)
    expect(text).toContain(createHash('sha256').update(key).digest('hex'))
    const checked = await run(['check', '-c', path()], { OPENROUTER_API_KEY: 'k' })
    expect(checked.code).toBe(0)
    expect(checked.stdout).toContain('then openrouter moonshotai/kimi-k2-thinking')
    expect(checked.stdout).toContain('counted in redis')
    const docs = await readFile(new URL('../../../../docs/teams.md', import.meta.url), 'utf8')
    expect(docs).toContain(`\`\`\`yaml\n${text.replace(/[0-9a-f]{64}/, '…')}\`\`\`\n`)
  })

  it('replaces a file only with --force, and then it is private too', async () => {
    const there = await file('mine: true', 0o644)
    const refused = await run(['init', there])
    expect(refused).toMatchObject({ code: 1, stdout: '' })
    expect(refused.stderr).toContain('is there already')
    expect(await readFile(there, 'utf8')).toBe('mine: true')
    expect((await run(['init', there, '--force'])).code).toBe(0)
    expect(await readFile(there, 'utf8')).toContain('upstreams:')
    expect((await stat(there)).mode & 0o777).toBe(0o600)
  })

  const wrong: [args: string[], says: string][] = [
    [['--team', '--upstream', 'https://a.example'], '--team takes no --upstream'],
    [['--upstream', 'lab.example'], 'write https://lab.example/v1'],
    [['--upstream', 'http://169.254.169.254/'], '--upstream is a link-local'],
    [['--api-key-env', 'K'], '--api-key-env needs --upstream'],
    [['--upstream', 'https://a.example', '--api-key-env', 'sk-canary'], 'the name of a variable'],
    [['--upstream', 'https://a.example', '--api-key-env', 'OPENROUTER_API_KEY'], 'is only sent to'],
  ]
  for (const [args, says] of wrong) {
    it(`init ${args.join(' ')}: exit 2, and no file`, async () => {
      const { code, stderr } = await run(['init', path(), ...args])
      expect(code).toBe(2)
      expect(stderr).toContain(says)
      expect(stderr).not.toContain('canary')
      await expect(stat(path())).rejects.toThrow('ENOENT')
    })
  }
})

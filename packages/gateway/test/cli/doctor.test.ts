import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { at } from '../server/ask.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
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
  const home = { HOME: folder, XDG_CONFIG_HOME: join(folder, 'config') }
  return dragoman(['doctor', ...args], { env: { ...home, ...env } })
}

function examine(
  settings: SimulatorSettings,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Finished & { readonly url: string }> {
  return withServer(settings, async (url) => ({
    url,
    ...(await run(['--upstream', url, '--model', 'standard', ...args], env)),
  }))
}

describe('dragoman doctor', () => {
  it('tells each finding in a line, ends with how to start, and exits 0', async () => {
    const { code, stdout, stderr, url } = await examine({})
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const lines = stdout.split('\n')
    expect(lines[0]).toBe(url)
    expect(stdout).toMatch(/^ok +a call, streamed +structured: the server reads it\.$/m)
    expect(stdout).toMatch(/^note +window .* → Set "window"/m)
    expect(lines.slice(-4)).toEqual([
      'Agents work with this upstream. Start the gateway with:',
      '',
      `npx dragoman --upstream ${url} --model standard`,
      '',
    ])
  })

  it('has colours where they are wanted', async () => {
    const { stdout } = await examine({ quirks: ['key-refused'] }, [], { FORCE_COLOR: '1' })
    expect(stdout).toContain('\u001B[31mfail   \u001B[39m key')
  })

  it('prints nothing of a server that does something to a terminal', async () => {
    const { url } = await startUpstream((response) =>
      json(response, 401, { error: { message: 'No\u001B[2J key\nat all' } }),
    )
    const { stdout } = await run(['--upstream', url, '--model', 'm'])
    stopUpstreams()
    expect(stdout).toContain('a key is needed: No␛[2J key at all.')
  })

  it('prints the lines that mend, and exits 0', async () => {
    const { code, stdout } = await examine({ quirks: ['lost-calls'] })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^warn +a call, streamed/m)
    expect(stdout).toContain(
      'models:\n  - match: "*"\n    upstream: main\n    model: standard\n    tools: prompt\n',
    )
  })

  it('exits 1 where agents cannot work, and tells only what was looked at', async () => {
    const { code, stdout } = await examine({ quirks: ['key-refused'] })
    expect(code).toBe(1)
    expect(stdout).toMatch(/^fail +key +a key is needed: Invalid API key\. → Put the key/m)
    expect(stdout).not.toContain('streaming')
    expect(stdout).toContain('Agents do not work with this upstream.')
  })

  it('--json gives the same as data', async () => {
    const { code, stdout, url } = await examine({ quirks: ['tools-refused'] }, ['--json'])
    const data: unknown = JSON.parse(stdout)
    expect(code).toBe(0)
    expect(data).toMatchObject({ upstream: url, kind: null, version: null, model: 'standard', window: null })
    const checks = at(data, 'checks')
    expect(checks).toContainEqual({
      id: 'call-streamed',
      status: 'warn',
      seen: 'the server refuses tools: standard does not support tools.',
      advice: 'With the tools in the prompt the call arrives: take the lines below.',
    })
    expect(at(data, 'config')).toEqual({
      upstreams: { main: { url } },
      models: [{ match: '*', upstream: 'main', model: 'standard', tools: 'prompt', format: 'hermes' }],
    })
  })

  it('--json has the window that only a refusal told', async () => {
    const { stdout } = await examine({ quirks: ['hidden-window'] }, ['--json'])
    expect(JSON.parse(stdout)).toMatchObject({ window: 65_536, config: { models: [{ window: 65_536 }] } })
  })

  it('--write makes the file, shows what it wrote, and the next run is content with it', async () => {
    const file = join(folder, 'dragoman.yaml')
    await withServer({ quirks: ['lost-calls'] }, async (url) => {
      const env = { LAB_KEY: 'canary-secret-key' }
      const options = ['--upstream', url, '--upstream-key-env', 'LAB_KEY', '--model', 'standard']
      const first = await run([...options, '--config', file, '--write'], env)
      expect(first.code).toBe(0)
      expect(first.stderr).toContain(`Wrote ${file}:`)
      expect(first.stderr).toMatch(/^\+ .*tools: prompt/m)
      const text = await readFile(file, 'utf8')
      expect(text).toContain('${LAB_KEY}')
      expect(text).toContain('# The configuration of Dragoman.')
      expect(text + first.stdout + first.stderr).not.toContain('canary-secret-key')

      const second = await run(['--config', file, '--write'], env)
      expect({ code: second.code, stderr: second.stderr }).toEqual({
        code: 0,
        stderr: `${file} says all of this already.\n`,
      })
      expect(second.stdout).toMatch(/^ok +a call, streamed +in the text, in the format hermes/m)
    })
  })

  it('does not write where nothing would work', async () => {
    const file = join(folder, 'dragoman.yaml')
    const { code } = await examine({ quirks: ['html'] }, ['--config', file, '--write'])
    expect(code).toBe(1)
    await expect(readFile(file)).rejects.toThrow('ENOENT')
  })

  it('examines an upstream of the file by its name, or the one that answers for a model', async () => {
    const file = join(folder, 'two.yaml')
    await withServer({}, async (url) => {
      const rules = '[{ match: "claude-*", upstream: lab, model: standard }, { match: "*", upstream: far }]'
      const upstreams = `{ far: { url: "http://127.0.0.1:1/v1" }, lab: { url: "${url}" } }`
      await writeFile(file, `upstreams: ${upstreams}\nmodels: ${rules}\n`, { mode: 0o600 })
      const named = await run(['-c', file, '--upstream', 'lab', '--json'])
      const asked = await run(['-c', file, '--model', 'claude-sonnet', '--json'])
      for (const { code, stdout } of [named, asked]) {
        expect(code).toBe(0)
        expect(JSON.parse(stdout)).toMatchObject({ upstream: url, model: 'standard' })
      }
    })
  })

  it('ends with the file where the file holds the settings', async () => {
    const file = join(folder, 'lab.yaml')
    await withServer({}, async (url) => {
      const rules = '[{ match: "*", upstream: lab, model: standard }]'
      await writeFile(file, `upstreams: { lab: { url: "${url}" } }\nmodels: ${rules}\n`, { mode: 0o600 })
      const found = await run(['-c', file])
      const named = await run(['-c', file, '-u', 'lab'])
      for (const { stdout } of [found, named]) expect(lastLine(stdout)).toBe(`npx dragoman -c ${file}`)
      const other = await run(['-c', file, '-u', url, '-m', 'standard'])
      expect(lastLine(other.stdout)).toBe(`npx dragoman -c ${file} --upstream ${url} --model standard`)
    })
  })

  it.each([[[]], [['lost-calls']]] as const)('ends with the file that it wrote, of %j', async (quirks) => {
    const file = join(folder, 'new.yaml')
    const { stdout } = await examine({ quirks }, ['--config', file, '--write'])
    expect(lastLine(stdout)).toBe(`npx dragoman -c ${file}`)
  })

  it('does not promise agents where the window is too small for them', async () => {
    const { code, stdout } = await examine({ server: 'vllm-0.21', window: 8192 }, ['--model', 'qwen3'])
    expect(stdout).toContain('The window of 8,192 tokens is too small for coding agents. Calls work.')
    expect(stdout).not.toContain('Agents work')
    expect(code).toBe(0)
  })

  it('an address without its scheme is refused as an address', async () => {
    const { code, stderr } = await run(['-u', '127.0.0.1:8201/v1'])
    expect(code).toBe(2)
    expect(stderr).toContain('must begin with http:// or https://: write http://127.0.0.1:8201/v1')
  })

  const wrong: readonly [args: readonly string[], says: string][] = [
    [[], 'no upstream is configured'],
    [['--timeout', 'soon'], '--timeout needs a duration'],
    [['--upstream', 'http://127.0.0.1:1/v1', '--mdel', 'x'], 'unknown option --mdel. Did you mean --model?'],
    [['operand'], 'one operand too many'],
  ]
  for (const [args, says] of wrong) {
    it(`${args.join(' ') || 'no argument'} is a wrong use`, async () => {
      const { code, stdout, stderr } = await run(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
    })
  }
})

function lastLine(text: string): string | undefined {
  return text.trimEnd().split('\n').at(-1)
}

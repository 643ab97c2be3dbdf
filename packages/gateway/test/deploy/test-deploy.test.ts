import { execFile } from 'node:child_process'
import { chmod, cp, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

/** Programs that take every file but one with a certain word in it, or that warn of that word. */
async function programs(how: 'refuses' | 'warns'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-'))
  const answers = {
    nginx: 'nginx: [warn] a word',
    haproxy: '[WARNING] a word',
    'systemd-analyze': 'dragoman.service:1: a word',
  }
  await Promise.all(
    Object.entries(answers).map(async ([name, said]) => {
      const path = join(folder, name)
      const end = how === 'refuses' ? 'exit 1' : `echo "${said}" >&2`
      const files = 'for last; do :; done; [ "$1" = -t ] && last="$3"'
      await writeFile(path, `#!/bin/sh\n${files}\nif grep -rq MISTAKE "$last"; then ${end}; fi\n`)
      await chmod(path, 0o755)
    }),
  )
  return folder
}

interface Run {
  readonly code: unknown
  readonly lines: readonly string[]
}

/** Runs the script on a copy of the files, of which one may have a mistake. */
async function run(options: { bin?: string; mistakeIn?: string; args?: readonly string[] }): Promise<Run> {
  const folder = join(await mkdtemp(join(tmpdir(), 'dragoman-')), 'deploy')
  await cp(join(root, 'deploy'), folder, { recursive: true })
  if (options.mistakeIn !== undefined) {
    const path = join(folder, options.mistakeIn)
    await writeFile(path, `${await readFile(path, 'utf8')}\n# MISTAKE\n`)
  }
  const tools = await onlyTools()
  const PATH = options.bin === undefined ? tools : `${options.bin}:${tools}`
  return new Promise((resolve) => {
    const args = [join(root, 'scripts/test-deploy.mjs'), ...(options.args ?? [])]
    execFile(process.execPath, args, { env: { PATH, DEPLOY_FOLDER: folder } }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, lines: stdout.trim().split('\n') }),
    )
  })
}

/** A path with what the script needs itself, and none of the programs that it may find on this machine. */
async function onlyTools(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-'))
  await Promise.all(
    ['openssl', 'grep'].map(async (name) => {
      const path = join(folder, name)
      await writeFile(path, `#!/bin/sh\nPATH=/usr/local/bin:/usr/bin:/bin exec ${name} "$@"\n`)
      await chmod(path, 0o755)
    }),
  )
  return folder
}

const files = [
  'nginx/dragoman.conf',
  'compose/upstream.conf',
  'haproxy/haproxy.cfg',
  'systemd/dragoman.service',
]

describe('npm run test:deploy', () => {
  it('has every program check its file', async () => {
    const { code, lines } = await run({ bin: await programs('refuses'), args: ['--all'] })
    expect(lines.map((line) => line.replace(/ \(.*/, ''))).toEqual(files.map((file) => `ok   deploy/${file}`))
    expect(code).toBe(0)
  })

  it.each([
    ['compose/upstream.conf', 'refuses'],
    ['haproxy/haproxy.cfg', 'refuses'],
    ['haproxy/haproxy.cfg', 'warns'],
    ['systemd/dragoman.service', 'refuses'],
    ['systemd/dragoman.service', 'warns'],
    ['nginx/upstream.conf', 'warns'],
  ] as const)('fails where a program finds a mistake in %s, and %s', async (file, how) => {
    const { code, lines } = await run({ bin: await programs(how), mistakeIn: file })
    expect(lines.filter((line) => line.startsWith('FAIL'))).toHaveLength(1)
    expect(code).toBe(1)
  })

  it('names the programs that are missing, which is a failure only where all are asked for', async () => {
    const { code, lines } = await run({})
    expect(lines.filter((line) => line.startsWith('--'))).toHaveLength(files.length)
    expect(lines[0]).toContain('nginx is missing')
    expect(code).toBe(0)
    expect((await run({ args: ['--all'] })).code).toBe(1)
  })
})

import { execFile } from 'node:child_process'
import { chmod, mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../../', import.meta.url))

interface Run {
  readonly code: unknown
  readonly output: string
}

function run(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Run> {
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      args,
      { cwd: root, env: { ...process.env, ...env } },
      (_error, stdout, stderr) => resolve({ code: child.exitCode, output: stdout + stderr }),
    )
  })
}

/** What the script makes of a report that npm gives back. */
async function audit(report: string, ...options: readonly string[]): Promise<Run> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-'))
  await writeFile(join(folder, 'report'), report)
  await writeFile(join(folder, 'npm'), `#!/bin/sh\ncat ${join(folder, 'report')}\nexit 1\n`)
  await chmod(join(folder, 'npm'), 0o755)
  const path = folder + delimiter + (process.env['PATH'] ?? '')
  return run(['scripts/audit.mjs', ...options], { PATH: path })
}

function weak(name: string, path: string): string {
  const via = [{ title: 'Lets anybody in', url: 'https://advisories.example/1' }]
  return JSON.stringify({ vulnerabilities: { [name]: { name, severity: 'high', via, nodes: [path] } } })
}

describe('the audit of what is shipped', () => {
  it('passes where nothing is known', async () => {
    const { code, output } = await audit('{"vulnerabilities":{}}', '--required')
    expect(code).toBe(0)
    expect(output).toMatch(/^0 of \d+ packages that we ship/)
  })

  it.each(['yaml', 'zod'])(
    'fails where a weakness of a package that is shipped is known: %s',
    async (name) => {
      const { code, output } = await audit(weak(name, `node_modules/${name}`))
      expect(code).toBe(1)
      expect(output).toContain(`high: ${name}: Lets anybody in`)
    },
  )

  it('passes over what is there for development alone', async () => {
    expect((await audit(weak('vitest', 'node_modules/vitest'))).code).toBe(0)
  })

  it.each(['{"message":"405 Method Not Allowed"}', 'no JSON', ''])(
    'says that there was none where the registry does not answer, and fails where it has to: %s',
    async (report) => {
      const free = await audit(report)
      expect(free).toMatchObject({ code: 0, output: expect.stringContaining('NOT AUDITED') })
      expect((await audit(report, '--required')).code).toBe(1)
    },
  )
})

/** Those of a lock file. */
async function shippedBy(lock: object): Promise<unknown> {
  const folder = await mkdtemp(join(tmpdir(), 'dragoman-'))
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock))
  const program = `import { shippedPackages } from './scripts/shipped-packages.mjs'
    console.log(JSON.stringify(shippedPackages(${JSON.stringify(folder)})))`
  return JSON.parse((await run(['--input-type=module', '--eval', program])).output)
}

describe('the packages that are shipped', () => {
  it('are those of the lock file that are not for development, and what is bundled', async () => {
    const packages = {
      '': { version: '0.0.0' },
      'packages/gateway': { version: '0.1.0' },
      'node_modules/dragoman': { link: true },
      'node_modules/a': { version: '1.0.0', hasInstallScript: true },
      'node_modules/a/node_modules/@b/c': { version: '2.0.0' },
      'node_modules/d': { version: '3.0.0', dev: true },
      'node_modules/zod': { version: '4.0.0', dev: true },
    }
    expect(await shippedBy({ packages })).toMatchObject([
      { name: 'a', version: '1.0.0', isBundled: false, runsScript: true },
      { name: '@b/c', version: '2.0.0', isBundled: false, runsScript: false },
      { name: 'zod', version: '4.0.0', isBundled: true, runsScript: false },
    ])
  })
})

describe('the bill of materials', () => {
  it('is that of the program, with what is bundled in it and without what is for development', async () => {
    const { output } = await run(['scripts/sbom.mjs'])
    const bill = JSON.parse(output)
    const names: string[] = bill.components.map(({ name }: { name: string }) => name)
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'dragoman' } } })
    expect(names).toEqual(expect.arrayContaining(['@dragoman/core', 'preact', 'undici', 'yaml', 'zod']))
    expect(names).not.toContain('vitest')
  })
})

describe.each(['ci', 'release'])('the workflow %s', (name) => {
  const text = () => readFile(join(root, `.github/workflows/${name}.yml`), 'utf8')

  it('takes every action by the hash of a commit, and keeps no secret', async () => {
    const uses = [...(await text()).matchAll(/uses: (\S+)/g)].map(([, action]) => action)
    expect(uses.length).toBeGreaterThan(1)
    for (const action of uses) expect(action).toMatch(/^actions\/[\w-]+@[\da-f]{40}$/)
    expect(await text()).not.toMatch(/secrets\.|NPM_TOKEN|NODE_AUTH_TOKEN|pull_request_target/)
  })

  it('installs what the lock file says, without scripts, and may do nothing that it does not need', async () => {
    expect(await text()).toContain('npm ci --ignore-scripts')
    expect(await text()).toMatch(/^permissions: \{\}$/m)
  })
})

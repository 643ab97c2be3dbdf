import { spawnSync } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { binary, withFile } from './run-cli.ts'

/** Runs the program where `process.versions` says this. */
function runOn(versions: object): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const pretence = `Object.defineProperty(process, 'versions', { value: ${JSON.stringify(versions)} })`
  return withFile('versions.cjs', pretence, async (file) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['--require', file, binary, '--version'], {
      encoding: 'utf8',
    })
    return { code: status, stdout, stderr }
  })
}

describe('the program', () => {
  it.each(['14.21.3', '16.20.2', '18.20.8', '20.18.3'])(
    'says in a sentence that Node %s is too old',
    async (node) => {
      expect(await runOn({ node })).toEqual({
        code: 1,
        stdout: '',
        stderr: `dragoman: it needs Node.js 20.19 or newer; this is ${node}.\n`,
      })
    },
  )

  it.each([
    ['Bun', { node: '24.3.0', bun: '1.3.0' }],
    ['Deno', { node: '24.2.0', deno: '2.5.0' }],
  ])('says in a sentence that it does not run on %s', async (name, versions) => {
    expect(await runOn(versions)).toEqual({
      code: 1,
      stdout: '',
      stderr: `dragoman: it runs on Node.js 20.19 or newer, and not on ${name}.\n`,
    })
  })

  it.each(['20.19.0', '22.0.0', '26.1.0'])('runs on Node %s', async (node) => {
    expect(await runOn({ ...process.versions, node })).toMatchObject({ code: 0, stderr: '' })
  })

  it('runs on what its package asks for', async () => {
    const manifest: unknown = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    expect(manifest).toMatchObject({ engines: { node: '>=20.19' } })
  })
})

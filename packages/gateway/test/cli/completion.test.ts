import { spawnSync } from 'node:child_process'
import { formatIds } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/command-table.ts'
import { dragoman } from './in-process.ts'
import { sample, withFile } from './run-cli.ts'

const hasBash = spawnSync('bash', ['--version']).status === 0

/** What bash offers for the last of these words. */
async function offered(...words: readonly string[]): Promise<string[]> {
  const { stdout: script } = await dragoman(['completion', 'bash'])
  return withFile('completion.bash', script, async (file) => {
    const ask = `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _dragoman; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout, stderr, status } = spawnSync('bash', ['-c', ask, file, 'dragoman', ...words], {
      encoding: 'utf8',
    })
    expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
    return stdout.split('\n').filter((word) => word !== '')
  })
}

describe.runIf(hasBash)('completion in bash', () => {
  it('offers the commands', async () => {
    expect(await offered('')).toEqual([...commands.map(({ name }) => name), 'help'])
    expect(await offered('co')).toEqual(['convert', 'completion'])
    expect(await offered('help', 'pa')).toEqual(['parse'])
    expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish'])
  })

  it('offers the options of a command, and those of serve where none is named', async () => {
    expect(await offered('convert', '--f')).toEqual(['--from', '--format'])
    expect(await offered('chat', '-')).toContain('-p')
    expect(await offered('--work')).toEqual(['--workers'])
    expect(await offered('--port', '1', '--ho')).toEqual(['--host'])
  })

  it('offers the values that an option can have', async () => {
    expect(await offered('parse', '--format', '')).toEqual(formatIds)
    expect(await offered('parse', '-f', 'ki')).toEqual(['kimi'])
    // bash makes three words of --format=ki.
    expect(await offered('parse', '--format', '=', 'ki')).toEqual(['kimi'])
    expect(await offered('convert', '--to', 'anth')).toEqual(['anthropic-messages'])
    expect(await offered('--log-level', '')).toEqual(['debug', 'info', 'warn', 'error'])
    expect(await offered('simulate', '--chunk', 't')).toEqual(['token'])
  })

  it('offers files where a file is meant, and nothing where only the user knows', async () => {
    expect(await offered('convert', sample('kimi.s'))).toEqual([sample('kimi.sse')])
    expect(await offered('parse', '--tools', sample('tools.j'))).toEqual([sample('tools.json')])
    expect(await offered('chat', '--prompt', '')).toEqual([])
  })
})

describe('the completion for', () => {
  it.each(['zsh', 'fish'])('%s names every command, option and known value', async (shell) => {
    const { code, stdout, stderr } = await dragoman(['completion', shell])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    for (const { name, options } of commands) {
      expect(stdout).toContain(shell === 'zsh' ? `    ${name})\n` : `-a ${name} -d `)
      for (const option of Object.keys(options)) {
        expect(stdout).toContain(shell === 'zsh' ? `--${option}[` : ` -l ${option} `)
      }
    }
    expect(stdout).toContain(formatIds.join(' '))
    expect(stdout).toContain('bash zsh fish')
  })

  it.runIf(hasBash)('bash is understood by it', async () => {
    const { stdout } = await dragoman(['completion', 'bash'])
    expect(spawnSync('bash', ['-n'], { input: stdout }).status).toBe(0)
  })

  it('another shell does not exist, and the known ones are told', async () => {
    expect(await dragoman(['completion', 'csh'])).toMatchObject({
      code: 2,
      stderr: 'dragoman: there is no completion for "csh"\nKnown: bash, zsh, fish\n',
    })
  })
})

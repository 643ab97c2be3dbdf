import { describe, expect, it } from 'vitest'
import { dragoman } from './in-process.ts'

describe('dragoman formats', () => {
  it('lists every format on a line', async () => {
    const { code, stdout } = await dragoman(['formats'])
    expect(code).toBe(0)
    for (const id of ['standard', 'kimi', 'qwen', 'deepseek'])
      expect(stdout).toMatch(new RegExp(`^${id} `, 'm'))
    expect(stdout).toMatch(/^qwen +Qwen +20\d\d-\d\d +Qwen2\.5/m)
  })

  it('shows one with its sample', async () => {
    const { code, stdout } = await dragoman(['formats', 'kimi'])
    expect(code).toBe(0)
    expect(stdout).toContain('<|tool_calls_section_begin|>')
    expect(stdout).toMatch(/checked +20\d\d-\d\d, against the templates of Kimi K2/)
  })

  it('--json gives the same as data', async () => {
    const all: unknown = JSON.parse((await dragoman(['formats', '--json'])).stdout)
    const one: unknown = JSON.parse((await dragoman(['formats', 'kimi', '--json'])).stdout)
    expect(one).toMatchObject({ id: 'kimi', sample: expect.stringContaining('<|tool_call') as unknown })
    expect(all).toContainEqual(one)
  })

  it('an alias names its format', async () => {
    expect((await dragoman(['formats', 'openai'])).stdout).toMatch(/^standard /)
  })

  it('an unknown name is answered with the known ones', async () => {
    const { code, stdout, stderr } = await dragoman(['formats', 'nope'])
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('no format "nope"')
    expect(stderr).toContain('kimi')
  })
})

import { describe, expect, it } from 'vitest'
import { dragoman } from './in-process.ts'

describe('dragoman detect', () => {
  it('prints the format alone for one model', async () => {
    expect(await dragoman(['detect', 'moonshotai/kimi-k2-thinking'])).toEqual({
      code: 0,
      stdout: 'kimi\n',
      stderr: '',
    })
    expect((await dragoman(['detect', 'gpt-4o'])).stdout).toBe('standard\n')
  })

  it('prints each model with its format for several', async () => {
    const { stdout } = await dragoman(['detect', 'qwen3-coder-plus', 'deepseek-r1'])
    expect(stdout).toBe('qwen3-coder-plus  qwen\ndeepseek-r1       deepseek\n')
  })

  it('prints an object a line with --json', async () => {
    const { stdout } = await dragoman(['detect', '--json', 'kimi-k2', 'gpt-4'])
    const [kimi, gpt] = stdout
      .trimEnd()
      .split('\n')
      .map((line): unknown => JSON.parse(line))
    expect(kimi).toMatchObject({ model: 'kimi-k2', format: 'kimi' })
    expect(gpt).toEqual({ model: 'gpt-4', format: 'standard' })
  })

  it('an override wins over the name', async () => {
    const { stdout } = await dragoman([
      'detect',
      'kimi-x',
      '--override',
      'a=kimi',
      '--override',
      'kimi-*=glm',
    ])
    expect(stdout).toBe('glm\n')
  })
})

import { describe, expect, it } from 'vitest'
import { Permission, type PermissionOptions } from '../../src/chat/permission.ts'

interface Asked {
  readonly permission: Permission
  readonly questions: string[]
  readonly told: string[]
}

function permission(answers: readonly string[] | undefined, allowed: Partial<PermissionOptions> = {}): Asked {
  const questions: string[] = []
  const told: string[] = []
  const left = [...(answers ?? [])]
  const question = async (text: string): Promise<string> => {
    questions.push(text)
    return left.shift() ?? ''
  }
  return {
    questions,
    told,
    permission: new Permission({
      allowsWrites: false,
      allowsCommands: false,
      question: answers === undefined ? undefined : question,
      tell: (message) => told.push(message),
      ...allowed,
    }),
  }
}

describe('permission', () => {
  it.each([
    ['y', 'allowed'],
    [' YES ', 'allowed'],
    ['', 'refused'],
    ['n', 'refused'],
    ['yeah', 'refused'],
  ])('the answer %j means %s', async (answer, means) => {
    expect(await permission([answer]).permission.ask('run', 'Run ls')).toBe(means)
  })

  it('"a" allows every write from now on, and no command', async () => {
    const { permission: asked, questions } = permission(['a', 'a', 'n'])
    expect(await asked.ask('write', 'Write a')).toBe('allowed')
    expect(await asked.ask('write', 'Write b')).toBe('allowed')
    expect(await asked.ask('run', 'Run ls')).toBe('refused')
    expect(questions).toEqual(['Write a', 'Run ls'])
  })

  it('without anybody to ask nothing is done, and the way to allow it is told', async () => {
    const { permission: asked, told } = permission(undefined)
    expect(await asked.ask('run', 'Run ls')).toBe('unasked')
    expect(await asked.ask('write', 'Write a')).toBe('unasked')
    expect(told).toEqual([expect.stringContaining('--yes-run'), expect.stringMatching(/--yes allows/)])
  })

  it('a command that is allowed beforehand is shown all the same, without a question', async () => {
    const { permission: asked, told, questions } = permission(['n'], { allowsCommands: true })
    expect(await asked.ask('run', 'Run rm x\nrm y')).toBe('allowed')
    expect({ told, questions }).toEqual({ told: ['Run rm x\nrm y'], questions: [] })
  })

  it('--yes does not allow commands, nor --yes-run writes', async () => {
    expect(await permission(undefined, { allowsWrites: true }).permission.ask('run', 'Run ls')).toBe(
      'unasked',
    )
    expect(await permission(undefined, { allowsCommands: true }).permission.ask('write', 'W')).toBe('unasked')
  })

  it('a command cannot hide what it does from the question', async () => {
    const { permission: asked, questions } = permission(['n'])
    await asked.ask('run', 'Run rm -rf .\u001b[2K\rls')
    expect(questions).toEqual(['Run rm -rf .␛[2K␍ls'])
  })

  it('a long command is folded, and nothing of it is run that was not shown', async () => {
    const lines = Array.from({ length: 60 }, (_, at) => `echo ${at}`)
    const command = `Run ${[...lines.slice(0, 30), 'rm -rf ~', ...lines.slice(30)].join('\n')}`
    const all = permission(['y', 'y', 'y', 'y', 'y'])
    expect(await all.permission.ask('run', command)).toBe('allowed')
    expect(all.questions[0]).toMatch(/45 lines of 61 are folded/)
    expect(all.questions[0]).not.toContain('rm -rf')
    expect(all.questions.slice(1).join('\n')).toContain('rm -rf ~')
    for (const line of lines) expect(all.questions.join('\n')).toContain(line)
    for (const question of all.questions) expect(question.split('\n').length).toBeLessThan(20)
    const some = permission(['y', 'y', 'n'])
    expect(await some.permission.ask('run', command)).toBe('refused')
  })

  it('one long line is folded as well', async () => {
    const { permission: asked, questions } = permission(['y', 'n'])
    const command = `Run true ${' '.repeat(3000)}; rm -rf ~ ; ${' '.repeat(3000)} true`
    expect(await asked.ask('run', command)).toBe('refused')
    expect(questions).toHaveLength(2)
    expect(questions[0]).toContain('folded')
  })

  it('what is grave is asked about although writes are allowed, and never always', async () => {
    const { permission: asked, questions } = permission(['y', 'a'], { allowsWrites: true })
    expect(await asked.ask('write', 'Write .git/hooks/pre-commit', true)).toBe('allowed')
    expect(await asked.ask('write', 'Write .envrc', true)).toBe('refused')
    expect(questions).toHaveLength(2)
    const alone = permission(undefined, { allowsWrites: true })
    expect(await alone.permission.ask('write', 'Write .envrc', true)).toBe('unasked')
  })
})

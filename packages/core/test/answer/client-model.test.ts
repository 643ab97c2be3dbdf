import { describe, expect, it } from 'vitest'
import { type DialectId, dialectIds, dialects } from '../../src/dialects/index.ts'
import { type AnswerTranslation, translateAnswer } from '../../src/translate.ts'

const hello = { model: 'vendor/real-name', created: 1 }

interface Told {
  readonly delivered: 'stream' | 'whole'
  readonly wants: 'stream' | 'whole'
  readonly clientModel?: string
  readonly said?: () => void
}

function translation(dialect: DialectId, { delivered, wants, clientModel, said }: Told): AnswerTranslation {
  return translateAnswer({
    from: dialect,
    to: dialect,
    delivered,
    wants,
    clientModel,
    includeUsage: true,
    parser: { format: 'standard' },
    mint: () => 'call_1',
    watcher: said === undefined ? {} : { said },
    encoding: () => ({ id: 'id', model: 'my-model', created: 1, inputTokens: () => 0, signature: () => '' }),
  })
}

function whole(dialect: DialectId): string {
  return dialects[dialect].answer.whole.ofText('Hello', hello)
}

function events(dialect: DialectId): string {
  const made = dialects[dialect].answer.whole.toEvents(whole(dialect))
  if ('failure' in made) throw new Error(made.failure.message)
  return made.events
}

describe.each(dialectIds)('the name of the model in an answer of %s', (dialect) => {
  it.each(['stream', 'whole'] as const)('is the one that the client is to be told: %s', (wants) => {
    const told = translation(dialect, { delivered: 'whole', wants, clientModel: 'my-model' })
    const text = told.push(whole(dialect)) + told.end()
    expect(text).toContain('"my-model"')
    expect(text).toContain('Hello')
    expect(text).not.toContain('real-name')
  })

  it('stays what the upstream says where nobody says another', () => {
    const told = translation(dialect, { delivered: 'whole', wants: 'whole' })
    expect(told.push(whole(dialect)) + told.end()).toBe(whole(dialect))
  })
})

describe.each(dialectIds)('who watches an answer of %s', (dialect) => {
  it('is told that it says something with its first words, and not before', () => {
    let count = 0
    const told = translation(dialect, { delivered: 'stream', wants: 'stream', said: () => count++ })
    const blocks = events(dialect).split(/(?<=\n\n)/)
    const first = blocks.findIndex((block) => block.includes('Hello'))
    told.push(blocks.slice(0, first).join(''))
    expect(count).toBe(0)
    told.push(blocks.slice(first).join(''))
    told.end()
    expect(count).toBeGreaterThan(0)
  })
})

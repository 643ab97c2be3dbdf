import { describe, expect, it } from 'vitest'
import { formatIds } from '../../src/formats/format-id.ts'
import { templateOf } from '../../src/formats/template.ts'

describe('what models want of a conversation', () => {
  const questions = Object.keys(templateOf('hermes')).toSorted()

  it.each(formatIds)('%s has an answer to every question', (format) => {
    expect(Object.keys(templateOf(format)).toSorted()).toEqual(questions)
  })

  it('is as usual where the record says nothing', () => {
    expect(templateOf('hermes')).toMatchObject({ turns: 'any', system: 'first', ids: 'standard' })
    expect(templateOf('kimi')).toMatchObject({ turns: 'any', developerRole: false })
  })

  it('is as the record says', () => {
    expect(templateOf('kimi')).toMatchObject({ system: 'anywhere', reasoning: 'required', ids: 'kimi' })
    expect(templateOf('mistral')).toMatchObject({ turns: 'alternate', afterTool: 'model', ids: 'mistral' })
  })

  it('of one family that is built on another is its own: Anthropic’s server takes no null fields', () => {
    expect(templateOf('standard').nullFields).toBe('keep')
    expect(templateOf('anthropic').nullFields).toBe('drop')
  })
})

import { describe, expect, it } from 'vitest'
import { demandsLostReasoning } from '../../src/index.ts'

describe('an upstream that demands reasoning beside calls', () => {
  it.each([
    'The reasoning_content in the thinking mode must be passed back to the API.',
    'thinking is enabled but reasoning_content is missing in assistant tool call message at index 2',
    'messages[1]: thinking is on, but the message with tool_calls has no reasoning_content',
  ])('says so: %s', (message) => {
    expect(demandsLostReasoning({ message })).toBe(true)
  })

  it.each([
    'Extra inputs are not permitted: reasoning_content',
    'Unsupported parameter: reasoning_content',
    'reasoning_effort is required to be a string',
  ])('is not meant by: %s', (message) => {
    expect(demandsLostReasoning({ message })).toBe(false)
  })
})

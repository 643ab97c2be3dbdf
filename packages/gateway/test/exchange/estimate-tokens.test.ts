import { decodeAnthropicRequest } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { estimateTokens } from '../../src/exchange/estimate-tokens.ts'

function tokensOf(content: string): number {
  const decoded = decodeAnthropicRequest({
    model: 'm',
    max_tokens: 9,
    messages: [{ role: 'user', content }],
  })
  if ('error' in decoded) throw new Error(decoded.error.message)
  return estimateTokens(decoded.request) - 16
}

describe('the estimate of tokens', () => {
  it('has a little more than three letters of English a token', () => {
    expect(tokensOf('The quick brown fox jumps over the lazy dog. '.repeat(20))).toBe(258)
  })

  it('has more than half a token for each letter of Chinese', () => {
    const tokens = tokensOf('敏捷的棕色狐狸跳过了懒狗'.repeat(100))
    expect(tokens / 1200).toBeGreaterThan(0.6)
    expect(tokens / 1200).toBeLessThan(1)
  })
})

import type { Usage } from '@dragoman/core'

/** An upstream may make thousands of calls, and as many mistakes: the line names the first, and counts the others. */
export class FirstOf {
  count = 0
  private readonly first: string[] = []

  add(text: string): void {
    this.count++
    if (this.first.length < mostNamed) this.first.push(text.slice(0, longestName))
  }

  clear(): void {
    this.count = 0
    this.first.length = 0
  }

  /** Null where there is none. */
  shown(): readonly string[] | null {
    const rest = this.count - this.first.length
    return orNull(rest === 0 ? this.first : [...this.first, `and ${rest} more`])
  }
}

const mostNamed = 10
const longestName = 256

/** Those of the prompt and those of the answer, with the parts that are paid or timed differently where there are some. */
export function tokenFields(usage: Usage | null): object {
  if (usage === null) return {}
  const { inputTokens, cacheReadTokens, cacheWriteTokens, outputTokens, reasoningTokens } = usage
  return {
    tokensIn: inputTokens + cacheReadTokens + cacheWriteTokens,
    tokensOut: outputTokens,
    ...(cacheReadTokens === 0 ? {} : { tokensCached: cacheReadTokens }),
    ...(reasoningTokens === 0 ? {} : { tokensReasoning: reasoningTokens }),
  }
}

export function orNull(list: readonly string[]): readonly string[] | null {
  return list.length === 0 ? null : list
}

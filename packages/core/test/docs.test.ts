import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { problemCodes, repairCodes } from '../src/problems.ts'

const documented = sections(
  readFileSync(new URL('../../../docs/problems.md', import.meta.url), 'utf8').split('\n'),
)

describe('docs/problems.md', () => {
  it('has a section for every problem, and for nothing else', () => {
    expect(documented.get('Problems')).toEqual(Object.keys(problemCodes))
  })

  it('has a section for every repair, and for nothing else', () => {
    expect(documented.get('Repairs')).toEqual(Object.keys(repairCodes))
  })
})

/** The `###` headings under each `##` heading. */
function sections(lines: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>()
  let current: string[] = []
  for (const line of lines) {
    if (line.startsWith('## ')) {
      current = []
      found.set(line.slice(3), current)
    } else if (line.startsWith('### ')) {
      current.push(line.slice(4))
    }
  }
  return found
}

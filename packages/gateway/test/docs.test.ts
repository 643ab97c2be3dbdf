import { readdirSync, readFileSync } from 'node:fs'
import { anthropicErrorResponse, chatErrorResponse, type FailureKind, requestDialects } from '@dragoman/core'
import { describe, expect, it } from 'vitest'

function read(path: string): string {
  return readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')
}

/** All sources under these folders. */
function sources(...folders: readonly string[]): string {
  return folders
    .flatMap((folder) =>
      readdirSync(new URL(`../../../${folder}`, import.meta.url), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.ts'))
        .map((name) => read(`${folder}/${name}`)),
    )
    .join('\n')
}

const errors = read('docs/errors.md')

/** The codes in the first column of tables. */
const documented = [...errors.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code)

describe('docs/errors.md', () => {
  it('has every code that the sources have, once, and no other', () => {
    const text = sources(
      'packages/gateway/src/server',
      'packages/gateway/src/exchange',
      'packages/gateway/src/security',
      'packages/gateway/src/upstream',
      'packages/core/src/answer',
      'packages/core/src/dialects',
    )
    const named = /\b(?:code: |contextOverflow = )'([a-z]+(?:_[a-z]+)+)'/g
    const called =
      /\b(?:refusal|failure|upstreamFailure|fail)\(\s*(?:\d+,\s*)?(?:'[a-z-]+',\s*)?'([a-z]+(?:_[a-z]+)+)'/g
    const codes = [named, called].flatMap((pattern) => [...text.matchAll(pattern)].map(([, code]) => code))
    expect(documented.toSorted()).toEqual([...new Set(codes)].toSorted())
  })

  it('has the status and type of every kind of error, in both dialects', () => {
    const kinds: readonly FailureKind[] = [
      'invalid-request',
      'authentication',
      'permission',
      'not-found',
      'too-large',
      'rate-limit',
      'overloaded',
      'timeout',
      'upstream',
      'internal',
    ]
    for (const kind of kinds) {
      const failure = { kind, code: 'any', message: 'any' }
      const anthropic = anthropicErrorResponse(failure, 'id')
      const chat = chatErrorResponse(failure)
      const status =
        anthropic.status === chat.status
          ? `${chat.status}`
          : `${chat.status}, or ${anthropic.status} for Anthropic`
      expect(errors).toContain(
        `| ${status} | \`${anthropic.body.error.type}\` | \`${chat.body.error.type}\` |`,
      )
    }
  })
})

describe('docs/gateway.md', () => {
  it('has every metric', () => {
    const gateway = read('docs/gateway.md')
    const names = [...read('packages/gateway/src/observe/metrics.ts').matchAll(/name: '(dragoman_\w+)'/g)]
    expect(names.length).toBeGreaterThan(10)
    for (const [, name] of names) expect(gateway).toContain(`| \`${name}\` |`)
  })

  it('has the fields that are passed on where keys are configured', () => {
    const gateway = read('docs/gateway.md')
    for (const [dialect, { passedFields }] of Object.entries(requestDialects)) {
      expect(gateway).toContain(
        `| \`${dialect}\` | ${passedFields.map((field) => `\`${field}\``).join(', ')} |`,
      )
    }
  })
})

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import * as core from '@dragoman/core'
import { dialectIds, dialects, type FailureKind } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { checks } from '../src/doctor/checks/check-list.ts'
import { quirkNames, quirks } from '../src/simulator/quirks.ts'
import { at } from './server/ask.ts'

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

describe('docs/dialects.md', () => {
  it('has a row for every client with every upstream', () => {
    const rows = [...read('docs/dialects.md').matchAll(/^\| `([\w-]+)` \| `([\w-]+)` \| (\w+)/gm)]
    const found = rows.map(([, client, upstream, how]) => `${client} ${upstream} ${how}`)
    const expected = dialectIds.flatMap((client) =>
      dialectIds.map((upstream) => `${client} ${upstream} ${client === upstream ? 'passed' : 'translated'}`),
    )
    expect(found).toEqual(expected)
  })
})

const errors = read('docs/errors.md')

/** The codes in the first column of tables. */
const documented = [...errors.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, code]) => code)

describe('docs/errors.md', () => {
  it('has every code that the sources have, once, and no other', () => {
    const text = sources(
      'packages/gateway/src/base',
      'packages/gateway/src/server',
      'packages/gateway/src/exchange',
      'packages/gateway/src/quotas',
      'packages/gateway/src/security',
      'packages/gateway/src/upstream',
      'packages/core/src/answer',
      'packages/core/src/dialects',
    )
    const named = /\b(?:code: |contextOverflow = )'([a-z]+(?:_[a-z]+)+)'/g
    const called =
      /\b(?:refusal|failure|upstreamFailure|upstreamFault|fail)\(\s*(?:\d+,\s*)?(?:'[a-z-]+',\s*)?'([a-z]+(?:_[a-z]+)+)'/g
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
      const { errors: anthropic } = dialects['anthropic-messages']
      const { errors: chat } = dialects['openai-chat']
      const own = `${chat.status(failure)}`
      const theirs = `${anthropic.status(failure)}`
      const status = own === theirs ? own : `${own}, or ${theirs} for Anthropic`
      const types = [anthropic, chat].map((each) => `\`${String(at(each.body(failure), 'error', 'type'))}\``)
      expect(errors).toContain(`| ${status} | ${types.join(' | ')} |`)
    }
  })
})

/** The files of tests that a page names. */
function testsIn(text: string): string[] {
  return [...text.matchAll(/`(packages\/[\w./-]+\.test\.ts)`/g)].map(([, path = '']) => path)
}

describe('docs/security.md', () => {
  const page = read('docs/security.md')
  const [, table = ''] = /\n## The defences\n([^]*?)\n## /.exec(page) ?? []
  const rows = table.split('\n').filter((line) => /^\| [A-Z]/.test(line))

  it('names a test for every defence, and each of them is there', () => {
    expect(rows.length).toBeGreaterThan(20)
    expect(rows.filter((row) => testsIn(row).length === 0)).toEqual([])
    expect(testsIn(page).filter((path) => !existsSync(new URL(`../../../${path}`, import.meta.url)))).toEqual(
      [],
    )
  })

  it('names every test of security', () => {
    const files = readdirSync(new URL('security', import.meta.url)).filter((name) =>
      name.endsWith('.test.ts'),
    )
    const named = new Set(testsIn(page))
    expect(files.filter((name) => !named.has(`packages/gateway/test/security/${name}`))).toEqual([])
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
    for (const id of dialectIds) {
      const fields = dialects[id].request.passedFields.map((field) => `\`${field}\``)
      expect(gateway).toContain(`| \`${id}\` | ${fields.join(', ')} |`)
    }
  })
})

describe('docs/library.md', () => {
  const library = read('docs/library.md')

  it('has every public name', () => {
    const index = read('packages/core/src/index.ts')
    const types = [...index.matchAll(/\btype (\w+)(?=[,\s}])|^ {2}(\w+),$/gm)].map(
      ([, one, other]) => one ?? other,
    )
    const names = [...Object.keys(core), ...types]
    expect(names.length).toBeGreaterThan(100)
    expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(library))).toEqual([])
  })

  it('has of the translation what the example runs', () => {
    const [, shown = ''] = /```js\n(const client = dialects[^]*?)```/.exec(library) ?? []
    const example = read('examples/translate.mjs')
    const [requests = '', answers = ''] = shown.split('\n\nconst translation')
    expect(example).toContain(requests)
    expect(example).toContain(answers.split('for await')[0])
    expect(answers).toContain('translation.end()')
  })
})

describe('docs/doctor.md', () => {
  it('has every check', () => {
    const page = read('docs/doctor.md')
    const rows = page.split('\n').filter((line) => line.startsWith('| `'))
    expect(checks.map(({ id }) => id).filter((id) => !rows.some((row) => row.includes(`\`${id}\``)))).toEqual(
      [],
    )
  })
})

describe('docs/cli.md', () => {
  it('has every quirk of the simulator, with what it means', () => {
    const page = read('docs/cli.md')
    for (const name of quirkNames) expect(page).toContain(`| \`${name}\` | ${quirks[name].means} |`)
  })
})

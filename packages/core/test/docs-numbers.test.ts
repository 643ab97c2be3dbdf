import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { formats } from '../src/formats/registry.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const read = (page: string): string => readFileSync(root + page, 'utf8')

describe('numbers that the pages state', () => {
  it('the changelog counts the formats', () => {
    expect(read('CHANGELOG.md')).toContain(`${formats.length} [formats]`)
  })

  it('the README counts the laws that it lists, and each has a file', () => {
    const [, laws = ''] = /Eight laws[^\n]*\n\n([\s\S]*?)\n\n/.exec(read('README.md')) ?? []
    expect(laws.match(/^\d\. /gm)).toHaveLength(8)
    const files = readdirSync(`${root}packages/core/test/laws`).filter((file) => file.endsWith('.test.ts'))
    // Chunk invariance has two: what is held, and what passes unread, must not depend on the chunks either. So has
    // conservation: nothing is lost, and of each character it can be told what it became.
    expect(files).toHaveLength(10)
  })

  it('the walk through the program keeps to twelve files of core and six of the gateway', () => {
    const [, walk = ''] =
      /## One request, from socket to socket\n([\s\S]*?)\n## /.exec(read('docs/architecture.md')) ?? []
    const files = [...walk.matchAll(/^\d+\. `([\w/-]+\.ts)`/gm)].map(([, file = '']) => file)
    const inCore = files.filter((file) => isIn('core', file))
    const inGateway = files.filter((file) => isIn('gateway', file))
    expect(inCore.length + inGateway.length).toBe(files.length)
    expect([inCore.length, inGateway.length]).toEqual([12, 6])
  })

  it('the dependencies of the gateway are those that the decision counts', () => {
    const manifest: unknown = JSON.parse(read('packages/gateway/package.json'))
    const { dependencies } = Object(manifest)
    expect(Object.keys(dependencies)).toHaveLength(4)
    expect(read('docs/adr/0022-dependencies-of-the-gateway.md')).toContain(
      'Four are installed with the program',
    )
  })
})

describe('the list of decisions', () => {
  const pages = readdirSync(`${root}docs/adr`).filter((file) => /^\d{4}-/.test(file))
  const rows = [...read('docs/adr/README.md').matchAll(/^\| \[(\d{4})\]\(([^)]+)\) \| (.+?) \| (.+?) \|$/gm)]

  it('has a row for every page, in order', () => {
    expect(rows.map(([, , page]) => page)).toEqual(pages.toSorted())
  })

  it.each(
    rows.map(([, number = '', page = '', title = '', status = '']) => ({ number, page, title, status })),
  )('$number has the title and the status of its page', ({ number, page, title, status }) => {
    const text = read(`docs/adr/${page}`)
    expect(text.split('\n')[0]).toBe(`# ${number}. ${title}`)
    const word = /^[a-z]+/.exec(status)?.[0] ?? ''
    expect(text).toMatch(new RegExp(`^Status: ${word}`, 'm'))
  })
})

function isIn(name: string, file: string): boolean {
  return readdirSync(`${root}packages/${name}/src`, { recursive: true, encoding: 'utf8' }).includes(file)
}

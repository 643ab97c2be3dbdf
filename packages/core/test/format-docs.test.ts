import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { modelNames } from '../src/formats/model-names.ts'
import { formats } from '../src/formats/registry.ts'
import { formatIndex, formatPage, formatTable } from './support/format-page.ts'
import { readGoldenPages } from './support/golden-pages.ts'

const folder = new URL('../../../docs/formats/', import.meta.url)
const readme = new URL('../../../README.md', import.meta.url)
const goldens = readGoldenPages(new URL('golden/', import.meta.url))
const isUpdate = process.env['UPDATE_DOCS'] === '1'

const pages = new Map(
  formats.map((format) => [
    `${format.id}.md`,
    formatPage(
      format,
      modelNames.filter((row) => row.format === format.id),
      goldens.filter((page) => page.format === format.id),
    ),
  ]),
).set('README.md', formatIndex(formats))

describe('docs/formats', () => {
  if (isUpdate) {
    mkdirSync(folder, { recursive: true })
    for (const [file, page] of pages) writeFileSync(new URL(file, folder), page)
  }

  it('has a page for every format and no other', () => {
    expect(readdirSync(folder).toSorted()).toEqual([...pages.keys()].toSorted())
  })

  it.each([...pages])('%s says what the record and the goldens say', (file, page) => {
    expect(readFileSync(new URL(file, folder), 'utf8')).toBe(page)
  })
})

describe('the table of formats in the README', () => {
  const table = `<!-- formats -->\n\n${formatTable(formats, 'docs/formats/')}\n\n<!-- /formats -->`
  if (isUpdate) {
    const text = readFileSync(readme, 'utf8')
    writeFileSync(
      readme,
      text.replace(/<!-- formats -->[\s\S]*<!-- \/formats -->/, () => table),
    )
  }

  it('lists every format with the models that use it', () => {
    expect(readFileSync(readme, 'utf8')).toContain(table)
  })
})

describe('every format', () => {
  const read = formats.filter((format) => format.grammars.length > 0)

  it.each(read.map((format) => [format.id, format] as const))(
    '%s says when it was last checked and against what',
    (_id, { checked }) => {
      expect(checked?.on).toMatch(/^20\d\d-(?:0[1-9]|1[0-2])$/)
      expect(checked?.against).not.toBe('')
      expect(checked?.proof).not.toEqual([])
    },
  )

  it.each(formats.filter((format) => format.grammars.length > 0).map(({ id }) => id))(
    '%s has a golden file of its own',
    (id) => {
      expect(goldens.filter((page) => page.format === id)).not.toEqual([])
    },
  )
})

import { readdirSync, readFileSync } from 'node:fs'
import { readGoldens } from './golden-file.ts'
import { isRecord } from './is-record.ts'

/** A golden file, as far as a table of contents needs it. */
export interface GoldenPage {
  readonly file: string
  readonly title: string
  /** The first paragraph. */
  readonly intro: string
  /** The format that the whole file is about, or undefined. */
  readonly format: string | undefined
  readonly cases: readonly string[]
}

export function readGoldenPages(folder: URL): GoldenPage[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.md'))
    .toSorted()
    .map((file) => readPage(file, readFileSync(new URL(file, folder), 'utf8')))
}

function readPage(file: string, markdown: string): GoldenPage {
  const goldens = readGoldens(markdown)
  const [head = ''] = markdown.split('\n## ')
  const [, options = '{}'] = /```options\n([\s\S]*?)\n```/.exec(head) ?? []
  const defaults: unknown = JSON.parse(options)
  const format = isRecord(defaults) ? defaults['format'] : undefined
  const [title = '', intro = ''] = markdown.split(/\n{2,}/)
  return {
    file,
    title: title.replace(/^# /, ''),
    intro: intro.startsWith('```') || intro.startsWith('#') ? '' : intro,
    format: typeof format === 'string' ? format : undefined,
    cases: goldens.map((golden) => golden.title),
  }
}

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { defineConfig, type Plugin } from 'vite'
import { shortNames, type Sources } from './short-names.ts'

const core = fileURLToPath(new URL('../core/src', import.meta.url))
const page = fileURLToPath(new URL('src', import.meta.url))

/**
 * The page reads answers. What a record says for documentation, and for those who make requests, it would carry along for
 * nothing.
 */
const withoutTheRest = (): Plugin => ({
  name: 'what-answers-need',
  enforce: 'pre',
  transform: {
    filter: { id: /\/formats\/(?:records\/[\w-]+|model-names|detect)\.ts$/ },
    handler: (code) => {
      const needed = code.replaceAll(record, (fields) => fields.replaceAll(theRest, ''))
      return {
        code: needed.replaceAll(remark, '').replaceAll(grammarId, '').replace(hint, 'undefined'),
        map: null,
      }
    },
  },
})

/** A grammar may have a field of the same name, which answers need. */
const record = /^export const \w+: Format = \{\n[^]*?^\}$/gm

/** Fields of a record, from their names to the bracket that closes them: on the same line, or alone on one as far in. */
const theRest =
  /^ {2}(?:title: .*\n|(?:checked|models|stripped|template|thinking): [[{](?:.*[\]}],\n|\n[^]*?^ {2}[\]}],\n))/gm

/** A grammar is known by its id to the documentation and to tests; a format is to readers, too. */
const grammarId = /(?<!: Format = \{(?:\n {2}\.\.\.\w+,)?)\n *id: '[\w-]+',/g

/** What the table of names says for its readers, and of the syntax of a release: the stream shows that. */
const remark = /,\s*(?:note|grammar): '[^'\n]*'/g

/** Without these there is nothing to look for. */
const hint = 'row.grammar ?? grammarByName(name, format)'

/** A field that its constructor sets need not be named before: there are hundreds of them. */
const withoutBareFields = (): Plugin => ({
  name: 'bare-fields',
  enforce: 'pre',
  transform: {
    filter: { id: /\/core\/src\/.*\.ts$/ },
    handler: (code) => ({ code: code.replaceAll(bareField, '  declare $1'), map: null }),
  },
})

const bareField = /^ {2}((?:private|protected) (?:readonly )?\w+: [^=\n]*)$/gm

/** Children are shorter as arguments of a function than as a property, and its name has to come from somewhere. */
const withElements = (): Plugin => ({
  name: 'elements',
  enforce: 'pre',
  transform: {
    filter: { id: /\.tsx$/ },
    handler: (code) => ({ code: `import { Fragment, h } from 'preact'\n${code}`, map: null }),
  },
})

/** Of the core what reads text and streams. The rest of it speaks of fields that others have named, or of what the page is sent. */
const whoseNames = (): Sources => ({
  declaring: [
    ...['text', 'engines', 'formats', 'reader', 'sse'].flatMap((part) => sourcesIn(join(core, part))),
    join(core, 'parser-stage.ts'),
  ],
  talking: sourcesIn(page),
})

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.tsx?$/.test(name))
    .map((name) => join(folder, name))
}

/** What comments tell a bundler, nobody reads any more. */
const output = { comments: false }

export default defineConfig({
  // Relative, so that the folder works wherever it is put.
  base: './',
  resolve: { alias: { '@dragoman/core': join(core, 'index.ts') } },
  build: {
    target: 'es2023',
    outDir: '../gateway/dist/inspector',
    emptyOutDir: true,
    assetsDir: '',
    // An address with data in it would need more than 'self' in the policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output },
  },
  worker: {
    format: 'es',
    plugins: () => [withoutTheRest(), withoutBareFields(), shortNames(whoseNames())],
    rolldownOptions: { output },
  },
  plugins: [withElements()],
  oxc: { jsx: { runtime: 'classic', pragma: 'h', pragmaFrag: 'Fragment' } },
  logLevel: 'warn',
})

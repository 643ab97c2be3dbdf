import { readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Everything that somebody may name: files and folders, from the root on. */
const paths = ['packages', 'scripts', 'docs', 'examples', 'bench', '.ci'].flatMap(pathsIn)

describe.each(['docs/architecture.md', 'AGENTS.md'])('%s', (page) => {
  const text = readFileSync(root + page, 'utf8')

  it('names no file and no folder that is not there', () => {
    expect(namedIn(text).filter((name) => !isThere(name))).toEqual([])
  })
})

describe('docs/architecture.md', () => {
  const text = readFileSync(`${root}docs/architecture.md`, 'utf8')

  it('has a row for every folder of the core, which names the folders inside', () => {
    const rows = text.split('\n').filter((line) => line.startsWith('| `'))
    const isNamed = (path: string): boolean => {
      const [top = '', ...inside] = path.split('/')
      const row = rows.find((line) => line.split(' | ')[0]?.includes(`\`${top}/\``)) ?? ''
      return row !== '' && inside.every((name) => row.includes(`\`${name}/\``))
    }
    expect(foldersIn('packages/core/src').filter((path) => !isNamed(path))).toEqual([])
  })

  it('names every folder of the gateway', () => {
    const folders = foldersIn('packages/gateway/src').filter((path) => !path.includes('/'))
    expect(folders.filter((name) => !text.includes(`\`${name}/\``))).toEqual([])
  })
})

describe('the layout in AGENTS.md', () => {
  const [, layout = ''] =
    /## Layout\n+```\n([\s\S]*?)\n```/.exec(readFileSync(`${root}AGENTS.md`, 'utf8')) ?? []
  const named = [...layout.matchAll(/\bsrc\/([\w-]+)(?= |$)/gm)].map(([, name]) => name)
  const there = ['core', 'gateway', 'inspector'].flatMap((name) =>
    foldersIn(`packages/${name}/src`).filter((path) => !path.includes('/')),
  )

  it('has every folder of the sources, and no other', () => {
    expect(named.toSorted()).toEqual(there.toSorted())
  })
})

/** What stands between backticks and is a path: `reader/`, `plan.ts`, `writings*.ts`. A name in capitals stands for any. */
function namedIn(markdown: string): string[] {
  const words = [...markdown.matchAll(/`([^`\s]+)`/g)].map(([, word = '']) => word)
  return [...new Set(words.filter((word) => pathLike.test(word) && !placeholder.test(word)))]
}

const pathLike = /^packages\/|\/$|\.(?:ts|mjs|md|json)$/
const placeholder = /\b[A-Z]+\.\w+$/

/** Whether a path ends so: a page that speaks of one folder need not say where it is. */
function isThere(name: string): boolean {
  const pattern = name
    .replace(/\/$/, '')
    .replaceAll('.', String.raw`\.`)
    .replaceAll('*', '[^/]*')
  const ending = new RegExp(`(?:^|/)${pattern}$`)
  return paths.some((path) => ending.test(path))
}

function pathsIn(folder: string): string[] {
  const files = readdirSync(root + folder, { recursive: true, encoding: 'utf8' })
    .map((path) => `${folder}/${path.replaceAll('\\', '/')}`)
    .filter((path) => !/\/(?:node_modules|dist)\//.test(path))
  return [folder, ...files]
}

/** Folders with files in them, inside this one. */
function foldersIn(folder: string): string[] {
  const files = paths.filter((path) => path.startsWith(`${folder}/`) && path.endsWith('.ts'))
  const folders = files.flatMap((file) => {
    const steps = dirname(file)
      .slice(folder.length + 1)
      .split('/')
    return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
  })
  return [...new Set(folders)].filter((path) => path !== '')
}

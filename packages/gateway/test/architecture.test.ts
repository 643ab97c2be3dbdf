import { dialectIds } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { arrowsOut, cyclesIn, importsIn, sourceFiles } from '../../core/test/support/source-files.ts'

const all = sourceFiles('gateway')
const paths = new Set(all.map(({ path }) => path))
/** Packages are left out: what the gateway may take from npm stands in its manifest. */
const files = all.map(({ path, lines, imports }) => ({ path, lines, imports: ownModules(imports) }))

/** Who may know whom. A folder always knows itself, and never one that stands below it in this list. */
const folders: Readonly<Record<string, readonly string[]>> = {
  base: [],
  terminal: [],
  simulator: [],
  config: ['base'],
  security: ['config', 'base'],
  observe: ['security', 'config', 'base'],
  upstream: ['config', 'base'],
  routing: ['upstream', 'config'],
  exchange: ['routing', 'upstream', 'security', 'config', 'base'],
  recorder: ['exchange', 'upstream', 'security', 'config', 'base'],
  inspection: ['recorder', 'exchange', 'security', 'config', 'base'],
  server: [
    'inspection',
    'recorder',
    'exchange',
    'routing',
    'upstream',
    'observe',
    'security',
    'config',
    'base',
  ],
  launch: ['terminal'],
  chat: ['exchange', 'upstream', 'security', 'config', 'terminal', 'base'],
  doctor: ['upstream', 'security', 'config', 'base'],
  cli: [
    'doctor',
    'chat',
    'launch',
    'server',
    'inspection',
    'recorder',
    'exchange',
    'upstream',
    'observe',
    'config',
    'simulator',
    'terminal',
    'base',
  ],
}

describe('the arrows between the folders of the gateway', () => {
  it('every file lies in a folder of the map', () => {
    expect(files.map(({ path }) => path).filter((path) => !(folderOf(path) in folders))).toEqual([])
  })

  it.each(Object.entries(folders))('%s knows only itself and what the map gives it: %j', (folder, known) => {
    expect(arrowsOut(inside(folder), [folder, ...known], folderOf)).toEqual([])
  })

  it('no folder knows one that stands below it in the map', () => {
    const names = Object.keys(folders)
    const upwards = names.flatMap((folder, at) => arrowsOut(inside(folder), names.slice(0, at + 1), folderOf))
    expect(upwards).toEqual([])
  })

  it('no folder knows, by however many steps, what knows it', () => {
    expect(cyclesIn('', files)).toEqual([])
  })

  it.each(Object.entries(folders))(
    '%s has a use for everything that the map gives it: %j',
    (folder, known) => {
      const used = new Set(inside(folder).flatMap(({ imports }) => imports.map(folderOf)))
      expect(known.filter((name) => !used.has(name))).toEqual([])
    },
  )
})

describe('what is known of a dialect', () => {
  it.each(dialectIds)('stands in core: the gateway does not name %s', (dialect) => {
    const strangers = all.filter(({ words }) => words.includes(dialect)).map(({ path }) => path)
    // The simulator shares no code with what reads its answers, so it has a table of how it speaks each dialect.
    expect(strangers.filter((path) => path !== 'simulator/spoken-dialects')).toEqual([])
  })
})

describe('a wrong import', () => {
  it.each([
    "import { createSimulator } from '../simulator/server.ts'",
    "import type { Simulator } from '../simulator/server.ts'",
    "import {\n  type Simulator,\n} from '../simulator/server.ts'",
    "export { createSimulator } from '../simulator/server.ts'",
    "const { createSimulator } = await import('../simulator/server.ts')",
    "type Simulator = import('../simulator/server.ts').Simulator",
  ])('is seen, of a type too: %s', (text) => {
    expect(inUpstreams(text)).toEqual(['upstream/upstreams → simulator/server'])
  })

  it('is told from a right one', () => {
    expect(inUpstreams("import type { Upstream } from '../config/config.ts'")).toEqual([])
    expect(inUpstreams("import { Pool } from 'undici'\nimport { once } from 'node:events'")).toEqual([])
  })
})

/** The wrong arrows of a file in `upstream` with this text. */
function inUpstreams(text: string): string[] {
  const imports = ownModules(importsIn(text, 'upstream/upstreams.ts'))
  const file = { path: 'upstream/upstreams', lines: 1, imports }
  return arrowsOut([file], ['upstream', 'config', 'base'], folderOf)
}

function inside(folder: string): typeof files {
  return files.filter(({ path }) => folderOf(path) === folder)
}

function ownModules(imports: readonly string[]): string[] {
  return imports.filter((name) => paths.has(name))
}

function folderOf(path: string): string {
  return path.split('/')[0] ?? path
}

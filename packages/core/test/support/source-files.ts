import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord } from './is-record.ts'

export const packages = fileURLToPath(new URL('../../../', import.meta.url))

export interface SourceFile {
  /** Inside `src`, without the extension: `text/json-scanner`. */
  readonly path: string
  readonly lines: number
  /** Every text of one word in quotes. */
  readonly words: readonly string[]
  /** Modules of the same package as paths inside `src`, others by name. */
  readonly imports: readonly string[]
}

/** Every source file of one of our packages, with what it imports. */
export function sourceFiles(name: string): SourceFile[] {
  const root = join(packages, name, 'src')
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return {
        path: modulePath(file),
        lines: text.split('\n').length - 1,
        words: [...text.matchAll(/'([\w-]+)'/g)].map(([, word = '']) => word),
        imports: importsIn(text, file),
      }
    })
}

/** The modules that the text of a file names. The import of a type counts as much as that of a value. */
export function importsIn(text: string, file: string): string[] {
  // `from '…'`, `import '…'` and `import('…')`: every way in which a module can be named.
  const names = text.matchAll(/^(?:import|export|\}) ?.*?\bfrom '([^']+)'|\bimport(?: |\()'([^']+)'/gm)
  return [...names].map(([, from, bare]) => {
    const name = from ?? bare ?? ''
    return name.startsWith('.') ? modulePath(normalize(join(dirname(file), name))) : name
  })
}

function modulePath(file: string): string {
  return file.replaceAll('\\', '/').replace(/\.ts$/, '')
}

/** `undici` of `undici/types`, `@dragoman/core` of `@dragoman/core/adapters`. */
export function packageOf(name: string): string {
  return name
    .split('/')
    .slice(0, name.startsWith('@') ? 2 : 1)
    .join('/')
}

/** What a file imports. */
export type Importing = Pick<SourceFile, 'path' | 'imports'>

/** The imports that lead out of the known zones, as `file → module`. */
export function arrowsOut(
  files: readonly Importing[],
  known: readonly string[],
  zoneOf: (path: string) => string,
): string[] {
  return files.flatMap(({ path, imports }) =>
    imports.filter((name) => !known.includes(zoneOf(name))).map((name) => `${path} → ${name}`),
  )
}

/** Every folder inside `src`, at whatever depth: `engines`, `engines/json`. */
export function foldersOf(files: readonly Importing[]): string[] {
  const folders = files.flatMap(({ path }) => {
    const steps = path.split('/').slice(0, -1)
    return steps.map((_, index) => steps.slice(0, index + 1).join('/'))
  })
  return [...new Set(folders)].toSorted()
}

/**
 * The subfolders of a folder that know themselves by way of others. A folder is one thing to its neighbours, and a file
 * beside it is another: the records know the file that says what a record is, and the registry knows the records.
 */
export function cyclesIn(folder: string, files: readonly Importing[]): string[] {
  const inside = folder === '' ? '' : `${folder}/`
  const entryOf = (path: string) =>
    path.startsWith(inside) ? path.slice(inside.length).split('/')[0] : undefined
  const known = new Map<string, Set<string>>()
  for (const { path, imports } of files) {
    const entry = entryOf(path)
    if (entry === undefined) continue
    const others = known.get(entry) ?? new Set()
    known.set(entry, others)
    for (const other of imports.map(entryOf)) if (other !== undefined && other !== entry) others.add(other)
  }
  const isFolder = (entry: string) => files.some(({ path }) => path.startsWith(`${inside}${entry}/`))
  return [...known.keys()]
    .filter((entry) => isFolder(entry) && reachable(entry, known).has(entry))
    .map((entry) => `${inside}${entry} is known by what it knows`)
}

function reachable(start: string, known: ReadonlyMap<string, ReadonlySet<string>>): Set<string> {
  const reached = new Set<string>()
  const ahead = [start]
  for (let entry = ahead.pop(); entry !== undefined; entry = ahead.pop()) {
    for (const next of known.get(entry) ?? []) {
      if (reached.has(next)) continue
      reached.add(next)
      ahead.push(next)
    }
  }
  return reached
}

export function manifest(name: string): Record<string, unknown> {
  const value: unknown = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'))
  if (!isRecord(value)) throw new TypeError(`package.json of ${name} is not an object`)
  return value
}

/** What a package may import: what is installed with it, and what is built into it. */
export function dependencies(name: string): readonly string[] {
  const { dependencies: installed, devDependencies: builtIn } = manifest(name)
  return [installed, builtIn].flatMap((names) => (isRecord(names) ? Object.keys(names) : []))
}

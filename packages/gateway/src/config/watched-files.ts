import { type FSWatcher, readlinkSync, watch } from 'node:fs'
import { basename, join, parse, relative, resolve, sep } from 'node:path'

/** As many links as the system follows. */
const MOST_LINKS = 40

/**
 * Files whose changes are noticed through whatever links lead to them. A link, or one of a folder above it, can be
 * turned to another file: then nothing happens to the file that was read, nor in its folder.
 */
export class WatchedFiles {
  private readonly paths: readonly string[]
  private readonly onChange: () => void
  private readonly found = new Set<string>()
  private watchers: readonly FSWatcher[] = []

  constructor(paths: readonly string[], onChange: () => void) {
    this.paths = paths
    this.onChange = onChange
    this.follow()
  }

  /** Goes along the links anew: after a change they may lead elsewhere. */
  follow(): void {
    const old = this.watchers
    const places = byFolder(this.paths.flatMap((path) => this.placesOf(path)))
    // The new ones first: what changes between the two must not be missed.
    this.watchers = [...places].flatMap(([folder, names]) => this.watch(folder, names))
    for (const watcher of old) watcher.close()
  }

  close(): void {
    for (const watcher of this.watchers) watcher.close()
    this.watchers = []
  }

  private watch(folder: string, names: ReadonlySet<string>): FSWatcher[] {
    try {
      const watcher = watch(folder, (_event, name) => {
        // Others write into the same folder, such as a log. What happens to the folder itself has its own name.
        if (name === null || names.has(name) || name === basename(folder)) this.onChange()
      })
      // A folder that is removed ends the watching, not the process.
      return [watcher.on('error', () => watcher.close())]
    } catch {
      return []
    }
  }

  /** Every link on the way to a file, and the file: what it takes to notice that the way leads elsewhere. */
  private placesOf(path: string): Place[] {
    const places: Place[] = []
    let { root: folder } = parse(path)
    const names = namesBelow(folder, path)
    for (let name = names.shift(), links = 0; name !== undefined; name = names.shift()) {
      const entry = entryAt(join(folder, name))
      const isLast = names.length === 0
      if (entry.is === 'missing') {
        // The folder of a file that nobody made need not exist.
        if (isLast || this.found.has(path)) places.push({ folder, name })
        return places
      }
      if (isLast || entry.is === 'link') places.push({ folder, name })
      if (entry.is === 'link') {
        if (++links > MOST_LINKS) return places
        const target = resolve(folder, entry.target)
        folder = parse(target).root
        names.unshift(...namesBelow(folder, target))
      } else {
        folder = join(folder, name)
      }
    }
    this.found.add(path)
    return places
  }
}

interface Place {
  readonly folder: string
  readonly name: string
}

type Entry =
  | { readonly is: 'link'; readonly target: string }
  | { readonly is: 'other' }
  | { readonly is: 'missing' }

function entryAt(path: string): Entry {
  try {
    return { is: 'link', target: readlinkSync(path) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined
    return code === 'ENOENT' || code === 'ENOTDIR' ? { is: 'missing' } : { is: 'other' }
  }
}

function namesBelow(folder: string, path: string): string[] {
  return relative(folder, path)
    .split(sep)
    .filter((name) => name !== '')
}

/** One watcher for each folder, whatever is looked for in it. */
function byFolder(places: readonly Place[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { folder, name } of places) {
    folders.set(folder, (folders.get(folder) ?? new Set()).add(name))
  }
  return folders
}

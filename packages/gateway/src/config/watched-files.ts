import { type FSWatcher, readlinkSync, watch } from 'node:fs'
import { basename, join, parse, relative, resolve, sep } from 'node:path'

/** The system follows as many links. */
const MOST_LINKS = 40

/**
 * Watches files through the links that lead to them. When a link, or that of a folder above it, is turned to another
 * file, nothing happens to the file that was read, nor in its folder.
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

  /** Follows the links again, as they may lead elsewhere after a change. */
  follow(): void {
    const old = this.watchers
    const places = byFolder(this.paths.flatMap((path) => this.placesOf(path)))
    // The new watchers start before the old ones end, so that no change between the two is missed.
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
        // Other programs write into the same folder, such as a log. A change of the folder itself is reported under
        // its own name.
        if (name === null || names.has(name) || name === basename(folder)) this.onChange()
      })
      // Without a listener, the removal of a watched folder would end the process.
      return [watcher.on('error', () => watcher.close())]
    } catch {
      return []
    }
  }

  /** The file and every link on the way to it: a change of any of them can lead to another file. */
  private placesOf(path: string): Place[] {
    const places: Place[] = []
    let { root: folder } = parse(path)
    const names = namesBelow(folder, path)
    for (let name = names.shift(), links = 0; name !== undefined; name = names.shift()) {
      const entry = entryAt(join(folder, name))
      const isLast = names.length === 0
      if (entry.is === 'missing') {
        // A file that nobody made may lie in a folder that does not exist.
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

/** Groups places by folder, so that each folder needs one watcher. */
function byFolder(places: readonly Place[]): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>()
  for (const { folder, name } of places) {
    folders.set(folder, (folders.get(folder) ?? new Set()).add(name))
  }
  return folders
}

// The packages of others that a user of ours runs, as the lock file has them.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What the program and its page are joined with when they are built: no dependencies of the package, but parts of it. */
export const bundledPackages = ['zod', 'preact', '@preact/signals', '@preact/signals-core']

/**
 * Every package that is installed with ours or stands inside it: where it is, its name and version, and whether it runs a
 * script when it is installed.
 */
export function shippedPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = nameAt(path)
    const isOurs = entry.link === true || name === undefined
    if (isOurs || (entry.dev === true && !bundledPackages.includes(name))) return []
    const isBundled = entry.dev === true
    return [{ path, name, version: entry.version, isBundled, runsScript: entry.hasInstallScript === true }]
  })
}

/** The name of an installed package, or undefined where the path is none. */
function nameAt(path) {
  const at = path.lastIndexOf('node_modules/')
  return at === -1 ? undefined : path.slice(at + 'node_modules/'.length)
}

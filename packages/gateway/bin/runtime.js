// Written for old versions of Node, as bin/dragoman.js is.

/** The oldest version of Node that the program runs on: its major and its minor number. */
var oldest = [20, 19]

/** Why the program cannot run here, or null. `versions` is what `process.versions` holds. */
export function runtimeFault(versions) {
  var other = versions.bun ? 'Bun' : versions.deno ? 'Deno' : null
  if (other !== null) {
    return 'it runs on Node.js ' + oldest.join('.') + ' or newer, and not on ' + other + '.'
  }
  var parts = String(versions.node).split('.')
  var major = Number(parts[0])
  var isOld = major < oldest[0] || (major === oldest[0] && Number(parts[1]) < oldest[1])
  return isOld ? 'it needs Node.js ' + oldest.join('.') + ' or newer; this is ' + versions.node + '.' : null
}

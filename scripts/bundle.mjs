// Joins the modules of the gateway, with those of the core, to the few files that `dragoman` loads: a program of several
// hundred modules spends most of its start on looking for them. Commands that are loaded when they run stay apart.
// What the package depends on is left to npm; what it needs only here is taken in, with its licence.
// Needs what `tsc` has compiled.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const gateway = join(root, 'packages/gateway')
const { dependencies, devDependencies } = JSON.parse(readFileSync(join(gateway, 'package.json'), 'utf8'))
const program = join(gateway, 'dist/program')

const bundle = await rolldown({
  input: join(gateway, 'dist/cli/main.js'),
  platform: 'node',
  external: Object.keys(dependencies),
  // A module that is not found would be left to be looked for when the program runs.
  onLog: (level, log) => {
    if (level === 'warn') throw new Error(log.message)
  },
})
const names = '[name].js'
const { output } = await bundle.generate({ format: 'esm', entryFileNames: names, chunkFileNames: names })
await bundle.close()
const files = new Map([...output.map(({ fileName, code }) => [fileName, code]), ...licences()])

mkdirSync(program, { recursive: true })
for (const [name, text] of files) replace(join(program, name), text)
for (const name of readdirSync(program)) if (!files.has(name)) rmSync(join(program, name))

/** Those of the packages that are taken in. */
function licences() {
  return Object.keys(devDependencies)
    .filter((name) => !name.startsWith('@dragoman/'))
    .map((name) => [`${name}.LICENSE`, readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8')])
}

/** What did not change is not touched, and the rest at once: the program may be about to load it. */
function replace(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === text) return
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

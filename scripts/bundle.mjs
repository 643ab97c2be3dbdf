// Joins the modules of both packages to the few files that others load: Node looks for each module by itself, and with
// several hundred of them that takes longer than all the rest of a start. Needs what `tsc` has compiled.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'
import { build } from 'vite'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const core = join(root, 'packages/core')
const gateway = join(root, 'packages/gateway')
const inspector = join(root, 'packages/inspector')

/**
 * What the entries of the library share, the first that fits. A bundler leaves out a file of which nothing is used, so what
 * is used alone stands alone: who reads events of a stream takes neither the records of the formats nor the dialects along.
 */
const sharedFiles = [
  {
    name: 'text',
    test: inCore('(?:text/|json/|sse/|formats/format-id\\.|events\\.|problems\\.|errors\\.|conversation\\.)'),
  },
  { name: 'reading', test: inCore('(?:engines/|formats/|reader/|parser|parsed-output|trace)') },
  { name: 'dialects', test: inCore('(?!adapters/|index\\.)') },
  { name: 'adapters', test: inCore('adapters/[\\w-]+\\.ts$'), minShareCount: 2 },
]

await bundleLibrary(join(core, 'dist/library'))
await bundleProgram(join(gateway, 'dist/program'))
await bundlePage(join(gateway, 'dist/inspector'))

/** Sources of the core whose path inside `src` begins so. */
function inCore(pattern) {
  return new RegExp(`packages/core/src/${pattern}`.replaceAll('/', String.raw`[\\/]`))
}

/** A file for each path that the library exports, and files of their own for what these share. */
async function bundleLibrary(folder) {
  const sources = join(core, 'src')
  const input = {
    index: join(sources, 'index.ts'),
    'ai-sdk': join(sources, 'adapters/ai-sdk.ts'),
    fetch: join(sources, 'adapters/fetch.ts'),
    streams: join(sources, 'adapters/streams.ts'),
  }
  const files = await joined(
    { input, platform: 'neutral' },
    {
      // The maps name the sources from where they will stand.
      dir: folder,
      sourcemap: true,
      // The package has the sources: in the maps they would be there twice.
      sourcemapExcludeSources: true,
      codeSplitting: { groups: sharedFiles },
    },
  )
  writeFolder(
    folder,
    files.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
  )
}

/**
 * The command line, with the parts of the core that it uses. Commands that are loaded when they run stay apart. What the
 * package depends on is left to npm; what it needs only here is taken in, with its licence.
 */
async function bundleProgram(folder) {
  const { dependencies, devDependencies } = JSON.parse(readFileSync(join(gateway, 'package.json'), 'utf8'))
  const chunks = await joined({
    input: join(gateway, 'dist/cli/main.js'),
    platform: 'node',
    external: Object.keys(dependencies),
    // Module by module, so that what no command uses is left out.
    resolve: { alias: { '@dragoman/core': join(core, 'src/index.ts') } },
  })
  const taken = Object.keys(devDependencies).filter((name) => !name.startsWith('@dragoman/'))
  writeFolder(folder, [
    ...chunks.map(({ fileName, code }) => [fileName, code]),
    ...taken.map((name) => [
      `${name}.LICENSE`,
      readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8'),
    ]),
  ])
}

/** The page, with the licences of what is taken into it. It is served as it is, from any folder. */
async function bundlePage(folder) {
  // Where a test builds, the environment says so, and the libraries of the page would keep what they check while developing.
  process.env.NODE_ENV = 'production'
  const { output } = await build({ root: inspector, build: { write: false } })
  writeFolder(folder, [
    ...output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]),
    ...['preact', '@preact/signals', '@preact/signals-core'].map((name) => [
      `${name.replace(/^.*\//, '')}.LICENSE`,
      readFileSync(join(root, 'node_modules', name, 'LICENSE'), 'utf8'),
    ]),
  ])
}

async function joined(input, output) {
  const bundle = await rolldown({
    ...input,
    // A module that is not found would be left to be looked for when the program runs.
    onLog: (level, log) => {
      if (level === 'warn') throw new Error(log.message)
    },
  })
  const names = '[name].js'
  const result = await bundle.generate({
    format: 'esm',
    entryFileNames: names,
    chunkFileNames: names,
    ...output,
  })
  await bundle.close()
  return result.output
}

/** The folder holds these files afterwards, each a name with a text, and no others. */
function writeFolder(folder, entries) {
  const files = new Map(entries)
  mkdirSync(folder, { recursive: true })
  for (const [name, text] of files) replace(join(folder, name), text)
  for (const name of readdirSync(folder)) if (!files.has(name)) rmSync(join(folder, name))
}

/** What did not change is not touched, and the rest at once: the program may be about to load it. */
function replace(path, text) {
  if (existsSync(path) && readFileSync(path, 'utf8') === String(text)) return
  writeFileSync(`${path}.new`, text)
  renameSync(`${path}.new`, path)
}

// Checks the packages as a user gets them: packed, listed, linted, installed elsewhere and run.
// Needs a build. Prints one line for each check and exits with 1 if any of them fails.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { rolldown } from 'rolldown'
import { bundledPackages, shippedPackages } from './shipped-packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const always = [/^LICENSE$/, /^README\.md$/, /^package\.json$/]

const packages = [
  {
    directory: 'packages/core',
    needs: ['LICENSE', 'README.md', 'dist/library/index.js', 'dist/index.d.ts'],
    // The sources go along: the maps name them, and editors and stack traces follow the maps.
    allows: [
      ...always,
      /^dist\/library\/[\w-]+\.js(\.map)?$/,
      /^dist\/[\w/-]+\.d\.ts(\.map)?$/,
      /^src\/[\w/-]+\.ts$/,
    ],
  },
  {
    directory: 'packages/gateway',
    needs: [
      'LICENSE',
      'README.md',
      'bin/dragoman.js',
      'bin/runtime.js',
      'dist/program/main.js',
      'dist/program/zod.LICENSE',
      'dist/inspector/index.html',
      'dist/inspector/preact.LICENSE',
      'samples/kimi.txt',
      'config.schema.json',
    ],
    // A program: nobody compiles against it, so neither types nor maps.
    allows: [
      ...always,
      /^bin\/(dragoman|runtime)\.js$/,
      /^dist\/program\/([\w-]+\.js|zod\.LICENSE)$/,
      /^dist\/inspector\/([\w-]+\.(html|js|css|svg)|(preact|signals|signals-core)\.LICENSE)$/,
      /^samples\/[\w-]+\.(txt|sse|json)$/,
      /^config\.schema\.json$/,
    ],
  },
]

/** The most packages of others that come with the program. Each of them could be the one that is taken over. */
const MOST_PACKAGES = 25
/** Scripts that npm runs on the machine of whoever installs a package. */
const installScripts = new Set(['preinstall', 'install', 'postinstall', 'prepare'])

const workshop = mkdtempSync(join(tmpdir(), 'dragoman-packages-'))
const failures = []
try {
  const packed = packages.map((expected) => Object.assign(pack(expected.directory), expected))
  for (const { directory, name, files, needs, allows, tarball, sourcesInMaps } of packed) {
    await check(`${name} holds what it must`, () => needs.filter((file) => !files.includes(file)))
    await check(`${name} says where it comes from`, () =>
      ['homepage', 'bugs', 'repository'].filter((field) => manifestIn(directory)[field] === undefined),
    )
    await check(`${name} holds nothing else`, () =>
      files.filter((file) => !allows.some((rule) => rule.test(file))),
    )
    await check(`${name} holds no output of sources that are gone`, () =>
      files.filter((file) => isCompiled(file) && !existsSync(join(root, directory, sourceOf(file)))),
    )
    await check(`${name} has the sources that its maps name`, () =>
      sourcesInMaps.filter((source) => !files.includes(source)),
    )
    await check(`${name} passes publint`, () => {
      run('publint', ['run', tarball, '--strict'])
    })
    await check(`${name} passes attw`, () => {
      run('attw', [tarball, '--profile', 'esm-only', '--no-color'])
    })
  }
  await checkVersions(packed)
  await checkSupply(packed)
  await checkInstalled(packed)
} finally {
  rmSync(workshop, { recursive: true, force: true })
}
if (failures.length > 0) {
  console.error(`\n${failures.length} of the package checks failed.`)
  process.exitCode = 1
}

/** A check gives back a list of what is wrong, or throws; an empty list or nothing is good. */
async function check(title, find) {
  let faults
  try {
    faults = (await find()) ?? []
  } catch (error) {
    faults = [error instanceof Error ? error.message : String(error)]
  }
  console.log(`${faults.length === 0 ? 'ok  ' : 'FAIL'} ${title}`)
  for (const fault of faults) console.log(`     ${fault.replaceAll('\n', '\n     ')}`)
  if (faults.length > 0) failures.push(title)
}

function pack(directory) {
  const [report] = JSON.parse(
    run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', workshop], join(root, directory)),
  )
  const files = report.files.map((file) => file.path)
  const maps = files.filter((file) => file.endsWith('.map'))
  return {
    name: report.name,
    version: report.version,
    files,
    tarball: join(workshop, report.filename),
    sourcesInMaps: maps.flatMap((map) => readSources(directory, map)),
  }
}

/** The sources that a map names, as paths in the package. */
function manifestIn(directory) {
  return JSON.parse(readFileSync(join(root, directory, 'package.json'), 'utf8'))
}

function readSources(directory, map) {
  const { sources } = JSON.parse(readFileSync(join(root, directory, map), 'utf8'))
  return sources.map((source) => posix.join(posix.dirname(map), source))
}

/** One file from one source: the program and the library are written anew as a whole, types are not. */
function isCompiled(file) {
  return file.endsWith('.d.ts')
}

function sourceOf(output) {
  return output.replace(/^dist\/(.*)\.d\.ts$/, 'src/$1.ts')
}

async function checkVersions([core, gateway]) {
  await check('dragoman is built with the core of its own version', () => {
    const manifest = manifestIn(gateway.directory)
    const asked = manifest.devDependencies[core.name]
    return asked === core.version && core.version === gateway.version
      ? []
      : [`${gateway.name}@${gateway.version} is built with ${core.name}@${asked}; there is ${core.version}`]
  })
}

/** What comes with our packages, by the lock file. That it is so on a user's machine is checked where they are installed. */
async function checkSupply([core, gateway]) {
  const shipped = shippedPackages(root)
  await check(`at most ${MOST_PACKAGES} packages of others are shipped`, () =>
    shipped.length <= MOST_PACKAGES ? [] : shipped.map(({ name, version }) => `${name}@${version}`),
  )
  await check('none of them runs a script when it is installed', () =>
    shipped.filter(({ runsScript }) => runsScript).map(({ name }) => name),
  )
  await check('each package that is bundled has its licence there, and no other', () => {
    const licensed = gateway.files
      .filter((file) => file.endsWith('.LICENSE'))
      .map((file) => posix.basename(file))
    const expected = bundledPackages.map((name) => `${posix.basename(name)}.LICENSE`)
    return [
      ...expected.filter((name) => !licensed.includes(name)),
      ...licensed.filter((name) => !expected.includes(name)),
    ]
  })
  await check(`${core.name} depends on nothing`, () =>
    Object.keys(manifestIn(core.directory).dependencies ?? {}),
  )
  await check(`${gateway.name} names the exact versions that it depends on`, () =>
    Object.entries(manifestIn(gateway.directory).dependencies)
      .filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
      .map(([name, version]) => `${name}: ${version}`),
  )
  for (const { name, directory } of [core, gateway]) {
    await check(`${name} runs no script when it is installed`, () =>
      Object.keys(manifestIn(directory).scripts ?? {}).filter((script) => installScripts.has(script)),
    )
  }
  await check('the bill of materials names what is shipped', () => {
    const { components } = JSON.parse(run(process.execPath, [join(root, 'scripts/sbom.mjs')]))
    const listed = new Set(components.map(({ name }) => name))
    return shipped.map(({ name }) => name).filter((name) => !listed.has(name))
  })
}

async function checkInstalled([core, gateway]) {
  const useCore = `
    const { toolCalls } = parseToolCalls('<tool_call>{"name":"add","arguments":{"x":1}}</tool_call>', { format: 'hermes' })
    console.log(JSON.stringify(toolCalls))`
  const call = '[{"id":null,"name":"add","arguments":"{\\"x\\":1}"}]'
  const withCore = await projectWith(core)
  await check('an ES module can import @dragoman/core', () => {
    const program = `import { parseToolCalls } from '@dragoman/core'\n${useCore}`
    return differs(withCore('node', ['--input-type=module', '--eval', program]), call)
  })
  await check('a CommonJS module can require @dragoman/core', () => {
    const program = `const { parseToolCalls } = require('@dragoman/core')\n${useCore}`
    return differs(withCore('node', ['--input-type=commonjs', '--eval', program]), call)
  })
  await checkShaken(core)
  const withProgram = await projectWith(gateway)
  await check('what is installed with it is what the lock file says, without scripts', () => {
    const { packages: installed } = JSON.parse(
      readFileSync(join(workshop, gateway.name, 'package-lock.json'), 'utf8'),
    )
    const found = Object.entries(installed).filter(
      ([path]) => path !== '' && path !== `node_modules/${gateway.name}`,
    )
    const expected = new Set(shippedPackages(root).map(({ name, version }) => `${name}@${version}`))
    return found.flatMap(([path, { version, hasInstallScript }]) => {
      const name = `${path.slice(path.lastIndexOf('node_modules/') + 13)}@${version}`
      return expected.has(name) && hasInstallScript !== true ? [] : [name]
    })
  })
  const program = join('node_modules', '.bin', 'dragoman')
  await check('the installed program tells its version', () =>
    differs(withProgram(program, ['--version']), gateway.version),
  )
  await check('the installed program reads a tool call', () => {
    const sample = join('node_modules', 'dragoman', 'samples', 'kimi.txt')
    const { toolCalls } = JSON.parse(withProgram(program, ['parse', '--format', 'kimi', sample]))
    return toolCalls.length > 0 ? [] : ['no tool calls in its own sample']
  })
  await check('the installed program checks its configuration', () => {
    withProgram(program, ['check'])
  })
}

/** What a bundler takes of the installed library, minified and gzipped: only that which is used. */
async function checkShaken({ name, files }) {
  await check(`${name} loads few files`, () => {
    const loaded = files.filter((file) => file.endsWith('.js'))
    return loaded.length <= 8 ? [] : loaded
  })
  for (const [part, limit] of [
    ['createParser', 83_000],
    ['createSseDecoder', 4000],
  ]) {
    await check(`${part} alone is at most ${limit / 1000} kB of ${name}`, async () => {
      const entry = join(workshop, name, `${part}.js`)
      writeFileSync(entry, `export { ${part} } from '${name}'\n`)
      const bundle = await rolldown({ input: entry, platform: 'neutral' })
      const { output } = await bundle.generate({ minify: true })
      await bundle.close()
      const size = gzipSync(output[0].code).length
      return size <= limit ? [] : [`it is ${size} bytes`]
    })
  }
}

/**
 * Another project, outside this workspace, with this package alone: what is missing in it cannot be found by accident
 * there. The answer runs a command in it.
 */
async function projectWith({ name, tarball }) {
  const project = join(workshop, name)
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), '{ "private": true }\n')
  await check(`${name} can be installed`, () => {
    // What the program depends on is in npm's cache since this workspace was installed.
    const options = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund']
    run('npm', ['install', ...options, tarball], project)
  })
  return (command, args) => run(command, args, project)
}

function differs(output, expected) {
  return output.trim() === expected ? [] : [`expected ${expected}`, `got      ${output.trim()}`]
}

/** What the command printed. Its complaints, if it fails, are the message of the error. */
function run(command, args, cwd = root) {
  try {
    return execFileSync(command, args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (error) {
    throw new Error([error.message, error.stdout].filter(Boolean).join('\n'), { cause: error })
  }
}

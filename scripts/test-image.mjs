// Builds and starts what deploy/Dockerfile builds and starts, without Docker: in a folder that holds only what
// Dockerfile.dockerignore lets in, with the modules that are installed here in the place of those that npm would fetch.
// Prints one line for each step and exits with 1 where one fails.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const dockerfile = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8')
const workshop = mkdtempSync(join(tmpdir(), 'dragoman-image-'))
const [context, packed, image] = ['context', 'packed', 'image'].map((name) => join(workshop, name))

try {
  await step('the context', copyContext)
  await step('npm run build', () => run('npm', ['run', 'build'], context))
  await step('npm pack', () => {
    mkdirSync(packed)
    const [, options] = /&& npm pack (.*) --pack-destination \/packed$/m.exec(dockerfile) ?? []
    if (options === undefined) throw new Error('deploy/Dockerfile does not pack into /packed')
    run('npm', ['pack', ...options.split(' '), '--pack-destination', packed], context)
  })
  await step('the installed package', install)
  await step('the program, and its health check', serve)
} catch (error) {
  console.error(`FAILED: ${error.message}`)
  process.exitCode = 1
} finally {
  rmSync(workshop, { recursive: true, force: true })
}

async function step(what, act) {
  try {
    await act()
  } catch (error) {
    throw new Error(`${what}: ${error.message}`, { cause: error })
  }
  console.log(`ok   ${what}`)
}

/** What `COPY . .` finds, beside the modules, which `npm ci` would install from the same lock file. */
function copyContext() {
  const rules = readFileSync(join(root, 'deploy/Dockerfile.dockerignore'), 'utf8').trim().split('\n')
  const letIn = rules.filter((rule) => rule.startsWith('!')).map((rule) => patternOf(rule.slice(1)))
  const files = output('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z']).split('\0')
  for (const file of files.filter((name) => letIn.some((rule) => rule.test(name)))) {
    cpSync(join(root, file), join(context, file))
  }
  linkModules(join(root, 'node_modules'), join(context, 'node_modules'))
  linkModules(join(root, 'packages/gateway/node_modules'), join(context, 'packages/gateway/node_modules'))
}

/** A rule lets in what it names, and all that is below it. */
function patternOf(rule) {
  const escaped = rule.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`).replaceAll('*', '[^/]*')
  return new RegExp(`^${escaped}(?:/|$)`)
}

function linkModules(from, to) {
  mkdirSync(to, { recursive: true })
  for (const name of readdirSync(from)) {
    // Our own packages are links to this workspace by their place in it: they have to lead to those of the context.
    if (name === '@dragoman')
      cpSync(join(from, name), join(to, name), { recursive: true, verbatimSymlinks: true })
    else symlinkSync(join(from, name), join(to, name))
  }
}

/** What `npm install` of the packed file makes, of the modules that are here: those that the package depends on, and no others. */
function install() {
  const modules = join(image, 'node_modules')
  const place = join(modules, 'dragoman')
  mkdirSync(place, { recursive: true })
  const [file] = readdirSync(packed)
  run('tar', ['-xzf', join(packed, file), '-C', place, '--strip-components', '1'], workshop)
  const { dependencies } = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  for (const name of Object.keys(dependencies)) {
    const [own, common] = ['packages/gateway/node_modules', 'node_modules'].map((folder) =>
      join(root, folder),
    )
    symlinkSync(join(readdirSync(own).includes(name) ? own : common, name), join(modules, name))
  }
}

/** Starts it as the image does, with the configuration of compose, and asks it what Docker would ask. */
async function serve() {
  const port = await freePort()
  const settings = join(workshop, 'etc')
  cpSync(join(root, 'deploy/compose/dragoman.yaml'), join(settings, 'dragoman/config.yaml'))
  const env = {
    ...Object.fromEntries(words(/^ENV (.*)$/m).map((each) => each.split('='))),
    PATH: process.env.PATH,
    XDG_CONFIG_HOME: settings,
    DRAGOMAN_HOST: '127.0.0.1',
    DRAGOMAN_PORT: String(port),
    DRAGOMAN_API_KEY: 'a-key-that-is-long-enough-0123456789',
  }
  const [program, file, ...args] = [...execForm('ENTRYPOINT'), ...JSON.parse(lastLine('CMD'))]
  const child = spawn(program, [file.replace(/^\/app/, image), ...args], { env, cwd: image, stdio: 'pipe' })
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const ended = once(child, 'exit')
  try {
    const [checker, ...question] = execForm('CMD')
    for (let tries = 0; spawnSync(checker, question, { env, timeout: 5000 }).status !== 0; tries++) {
      if (tries === 20 || child.exitCode !== null) throw new Error(`it is not healthy: ${said}`)
      await sleep(300)
    }
  } finally {
    child.kill('SIGTERM')
    await ended
  }
}

/** The words of an instruction in its exec form; of several, those of the first. */
function execForm(instruction) {
  const [, list] = new RegExp(String.raw`^\s*${instruction} (\[.*\])$`, 'm').exec(dockerfile) ?? []
  if (list === undefined) throw new Error(`deploy/Dockerfile has no ${instruction} in its exec form`)
  return JSON.parse(list)
}

function lastLine(instruction) {
  return dockerfile.trimEnd().split('\n').at(-1).replace(`${instruction} `, '')
}

function words(pattern) {
  return (pattern.exec(dockerfile)?.[1] ?? '').split(' ')
}

function output(program, args) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(String(error ?? stderr))
  return stdout
}

function run(program, args, cwd) {
  const { status, stdout, stderr, error } = spawnSync(program, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(String(error ?? `${stdout}${stderr}`.slice(-2000)))
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}

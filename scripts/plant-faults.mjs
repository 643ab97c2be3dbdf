// Do the tests bite? Plants one fault at a time into a copy of the workspace, runs the tests that must notice it, and fails
// where they stay green: `npm run test:bite`. With a text behind it, only the faults whose name holds that text.
// Needs a build of the workspace.
import { spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { plantedFaults } from './planted-faults.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
/** Copies in which faults are planted side by side. */
const LANES = 2
/** A run that takes longer has hung, which is no proof that a test noticed anything. */
const LONGEST_RUN_MS = 120_000
/** The run without faults has the tests of all of them. */
const LONGEST_FIRST_RUN_MS = 400_000
const runnable = new Set(['inspector', 'library', 'program'])

const wanted = process.argv[2] ?? ''
const faults = plantedFaults.filter(({ fault }) => fault.includes(wanted))
const workshop = mkdtempSync(join(tmpdir(), 'dragoman-bite-'))
const failures = []
const began = performance.now()
try {
  if (faults.length === 0) throw new Error(`no fault is called "${wanted}"`)
  const lanes = Array.from({ length: LANES }, (_, at) => copyWorkspace(join(workshop, `lane-${at}`)))
  await checkUnharmed(lanes)
  const waiting = [...faults]
  await Promise.all(lanes.map((lane) => plantAll(lane, waiting)))
} finally {
  rmSync(workshop, { recursive: true, force: true })
}
const seconds = Math.round((performance.now() - began) / 1000)
console.log(
  `\n${faults.length - failures.length} of ${faults.length} planted faults were noticed, in ${seconds} s.`,
)
for (const failure of failures) console.error(failure)
if (failures.length > 0) process.exitCode = 1

/** The same tests on the sources as they are: a test that fails anyway notices nothing. */
async function checkUnharmed(lanes) {
  const names = faults.map(({ only }) => `(?:${only})`).join('|')
  const files = [...new Set(faults.flatMap(({ tests }) => tests))].toSorted()
  const reports = await Promise.all(
    lanes.map((lane, at) => {
      const share = files.filter((_, nth) => nth % lanes.length === at)
      return share.length === 0 ? undefined : runTests(lane, share, names, LONGEST_FIRST_RUN_MS)
    }),
  )
  for (const report of reports) {
    if (report === undefined || (report.failed.length === 0 && report.passed > 0)) continue
    const what = report.isLate ? 'do not end' : 'fail'
    throw new Error(`the tests ${what} without any fault:\n${report.failed.join('\n')}\n${report.output}`)
  }
  const passed = reports.reduce((sum, report) => sum + (report?.passed ?? 0), 0)
  console.log(`ok   ${passed} tests pass without any fault`)
}

async function plantAll(lane, waiting) {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { fault, edits, tests, only } = next
    let complaint
    try {
      const restore = plant(lane, edits)
      const started = performance.now()
      const report = await runTests(lane, tests, only)
      restore()
      complaint = complaintAbout(report, tests)
      if (complaint === undefined) {
        const took = Math.round((performance.now() - started) / 1000)
        console.log(`ok   ${fault} (${took} s): ${report.failed[0]}`)
      }
    } catch (error) {
      complaint = error.message
    }
    if (complaint === undefined) continue
    console.log(`FAIL ${fault}`)
    failures.push(`${fault}: ${complaint}`)
  }
}

function complaintAbout({ failed, output, isLate }, tests) {
  if (failed.length > 0) return undefined
  if (isLate) return `its tests did not end within ${LONGEST_RUN_MS / 1000} s`
  return `nobody noticed it: ${tests.join(', ')} stayed green\n${output.slice(-2000)}`
}

/** Changes the files of a copy. A text that is not there exactly once means that the sources have changed. */
function plant(lane, edits) {
  const originals = new Map()
  for (const { file, from, to } of edits) {
    const path = join(lane, file)
    const source = readFileSync(path, 'utf8')
    if (!originals.has(path)) originals.set(path, source)
    const count = source.split(from).length - 1
    if (count !== 1) {
      restoreAll(originals)
      throw new Error(
        `it is stale: ${file} has ${count} times ${JSON.stringify(from)}; plant it anew in scripts/planted-faults.mjs`,
      )
    }
    writeFileSync(
      path,
      source.replace(from, () => to),
    )
  }
  return () => restoreAll(originals)
}

function restoreAll(originals) {
  for (const [path, source] of originals) writeFileSync(path, source)
}

/** Runs tests in a copy. Tests alone count: a file that cannot be loaded proves nothing. */
function runTests(lane, files, names, longest = LONGEST_RUN_MS) {
  const report = join(lane, 'report.json')
  rmSync(report, { force: true })
  const args = [
    'run',
    ...files,
    '--maxWorkers=1',
    '--reporter=json',
    `--outputFile=${report}`,
    '--testNamePattern',
    names,
  ]
  const program = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [program, ...args], {
      cwd: lane,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    let isLate = false
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => (output += text))
    }
    const timer = setTimeout(() => {
      isLate = true
      child.kill('SIGKILL')
    }, longest)
    child.on('error', reject)
    child.on('close', () => {
      clearTimeout(timer)
      resolve({ ...outcomeIn(report), output, isLate })
    })
  })
}

function outcomeIn(report) {
  let results = []
  try {
    results = JSON.parse(readFileSync(report, 'utf8')).testResults.flatMap((file) => file.assertionResults)
  } catch {
    // There is no report where the run was ended or could not begin: then no test has failed.
  }
  const named = (status) => results.filter((test) => test.status === status).map((test) => test.fullName)
  return { failed: named('failed'), passed: named('passed').length }
}

/** The sources, tests and builds, with the installed packages of the workspace; its own packages are those of the copy. */
function copyWorkspace(lane) {
  mkdirSync(lane)
  for (const name of readdirSync(root)) {
    if (name === 'node_modules' || name === '.git') continue
    cpSync(join(root, name), join(lane, name), { recursive: true, filter: isNeeded })
  }
  linkPackages(join(root, 'node_modules'), join(lane, 'node_modules'))
  for (const each of readdirSync(join(root, 'packages'))) {
    const installed = join(root, 'packages', each, 'node_modules')
    linkPackages(installed, join(lane, 'packages', each, 'node_modules'))
  }
  const own = join(lane, 'node_modules', '@dragoman')
  rmSync(own, { recursive: true, force: true })
  mkdirSync(own)
  for (const each of readdirSync(join(root, 'node_modules', '@dragoman'))) {
    symlinkSync(join(lane, 'packages', each), join(own, each))
  }
  rmSync(join(lane, 'node_modules', 'dragoman'), { force: true })
  symlinkSync(join(lane, 'packages', 'gateway'), join(lane, 'node_modules', 'dragoman'))
  return lane
}

/** Of a build only what is run: types and single files make most of it. */
function isNeeded(path) {
  return (
    basename(path) !== 'node_modules' && (basename(dirname(path)) !== 'dist' || runnable.has(basename(path)))
  )
}

function linkPackages(from, to) {
  let names = []
  try {
    names = readdirSync(from)
  } catch {
    return
  }
  mkdirSync(to, { recursive: true })
  for (const name of names) {
    if (!name.startsWith('.vite')) symlinkSync(join(from, name), join(to, name))
  }
}

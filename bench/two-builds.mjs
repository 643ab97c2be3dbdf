import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { chunksOf, plainTexts, tools } from './inputs.mjs'
import { median } from './measure.mjs'
import { printTable } from './table.mjs'

const LENGTH = 20_000
const sizes = [LENGTH, 200, 20, 4, 1]
const formats = ['auto', 'qwen']
const WARM_UP_MS = 300
const TURN_MS = 0.4
const TURNS = 200
const PAIRS = 5

/**
 * How long plain text takes as a part of the time that it took another build of the library: `node bench/two-builds.mjs FOLDER`, where
 * the folder is a checkout that is built. Each row and column has pairs of processes of its own, because the compiler settles
 * differently for each text and from process to process, and a pair has both orders of loading the builds, because the second one
 * finds the compiler in another state. All texts take a quarter of an hour.
 */
function compare(other, [onlyText, onlyFormat]) {
  const before = libraryIn(other)
  const now = libraryIn(fileURLToPath(new URL('..', import.meta.url)))
  const rows = []
  for (const text of Object.keys(plainTexts)) {
    for (const format of formats) {
      if ((onlyText ?? text) !== text || (onlyFormat ?? format) !== format) continue
      const ratios = sizes.map((size) => {
        const ask = (first) => inProcess([before, now, first, text, format, String(size)])
        return median(Array.from({ length: PAIRS }, () => Math.sqrt(ask('before') * ask('now')))).toFixed(2)
      })
      rows.push([text, format, ...ratios])
    }
  }
  const columns = sizes.map((size) => (size === LENGTH ? 'whole' : `chunks of ${size}`))
  printTable(`Plain text of ${LENGTH} characters: time as a part of before`, ['', '', ...columns], rows)
}

function libraryIn(folder) {
  const file = join(resolve(folder), 'packages/core/dist/library/index.js')
  if (existsSync(file)) return pathToFileURL(file).href
  console.error(`${folder} is no checkout that is built: there is no ${file}`)
  process.exit(2)
}

function inProcess(given) {
  const { stdout, stderr, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), '--one', ...given],
    { encoding: 'utf8' },
  )
  if (status !== 0) throw new Error(stderr)
  return Number(stdout)
}

async function one([before, now, first, text, format, size]) {
  const addresses = first === 'before' ? [before, now] : [now, before]
  const chunks = chunksOf(plainTexts[text](LENGTH), Number(size))
  const tasks = []
  for (const address of addresses) tasks.push(reading(await import(address), chunks, format))
  const repeats = tasks.map((task) => repeatsFor(task))
  const times = [[], []]
  for (let turn = 0; turn < TURNS; turn++) {
    for (const [at, task] of tasks.entries()) times[at].push(timeOf(task, repeats[at]) / repeats[at])
  }
  const ratio = median(times[1].map((time, turn) => time / times[0][turn]))
  console.log(first === 'before' ? ratio : 1 / ratio)
}

/** Reads the chunks as one answer, to events. */
function reading({ createParser }, chunks, format) {
  return () => {
    const parser = createParser({ tools, format })
    let events = 0
    for (const chunk of chunks) events += parser.push(chunk).length
    return events + parser.end('stop').length
  }
}

/** How often a task has to run to fill a turn, once the compiler has seen enough of it. */
function repeatsFor(task) {
  const started = performance.now()
  let runs = 0
  while (performance.now() - started < WARM_UP_MS) {
    task()
    runs++
  }
  return Math.max(1, Math.round((runs * TURN_MS) / WARM_UP_MS))
}

function timeOf(task, repeats) {
  const started = performance.now()
  for (let run = 0; run < repeats; run++) task()
  return performance.now() - started
}

const [first, ...rest] = process.argv.slice(2)
if (first === '--one') await one(rest)
else if (first !== undefined) compare(first, rest)
else {
  console.error('Usage: node bench/two-builds.mjs FOLDER [TEXT [FORMAT]]')
  process.exit(2)
}

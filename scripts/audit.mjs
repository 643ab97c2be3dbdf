// Asks the registry for known weaknesses of the packages that we ship: `npm run audit`. Not every registry answers; that is
// said, and is no failure unless `--required` is given.
import { spawnSync } from 'node:child_process'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedPackages } from './shipped-packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const isRequired = process.argv.includes('--required')
const shipped = shippedPackages(root)
// `--omit=dev` would leave out what is bundled, so everything is asked for, and what is not shipped is put aside.
const { stdout } = spawnSync('npm', ['audit', '--json'], { cwd: root, encoding: 'utf8' })
const report = parsed(stdout)
if (report?.vulnerabilities === undefined) {
  console.log(`NOT AUDITED: the registry does not answer (${report?.message ?? 'no report'})`)
  if (isRequired) process.exitCode = 1
} else {
  const paths = new Set(shipped.map(({ path }) => path))
  const found = Object.values(report.vulnerabilities).filter(({ nodes }) =>
    nodes.some((path) => paths.has(path)),
  )
  for (const { name, severity, via } of found) console.error(`${severity}: ${name}: ${reasons(via)}`)
  console.log(`${found.length} of ${shipped.length} packages that we ship have known weaknesses`)
  if (found.length > 0) process.exitCode = 1
}

function parsed(text) {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Each reason is the name of another package, or an advisory. */
function reasons(via) {
  return via.map((each) => (typeof each === 'string' ? `by ${each}` : `${each.title} ${each.url}`)).join('; ')
}

// Writes the bill of materials of the program, in the form of CycloneDX, to standard output: `npm run --silent sbom`.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { shippedPackages } from './shipped-packages.mjs'

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const { name, version } = JSON.parse(readFileSync(join(root, 'packages/gateway/package.json'), 'utf8'))
const program = `${name}@${version}`

// npm lists the whole workspace. Asked to omit what is for development, it also leaves out what others of these need, and
// what is bundled: the lock file tells better what is shipped.
const whole = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'ignore'],
  }),
)
const shipped = shippedPackages(root)
const refs = new Set(['@dragoman/core', ...shipped.map((each) => each.name)].map(refOf))
const missing = [...refs].filter((ref) => !whole.components.some((each) => each['bom-ref'] === ref))
if (missing.length > 0) throw new Error(`npm does not list ${missing.join(', ')}; is everything installed?`)
const own = whole.components.find((each) => each['bom-ref'] === program)
const bundled = new Set(shipped.filter(({ isBundled }) => isBundled).map((each) => refOf(each.name)))
const bill = {
  ...whole,
  metadata: { ...whole.metadata, component: { ...own, name, type: 'application' } },
  components: whole.components.filter((each) => refs.has(each['bom-ref'])).map(asShipped),
  dependencies: whole.dependencies
    .filter(({ ref }) => ref === program || refs.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => refs.has(each)) })),
}
console.log(JSON.stringify(bill, null, 2))

function refOf(packageName) {
  const found = shipped.find((each) => each.name === packageName)
  return `${packageName}@${found?.version ?? version}`
}

/**
 * That a package is for development is true of the workspace, but not of the program that holds it. npm calls a package of
 * the workspace by its folder.
 */
function asShipped(component) {
  const ref = component['bom-ref']
  const isOurs = ref === refOf('@dragoman/core')
  const properties = component.properties.filter((each) => each.name !== 'cdx:npm:package:development')
  const isBundled = isOurs || bundled.has(ref)
  const bundling = isBundled ? [{ name: 'cdx:npm:package:bundled', value: 'true' }] : []
  const named = isOurs ? { ...component, name: '@dragoman/core' } : component
  return { ...named, properties: [...properties, ...bundling] }
}

// The inspector in a real browser: Debian's chromium, driven without a download. Needs a build.
// Prints one line for each check and exits with 1 if any of them fails. `--shots DIR` keeps pictures of every page, `--only
// TEXT` runs the checks whose title holds the text.
import { existsSync, mkdirSync } from 'node:fs'
import { chromium } from 'playwright-core'
import { startFixtureServer } from '../packages/inspector/dev/fixture-server.mjs'
import { checkBadInput } from './browser/bad-input.mjs'
import { createChecks } from './browser/checks.mjs'
import { startLab } from './browser/gateway-lab.mjs'
import { checkList } from './browser/list.mjs'
import { checkLiveGateway } from './browser/live-gateway.mjs'
import { checkLooks } from './browser/looks.mjs'
import { checkOneExchange } from './browser/one-exchange.mjs'
import { checkSize } from './browser/size.mjs'
import { checkWorkbench } from './browser/workbench.mjs'

const browserPath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)
if (browserPath === undefined) {
  console.error('No chromium was found. Install it (apt-get install chromium), or name it in CHROMIUM.')
  process.exit(1)
}
const shots = flag('--shots')
if (shots !== undefined) mkdirSync(shots, { recursive: true })

const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
const server = await startFixtureServer()
const folder = await startFixtureServer({ withApi: false, count: 0 })
const lab = await startLab()
const { check, shoot, failures } = createChecks({ browser, only: flag('--only') ?? '', shots })
const open = (page, hash) => page.goto(server.url + hash)
const world = { check, shoot, open, lab, server, folder }
try {
  await Promise.all([
    inTurn([checkLiveGateway, checkBadInput]),
    inTurn([checkWorkbench, checkOneExchange, checkList, checkSize, checkLooks]),
  ])
} finally {
  await browser.close()
  await server.close()
  await folder.close()
  await lab.close()
}
if (failures.length > 0) {
  console.error(`\n${failures.length} of the checks in the browser failed.`)
  process.exitCode = 1
}

async function inTurn(groups) {
  for (const group of groups) await group(world)
}

function flag(name) {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

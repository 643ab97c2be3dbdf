// The inspector in a real browser: Debian's chromium, driven without a download. Needs a build.
// Prints one line for each check and exits with 1 if any of them fails. `--shots DIR` keeps pictures of every page, `--only
// TEXT` runs the checks whose title holds the text.
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import axe from 'axe-core'
import { chromium } from 'playwright-core'
import { startFixtureServer } from '../packages/inspector/dev/fixture-server.mjs'
import { inspectorKey, startLab } from './inspector-lab.mjs'

const browserPath = [process.env['CHROMIUM'], '/usr/bin/chromium', '/usr/bin/chromium-browser'].find(
  (path) => path !== undefined && existsSync(path),
)
if (browserPath === undefined) {
  console.error('No chromium was found. Install it (apt-get install chromium), or name it in CHROMIUM.')
  process.exit(1)
}
const shots = flag('--shots')
const only = flag('--only') ?? ''
if (shots !== undefined) mkdirSync(shots, { recursive: true })

const desktop = { width: 1280, height: 800 }
const phone = { width: 390, height: 844 }

const failures = []
const browser = await chromium.launch({ executablePath: browserPath, args: ['--no-sandbox'] })
const server = await startFixtureServer()
const folder = await startFixtureServer({ withApi: false, count: 0 })
const lab = await startLab()
try {
  await Promise.all([checkGateway().then(checkBadInput), checkAll()])
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

/** The page on a real gateway, with the simulator as its upstream and an SDK as its client. */
async function checkGateway() {
  await check('what an SDK asks appears by itself, and its call is found by pointing at it', async (page) => {
    await page.goto(lab.open)
    await page.getByText('live').first().waitFor()
    await lab.ask('kimi-k2+reasoning')
    const row = rowsOf(page).first()
    await row.getByText('kimi-k2+reasoning').first().waitFor()
    await row.getByText('tool-calls').waitFor()
    expectHolds(await row.innerText(), ['Anthropic/JS', 'kimi', 'tool-calls', '1 note'])
    await shoot(page, 'gateway-list')
    await row.click()
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.locator('.source-row .k-name').first().hover()
    await page.locator('.event.e-call-start.is-hovered').waitFor()
    await page.locator('.event.e-call-start').first().click()
    await page.locator('.chunk-row.is-focused').first().waitFor()
    await shoot(page, 'gateway-exchange')
  })

  await check('the requests of a real exchange differ where the notes say so', async (page) => {
    await openNewest(page)
    await page.getByRole('tab', { name: 'Asked' }).click()
    await page.locator('.json-line .badge-dropped').first().waitFor()
    expectHolds(await page.locator('.stage-body').innerText(), ['top_k', 'get_weather'])
    await shoot(page, 'gateway-requests')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.arrival').nth(5).waitFor()
    await shoot(page, 'gateway-timeline')
  })

  await check('a real answer is read as another format, with another result', async (page) => {
    await openNewest(page)
    await page.getByRole('tab', { name: 'Read it as…' }).click()
    await page.getByText('The same events as before.').waitFor()
    await choose(page, 'Format', 'hermes')
    await page.getByText('Other events than before.').waitFor()
    await shoot(page, 'gateway-read-as')
  })

  await check('a request is asked again only when the button is pressed', async (page) => {
    await openNewest(page)
    const before = page.url()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.waitForURL((url) => url.href !== before)
    await page.getByRole('heading', { name: /kimi-k2/ }).waitFor()
    await page.locator('.source-row .k-name').first().waitFor()
    await page.getByRole('link', { name: 'Exchanges' }).first().click()
    await rowsOf(page).first().getByText('dragoman-inspector').waitFor()
  })

  await check('an exchange that is still running grows while one looks', async (page) => {
    await page.goto(lab.open)
    await rowsOf(page).first().waitFor()
    const rows = await rowsOf(page).count()
    const asked = lab.ask('kimi-k2+char')
    await rowsOf(page).nth(rows).waitFor()
    await rowsOf(page).first().click()
    await page.locator('.source-row').first().waitFor()
    const early = await page.locator('.source').innerText()
    await asked
    await page.locator('.source-row .k-name').first().waitFor()
    expectBelow(early.length, (await page.locator('.source').innerText()).length, 'characters at first')
  })

  await check('a recording is downloaded, and opened without a gateway', async (page) => {
    await openNewest(page)
    const download = page.waitForEvent('download')
    await page.getByText('Download', { exact: false }).first().click()
    expectHolds(readFileSync(await (await download).path(), 'utf8'), [
      '"dragomanRecording": 1',
      'get_weather',
    ])
    await page.goto(await lab.inspectRecordings())
    await rowsOf(page).first().click()
    await page.locator('.source-row .k-name').first().waitFor()
    expectSame(await page.getByRole('button', { name: 'Ask again' }).isDisabled(), true)
    await shoot(page, 'recordings')
  })

  await check(
    'a gateway behind a key asks for it once, and says what is wrong with it',
    async (page) => {
      await page.goto(lab.locked)
      await page.getByLabel('Key').fill('sesame')
      await page.keyboard.press('Enter')
      await page.getByText('This is no key for the inspector.').waitFor()
      await shoot(page, 'locked')
      expectSame((await faultsIn(page)).join('\n'), '')
      await page.getByLabel('Key').fill(inspectorKey)
      await page.keyboard.press('Enter')
      await page.getByText('live').first().waitFor()
      expectSame(await page.evaluate(() => document.cookie), '')
      await page.reload()
      await page.getByText('live').first().waitFor()
      expectSame(await page.getByLabel('Key').count(), 0)
    },
    { expectedErrors: /401/ },
  )

  await check(
    'a gateway that goes away is missed, and found when it comes back',
    async (page) => {
      const first = await lab.startAt(0)
      await page.goto(first.page)
      await first.ask('kimi-k2')
      await rowsOf(page).first().waitFor()
      await first.stop()
      await page.getByText('The gateway does not answer', { exact: false }).waitFor()
      await shoot(page, 'gateway-lost')
      const second = await lab.startAt(new URL(first.page).port)
      await page.getByText('The gateway does not answer', { exact: false }).waitFor({ state: 'detached' })
      await second.ask('qwen3-coder')
      await rowsOf(page).getByText('qwen3-coder').first().waitFor()
    },
    { expectedErrors: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|net::ERR/ },
  )
}

/** What may go wrong with what the page is given. */
async function checkBadInput() {
  await check(
    'what is printed at the start is enough to see a call, and why another is none',
    async (page) => {
      const fresh = await lab.startFresh()
      await page.goto(fresh.page)
      await page.getByRole('heading', { name: 'Nothing has gone through yet' }).waitFor()
      await shoot(page, 'empty')
      await inShell(fresh.command)
      await rowsOf(page).first().getByText('kimi-k2').first().waitFor()
      await inShell(fresh.command.replace('"kimi-k2"', '"kimi-k2+length"'))
      const broken = rowsOf(page).filter({ hasText: 'kimi-k2+length' })
      await broken.getByText('1 problem').waitFor()
      await broken.click()
      await page.locator('.said-one').getByText('truncated-call').waitFor()
      expectHolds(await page.locator('.outcome').innerText(), [
        'No tool call',
        'The output ended inside a call',
      ])
      await page.locator('.point-problem').first().waitFor()
      await shoot(page, 'gateway-broken')
    },
  )

  await check(
    'a model that writes scripts and control characters is shown by a gateway as what it wrote',
    async (page) => {
      const dialogs = []
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      const response = await page.goto(await lab.startHostile())
      const policy = response.headers()['content-security-policy'] ?? ''
      expectHolds(policy, ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
      expectSame(/unsafe|\*|https?:/.test(policy), false)
      expectHolds(await rowsOf(page).first().innerText(), [
        '<script>document.title=1</script>',
        '<b>evil</b>/1',
      ])
      await rowsOf(page).first().click()
      await page.getByText('<img src=x', { exact: false }).first().waitFor()
      expectHolds(await page.locator('.source').innerText(), ['ESC', 'RLO', 'PDF', 'U+D83D', 'NUL', 'ZWSP'])
      for (const tab of ['Asked', 'Timeline', 'Read it as…', 'Answered']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.waitForTimeout(100)
        expectSame(await page.title(), 'Dragoman inspector')
        expectSame(
          await page.locator('main :is(img, script, iframe, b, svg[onload], a[href^="javascript"])').count(),
          0,
        )
      }
      expectSame(dialogs.join(), '')
      await shoot(page, 'gateway-hostile')
    },
  )

  await check('recordings that are cut, of another layout, or named like a script say so', async (page) => {
    const whole = JSON.stringify(recordingOf('data: {"choices":[{"index":0,"delta":{"content":"Hi."}}]}\n\n'))
    const evil = "<img src=x onerror=document.title='hacked'>.json"
    await page.goto(
      await lab.inspectFiles({
        'cut.json': whole.slice(0, -60),
        'newer.json': whole.replace('"dragomanRecording":1', '"dragomanRecording":7'),
        [evil]: whole,
      }),
    )
    await rowsOf(page).nth(2).waitFor()
    for (const [name, sentence] of [
      ['cut.json', 'The file is cut off'],
      ['newer.json', 'The recording has the layout 7; this version reads 1.'],
      [evil, 'Hi.'],
    ]) {
      await page.goto(`${page.url().replace(/#.*/, '')}#/exchanges/${encodeURIComponent(name)}`)
      await page.getByText(sentence, { exact: false }).first().waitFor()
      await page.getByText('Hi.').first().waitFor()
    }
    expectHolds(await page.locator('.crumbs').innerText(), ['<img src=x'])
    expectSame(await page.title(), 'Dragoman inspector')
    expectSame(await page.locator('main img').count(), 0)
    await shoot(page, 'recording-evil')
  })

  await check('where several processes serve, the page says that it knows one of them', async (page) => {
    await page.goto(await lab.startWorkers())
    await page.getByText('Several processes serve here', { exact: false }).waitFor()
    await shoot(page, 'workers')
  })
}

function recordingOf(said) {
  const exchange = { dialect: 'openai-chat', status: 200, request: '{"model":"m"}' }
  return {
    dragomanRecording: 1,
    requestId: 'r',
    time: '2026-03-04T05:06:07.008Z',
    upstream: { ...exchange, name: 'lab', model: 'm', format: 'kimi', reading: {}, response: said },
    client: { ...exchange, response: 'x'.repeat(100) },
  }
}

/** As a user does who copies a line into a shell. */
function inShell(command) {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', command], (error) => (error === null ? resolve() : reject(error)))
  })
}

/** The lines of the list, without its head. */
function rowsOf(page) {
  return page.locator('.exchange-row[role=option]')
}

/** The newest exchange of the real gateway. */
async function openNewest(page) {
  await page.goto(lab.open)
  await rowsOf(page).first().click()
  await page.locator('.source-row').first().waitFor()
}

async function checkAll() {
  await check('the workbench reads what is pasted, and colours every character', async (page) => {
    await open(page, '#/workbench')
    await paste(page, '<think>hm</think>Hi.<tool_call>{"name": "ping", "arguments": {"a": 1,}}</tool_call>')
    await choose(page, 'Format', 'hermes')
    await page.getByText('read as hermes').waitFor()
    const kinds = await page
      .locator('.source-row .k')
      .evaluateAll((spans) => spans.map((span) => span.className))
    expectHolds(kinds.join(' '), ['k-reasoning', 'k-text', 'k-markup', 'k-name', 'k-arguments', 'k-repaired'])
    expectHolds(await page.locator('.outcome').innerText(), ['ping', 'trailing-comma', '"a": 1'])
    await shoot(page, 'workbench')
  })

  await check('the slider lets the text come, and says what is held and why', async (page) => {
    await open(page, '#/workbench')
    await paste(page, 'Hi. <tool_call>{"name": "ping", "arguments": {}}</tool_call>')
    await choose(page, 'Format', 'hermes')
    const slider = page.getByLabel('How much of the text has come')
    await slider.focus()
    await slider.fill('8')
    await page.getByText('Held: <too It may become a marker.').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Held: <tool It may become a marker.').waitFor()
    await shoot(page, 'workbench-held')
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByText('All 60 characters').waitFor()
  })

  await check('a button shows that every chunking gives the same', async (page) => {
    await open(page, '#/workbench')
    await page.getByRole('button', { name: 'kimi', exact: true }).click()
    await page.getByRole('button', { name: 'Every chunking gives the same' }).click()
    await page.getByText(/\d+ ways to cut it, one result\./).waitFor()
  })

  await check('a link holds the whole state of the workbench', async (page) => {
    await open(page, '#/workbench')
    await paste(page, 'Hi. <tool_call>')
    await choose(page, 'Format', 'hermes')
    await choose(page, 'Ended by', 'length')
    await page.getByLabel('How much of the text has come').fill('5')
    await page.waitForFunction(() => location.hash.length > 60)
    await page.waitForTimeout(400)
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByText('Held: <').waitFor()
    expectSame(await other.getByRole('combobox', { name: 'Format' }).inputValue(), 'hermes')
    expectSame(await other.getByRole('combobox', { name: 'Ended by' }).inputValue(), 'length')
    expectSame(await other.locator('.input-text').inputValue(), 'Hi. <tool_call>')
  })

  await check('to point at text shows its event, and to choose an event shows its text', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.locator('.source-row .k-name').first().hover()
    await page.locator('.event.e-call-start.is-hovered').waitFor()
    await page.locator('.event.e-reasoning').click()
    await page.locator('.k-reasoning.is-chosen').first().waitFor()
    await page.locator('.chunk-row.is-focused').first().waitFor()
    await page.keyboard.press('ArrowDown')
    await page.locator('.event.e-text[aria-selected=true]').waitFor()
    await shoot(page, 'exchange')
  })

  await check('the two requests stand side by side, with notes at their fields', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('tab', { name: 'Asked' }).click()
    await page.locator('.json-line .badge-dropped').first().waitFor()
    await page.getByRole('button', { name: 'Fold thinking' }).click()
    await page.getByRole('button', { name: 'Unfold thinking' }).waitFor()
    await shoot(page, 'requests')
  })

  await check('the timeline shows first byte, gaps and pings', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    expectHolds(await page.locator('.facts').innerText(), ['640 ms', '2.30 s'])
    await page.locator('.arrivals').evaluate((list) => list.scrollTo(0, 700))
    await page.locator('.arrival.is-ping').first().waitFor()
    await shoot(page, 'timeline')
  })

  await check('an answer is read as another format, beside the old one', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('tab', { name: 'Read it as…' }).click()
    await page.getByText('The same events as before.').waitFor()
    await choose(page, 'Format', 'hermes')
    await page.getByText('Other events than before.').waitFor()
    await shoot(page, 'read-as')
  })

  await check('a request is copied without a key, asked again, and made a test of', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('on the clipboard').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expectHolds(command, ['curl -N', '/v1/messages', '$DRAGOMAN_API_KEY', '"get_weather"'])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Make a test' }).click()
    expectHolds(readFileSync(await (await download).path(), 'utf8'), [
      '```options',
      'call-start 0 get_weather',
    ])
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.waitForURL(/again-/)
    await page.getByRole('heading', { name: /claude-sonnet/ }).waitFor()
  })

  await check('the list is walked by keys alone: /, j, k, Enter, Esc', async (page) => {
    await open(page, '')
    await page.keyboard.press('/')
    await page.keyboard.type('opencode 502')
    await page.keyboard.press('Escape')
    await page.getByText(/ of 10,00\d/).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const chosen = await page.locator('.exchange-row[aria-selected=true]').getAttribute('id')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`#/exchanges/${chosen?.replace('exchange-', '')}$`))
    await page.getByRole('tab', { name: 'Answered' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(/#\/exchanges$/)
  })

  await check('a new exchange appears by itself', async (page) => {
    await open(page, '')
    const id = server.addExchange()
    await page.locator(`#exchange-${id}`).waitFor()
  })

  await check('ten thousand exchanges are a list of which some fifty are drawn', async (page) => {
    await open(page, '')
    await page.getByText(/10,00\d exchanges/).waitFor()
    const list = page.locator('.exchange-list')
    const most = await list.evaluate(async (box) => {
      let longest = 0
      for (let step = 1; step <= 40; step++) {
        const began = performance.now()
        box.scrollTop = (box.scrollHeight / 40) * step
        await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
        longest = Math.max(longest, performance.now() - began)
      }
      return longest
    })
    expectBelow(most, 1500, 'ms for one step of scrolling')
    expectBelow(await page.locator('.exchange-row').count(), 90, 'rows drawn')
    await shoot(page, 'exchanges')
  })

  await check('a hundred thousand chunks and four megabytes do not freeze the page', async (page) => {
    await open(page, '')
    await page.evaluate(() => {
      window.longest = 0
      let last = performance.now()
      const beat = () => {
        const now = performance.now()
        window.longest = Math.max(window.longest, now - last)
        last = now
        setTimeout(beat, 20)
      }
      beat()
      location.hash = '#/exchanges/huge'
    })
    await page.locator('.source-row').first().waitFor({ timeout: 60_000 })
    await page.getByRole('tab', { name: /^Events/ }).click()
    await page.locator('.event').first().waitFor()
    await page.locator('.events').evaluate((list) => list.scrollTo(0, list.scrollHeight))
    await page.waitForTimeout(300)
    expectBelow(await page.locator('.event').count(), 120, 'events drawn')
    expectBelow(await page.evaluate(() => window.longest), 4000, 'ms without an answer to the user')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.arrival').first().waitFor()
  })

  await check('what a model writes never becomes a part of the page', async (page) => {
    await open(page, '#/exchanges/hostile')
    await page.getByText('<img src=x', { exact: false }).first().waitFor()
    await page.waitForTimeout(300)
    expectSame(await page.title(), 'Dragoman inspector')
    expectSame(await page.locator('main img, main script, main b, .source svg').count(), 0)
    expectHolds(await page.locator('.source').innerText(), ['ESC', 'RLO', 'PDF', 'U+D83D', 'NUL'])
    await shoot(page, 'hostile')
  })

  await check(
    'without a gateway the folder is a workbench',
    async (page) => {
      await page.goto(folder.url)
      await page.waitForURL(/#\/workbench/)
      await page.getByRole('heading', { name: 'See what becomes of it' }).waitFor()
      await shoot(page, 'welcome')
      await page.getByRole('link', { name: 'Exchanges' }).click()
      await page.getByRole('heading', { name: 'No gateway serves this page' }).waitFor()
      await shoot(page, 'no-gateway')
    },
    { expectedErrors: /404/ },
  )

  await check('a problem stands where it happened', async (page) => {
    await open(page, '#/exchanges/qwen-broken')
    await page.locator('.point-problem').first().click()
    await page.locator('.said-one[aria-pressed=true]').waitFor()
  })

  await check(
    'an exchange that is gone says so',
    async (page) => {
      await open(page, '#/exchanges/nobody')
      await page.getByText('No such exchange').waitFor()
    },
    { expectedErrors: /404/ },
  )

  for (const colorScheme of ['light', 'dark']) {
    await check(
      `a call is found by its card, ${colorScheme}: the picture of the README`,
      async (page) => {
        await open(page, '#/exchanges/kimi-call')
        await page.locator('.call').first().hover()
        await page.locator('.source-row .k-name.is-hovered, .source-row .is-hovered').first().waitFor()
        await page.locator('.chunk-row.is-focused').first().waitFor()
        await shoot(page, `inspector-${colorScheme}`)
      },
      { colorScheme, viewport: { width: 1200, height: 540 } },
    )
    for (const [name, hash, ready] of [
      ['list', '', '.exchange-list'],
      ['exchange', '#/exchanges/qwen-broken', '.source-row'],
      ['workbench', '#/workbench', '.samples button'],
    ]) {
      for (const viewport of [desktop, phone]) {
        await check(
          `${name}, ${colorScheme}, ${viewport.width} px: nothing that axe finds fault with, nothing too wide`,
          async (page) => {
            await open(page, hash)
            await page.locator(ready).first().waitFor()
            if (name === 'workbench') {
              await page.getByRole('button', { name: 'deepseek', exact: true }).click()
              await page.locator('.source-row').first().waitFor()
            }
            await page.waitForTimeout(300)
            await shoot(page, `${name}-${colorScheme}-${viewport.width}`)
            expectSame((await faultsIn(page)).join('\n'), '')
            const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
            expectBelow(wide, 1, 'pixels too wide')
            // The colours are seen once for each scheme, and the layout once for each width.
            if (name === 'exchange' && (colorScheme === 'light') === (viewport === desktop)) {
              for (const tab of ['Asked', 'Timeline', 'Read it as…']) {
                await page.getByRole('tab', { name: tab }).click()
                await page.waitForTimeout(150)
                await shoot(page, `${tab.replaceAll(/\W/g, '')}-${colorScheme}-${viewport.width}`)
                expectSame((await faultsIn(page)).join('\n'), '')
              }
            }
          },
          { colorScheme, viewport },
        )
      }
    }
  }
}

/** A page of its own for each check. An error on its console, or a breach of the policy, is a fault as well. */
async function check(title, run, { expectedErrors, ...context } = {}) {
  if (!title.includes(only)) return
  const place = await browser.newContext({ viewport: desktop, reducedMotion: 'reduce', ...context })
  const page = await place.newPage()
  page.setDefaultTimeout(15_000)
  const began = performance.now()
  const said = []
  page.on('pageerror', (error) => said.push(error.message))
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning'
    if (isFault && expectedErrors?.test(message.text()) !== true) said.push(message.text())
  })
  try {
    await run(page)
    if (said.length > 0) throw new Error(`The page said: ${said.join('; ')}`)
    console.log(`ok   ${title} (${Math.round(performance.now() - began)} ms)`)
  } catch (error) {
    console.log(`FAIL ${title}\n     ${String(error).replaceAll('\n', '\n     ')}`)
    for (const line of said) console.log(`     ${line}`)
    failures.push(title)
  } finally {
    await place.close()
  }
}

function flag(name) {
  const at = process.argv.indexOf(name)
  return at < 0 ? undefined : process.argv[at + 1]
}

async function open(page, hash) {
  await page.goto(server.url + hash)
}

async function paste(page, text) {
  await page.locator('.input-text').fill(text)
}

async function choose(page, label, value) {
  await page.getByRole('combobox', { name: label, exact: true }).selectOption(value)
}

/** The policy forbids a script of ours as of anybody: it is given by the debugger. */
async function faultsIn(page) {
  await page.evaluate(axe.source)
  const { violations } = await page.evaluate(() =>
    window.axe.run({ runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
  )
  return violations.map(
    ({ id, nodes }) =>
      `${id}: ${nodes
        .map((node) => node.target.join(' '))
        .slice(0, 4)
        .join(' | ')}`,
  )
}

async function shoot(page, name) {
  if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) })
}

function expectSame(found, expected) {
  if (found !== expected) throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(expected)}`)
}

function expectHolds(text, parts) {
  const missing = parts.filter((part) => !text.includes(part))
  if (missing.length > 0) throw new Error(`${JSON.stringify(text.slice(0, 400))} lacks ${missing.join(', ')}`)
}

function expectBelow(found, limit, what) {
  if (found >= limit) throw new Error(`${Math.round(found)} ${what}; at most ${limit}`)
}

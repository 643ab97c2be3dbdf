// The page on a real gateway, with the simulator as its upstream and an SDK as its client.
import { readFileSync } from 'node:fs'
import { inspectorKey } from './gateway-lab.mjs'
import { choose, expectBelow, expectHolds, expectSame, faultsIn, rowsOf } from './page.mjs'

export async function checkLiveGateway({ check, shoot, lab }) {
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
    await page.locator('.chunk-row .k-name.is-hovered').waitFor()
    await page.locator('.event.e-call-start').first().click()
    await page.locator('.chunk-row.is-focused').first().waitFor()
    await page.locator('.chunk-row .k-arguments').first().hover()
    await page.locator('.event.e-call-delta.is-hovered').waitFor()
    await page.locator('.source-row .k-arguments.is-hovered').first().waitFor()
    await shoot(page, 'gateway-exchange')
  })

  await check('the requests of a real exchange differ where the notes say so', async (page) => {
    await openNewest(page, lab)
    await page.getByRole('tab', { name: 'Asked' }).click()
    await page.locator('.json-line .badge-dropped').first().waitFor()
    expectHolds(await page.locator('.stage-body').innerText(), ['top_k', 'get_weather'])
    await shoot(page, 'gateway-requests')
    await page.getByRole('tab', { name: 'Timeline' }).click()
    await page.locator('.arrival').nth(5).waitFor()
    await shoot(page, 'gateway-timeline')
  })

  await check('a real answer is read as another format, with another result', async (page) => {
    await openNewest(page, lab)
    await page.getByRole('tab', { name: 'Read it as…' }).click()
    await page.getByText('The same events as before.').waitFor()
    await choose(page, 'Format', 'hermes')
    await page.getByText('Other events than before').waitFor()
    await shoot(page, 'gateway-read-as')
  })

  await check('a request is asked again only when the button is pressed', async (page) => {
    await openNewest(page, lab)
    const before = page.url()
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.waitForURL((url) => url.href !== before)
    await page.getByRole('heading', { name: /kimi-k2/ }).waitFor()
    await page.locator('.source-row .k-name').first().waitFor()
    await page.getByRole('link', { name: 'Exchanges' }).first().click()
    await rowsOf(page).first().getByText('dragoman-inspector').waitFor()
  })

  await check('an exchange that is still running grows while one looks', async (page) => {
    const { asked, early } = await openRunning(page, lab)
    // What has not ended is not broken off.
    expectSame(await page.locator('.said-one').count(), 0)
    await shoot(page, 'gateway-running')
    expectSame((await faultsIn(page)).join('\n'), '')
    await asked
    await page.locator('.source-row .k-name').first().waitFor()
    expectBelow(early.length, (await page.locator('.source').innerText()).length, 'characters at first')
  })

  await check('a recording is downloaded, and opened without a gateway', async (page) => {
    await openNewest(page, lab)
    const download = page.waitForEvent('download')
    await page.getByText('Download', { exact: false }).first().click()
    expectHolds(readFileSync(await (await download).path(), 'utf8'), [
      '"dragomanRecording": 1',
      'get_weather',
    ])
    await page.goto(await lab.inspectRecordings())
    await rowsOf(page).first().click()
    await page.locator('.source-row .k-name').first().waitFor()
    // Nobody wrote down when its chunks came: what the client got is found all the same.
    await page.locator('.source-row .k-name').first().hover()
    await page.locator('.chunk-row .k-name.is-hovered').waitFor()
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
    'a session that has ended is asked for anew, whatever is looked at',
    async (page) => {
      await page.goto(lab.locked)
      await page.getByLabel('Key').fill(inspectorKey)
      await page.keyboard.press('Enter')
      await page.getByText('live').first().waitFor()
      await page.context().clearCookies()
      await page.goto(`${lab.locked}#/exchanges/any`)
      await page.getByRole('heading', { name: 'Enter a key to see exchanges' }).waitFor()
      await page.getByText('locked').waitFor()
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
      // What the one before it knew, this one has forgotten.
      await rowsOf(page).getByText('kimi-k2').first().waitFor({ state: 'detached' })
      await second.ask('qwen3-coder')
      await rowsOf(page).getByText('qwen3-coder').first().waitFor()
      await rowsOf(page).first().click()
      await page.locator('.source-row').first().waitFor()
      await second.stop()
      await page.getByText('The gateway does not answer', { exact: false }).waitFor()
      expectHolds(await page.locator('.source').innerText(), ['get_weather'])
      await page.getByRole('button', { name: 'Ask again' }).click()
      await page.locator('.actions').getByText('The gateway does not answer.').waitFor()
      await lab.startAt(new URL(first.page).port)
      await page.getByText('No such exchange', { exact: false }).waitFor()
      expectHolds(await page.locator('.source').innerText(), ['get_weather'])
    },
    { expectedErrors: /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED|net::ERR|404/ },
  )

  await check(
    'a proxy that answers in the place of the gateway is not taken for its end',
    async (page) => {
      let isAway = false
      const away = { status: 502, contentType: 'text/html', body: '<h1>Bad gateway</h1>' }
      await page.route('**/api/v1/**', (route) => (isAway ? route.fulfill(away) : route.fallback()))
      // The stream of changes ends at once, so that the page asks for it again.
      await page.route('**/api/v1/changes', (route) =>
        route.fulfill(isAway ? away : { contentType: 'text/event-stream', body: 'retry: 100\n\n' }),
      )
      await page.goto(lab.open)
      await rowsOf(page).first().waitFor()
      isAway = true
      await page.getByText('The gateway does not answer', { exact: false }).waitFor()
      await page.waitForTimeout(1000)
      await page.unroute('**/api/v1/changes')
      isAway = false
      await page.getByText('The gateway does not answer', { exact: false }).waitFor({ state: 'detached' })
      await lab.ask('glm-4.5')
      await rowsOf(page).getByText('glm-4.5').first().waitFor()
    },
    { expectedErrors: /502|MIME type/ },
  )

  await check('a request in which no model could be found has a heading and a reason', async (page) => {
    const headers = { 'content-type': 'application/json' }
    await fetch(new URL('/v1/chat/completions', lab.open), {
      method: 'POST',
      headers,
      body: '{"messages":1}',
    })
    await page.goto(lab.open)
    await rowsOf(page).filter({ hasText: 'failed' }).first().click()
    await page.getByRole('heading', { name: 'No model is known' }).waitFor()
    await page.getByText('invalid_request').first().waitFor()
    expectSame((await faultsIn(page)).join('\n'), '')
  })

  await check('a request that is not JSON is shown as it came', async (page) => {
    const headers = { 'content-type': 'application/json' }
    await fetch(new URL('/v1/chat/completions', lab.open), { method: 'POST', headers, body: '{"model": <b>' })
    await page.goto(lab.open)
    await rowsOf(page).filter({ hasText: 'failed' }).first().click()
    await page.getByText('No upstream was asked.').waitFor()
    await page.getByRole('tab', { name: 'Asked' }).click()
    const asked = page.getByRole('region', { name: 'Client asked' })
    await asked.locator('.chunk-row').waitFor()
    expectHolds(await asked.innerText(), ['openai-chat · not JSON', '{"model": <b>'])
    expectSame((await faultsIn(page)).join('\n'), '')
  })

  await check('calls that came as data, and errors, are seen in the bytes of the upstream', async (page) => {
    await lab.ask('kimi-k2+structured')
    await openNewest(page, lab)
    await page.getByText('calls came as data').waitFor()
    const said = page.getByRole('region', { name: 'Upstream said', exact: true })
    await said.getByLabel('all bytes').check()
    await said.locator('.chunks').evaluate((box) => box.scrollTo(0, box.scrollHeight))
    await said.getByText('"tool_calls"', { exact: false }).first().waitFor()
    await shoot(page, 'gateway-structured')
    await lab.ask('kimi-k2+500').catch(() => {})
    await page.goto(lab.open)
    await rowsOf(page).filter({ hasText: '+500' }).first().click()
    await said.locator('.chunk-row').first().waitFor()
    expectHolds(await said.innerText(), ['An error, and no answer', '"error"'])
    await shoot(page, 'gateway-error')
  })
}

/**
 * An exchange of the real gateway of which a part is held, while it runs. On a busy machine the answer may be over before the page has
 * opened it: then another is asked for.
 */
async function openRunning(page, lab, attempts = 8) {
  await page.goto(lab.open)
  await rowsOf(page).first().waitFor()
  const rows = await rowsOf(page).count()
  const asked = lab.ask('kimi-k2+char')
  await rowsOf(page).nth(rows).waitFor()
  await rowsOf(page).first().click()
  await page.locator('.source-row').first().waitFor()
  const early = await page.locator('.source').innerText()
  const running = page.getByText('It is still running.')
  const held = page.locator('.source-row .k-held').first()
  await held.or(page.locator('.source-row .k-name').first()).first().waitFor()
  if ((await held.isVisible()) && (await running.isVisible())) return { asked, early }
  await asked
  if (attempts === 1) throw new Error('No exchange was seen running, with a part of it held.')
  return openRunning(page, lab, attempts - 1)
}

/** The newest exchange of the real gateway. */
async function openNewest(page, lab) {
  await page.goto(lab.open)
  await rowsOf(page).first().click()
  await page.locator('.source-row').first().waitFor()
}

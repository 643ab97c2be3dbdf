// One exchange of the made-up ones: its stages, what links them, and what can be done with it.
import { readFileSync } from 'node:fs'
import { choose, expectHolds, expectSame } from './page.mjs'

export async function checkOneExchange({ check, shoot, open }) {
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

  await check('arrow keys walk from span to span, and show the event and the bytes of each', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.locator('.source-rows').focus()
    for (const kind of ['reasoning', 'text', 'name', 'arguments']) {
      await page.keyboard.press('ArrowRight')
      await page.locator(`.source-row .k-${kind}.is-chosen`).first().waitFor()
      await page.locator(`.chunk-row .k-${kind}.is-chosen`).first().waitFor()
    }
    // The card of a call is marked whichever part of the call one looks at.
    await page.locator('.call.is-hovered').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('.source-row .k-repaired.is-chosen').first().waitFor()
    await page.locator('.chunk-row.is-focused .k-arguments').first().waitFor()
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.locator('.source-row .k-name.is-chosen').first().waitFor()
    await page.keyboard.press('Escape')
    expectSame(await page.locator('.is-chosen').count(), 0)
    await page.keyboard.press('j')
    await page.waitForURL(/qwen-broken/)
  })

  await check('what the client got is shown by what it says, or with every byte of it', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.locator('.chunk-row .k-reasoning').first().waitFor()
    const rows = page.locator('.chunk-row')
    expectSame((await page.locator('.bytes').innerText()).includes('event: content_block_delta'), false)
    await page.getByRole('region', { name: 'Client got' }).getByLabel('all bytes').check()
    await page.getByText('event: message_start').waitFor()
    const parts = await rows.locator('.chunk-text').allInnerTexts()
    expectHolds(parts.join(''), ['"content_block":{"type":"thinking"', '"thinking_delta"'])
    await shoot(page, 'all-bytes')
  })

  await check('the two requests stand side by side, with notes at their fields', async (page) => {
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('tab', { name: 'Asked' }).click()
    await page.locator('.json-line .badge-dropped').first().waitFor()
    expectHolds(await page.getByLabel('Client asked').first().innerText(), [
      'dropped cache_control The upstream is not known to understand it.',
      '→ messages[0].content',
    ])
    expectHolds(await page.getByLabel('Upstream was asked').first().innerText(), ['← system[0].text'])
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
    await page.getByText('Other events than before').waitFor()
    await shoot(page, 'read-as')
  })

  await check('a request is copied without a key, asked again, and made a test of', async (page) => {
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await open(page, '#/exchanges/kimi-call')
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied, without a key.').waitFor()
    const command = await page.evaluate(() => navigator.clipboard.readText())
    expectHolds(command, ['curl -N', '/v1/messages', '$DRAGOMAN_API_KEY', '"get_weather"'])
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Make a test', exact: true }).click()
    expectHolds(readFileSync(await (await download).path(), 'utf8'), [
      '```options',
      'call-start 0 get_weather',
    ])
    const inJson = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Make a test in JSON' }).click()
    const made = JSON.parse(readFileSync(await (await inJson).path(), 'utf8'))
    expectSame(made.events.filter(({ type }) => type === 'call-start').length, 2)
    await page.getByRole('button', { name: 'Ask again' }).click()
    await page.waitForURL(/again-/)
    await page.getByRole('heading', { name: /claude-sonnet/ }).waitFor()
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

  await check('a problem stands where it happened', async (page) => {
    await open(page, '#/exchanges/qwen-broken')
    await page.locator('.point-problem').first().click()
    await page.locator('.said-one[aria-pressed=true]').waitFor()
    // Each with its own sentence, and with what its code means in docs/problems.md.
    expectHolds(await page.locator('.said-one').nth(2).innerText(), [
      'The model called "forecast", which was not offered.',
      'The call is passed on so that the client can say so.',
    ])
    await page.locator('.said-one').last().click()
    expectHolds((await page.locator('.has-problem.is-chosen').allInnerTexts()).join(''), [
      '<tool_call>',
      'Lyon',
    ])
  })

  await check(
    'an exchange that is gone says so',
    async (page) => {
      await open(page, '#/exchanges/nobody')
      await page.getByText('No such exchange').waitFor()
    },
    { expectedErrors: /404/ },
  )
}

// The workbench, with a gateway and as a folder on any server.
import { choose, expectHolds, expectSame, paste } from './page.mjs'

export async function checkWorkbench({ check, shoot, open, folder }) {
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
    await page.getByText('Held: <too · It may become a marker.').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.getByText('Held: <tool · It may become a marker.').waitFor()
    await shoot(page, 'workbench-held')
    await page.getByRole('button', { name: 'End' }).click()
    await page.getByText('All 60 characters').waitFor()
  })

  await check('a button shows that every chunking gives the same', async (page) => {
    await open(page, '#/workbench')
    await page.getByRole('button', { name: 'kimi', exact: true }).click()
    await page.getByRole('button', { name: 'Try every chunking' }).click()
    await page.getByText(/\d+ ways to cut it, one result\./).waitFor()
  })

  await check('a link holds the whole state of the workbench', async (page) => {
    await open(page, '#/workbench')
    await paste(page, 'Hi. <tool_call>')
    await choose(page, 'Format', 'hermes')
    await choose(page, 'Ended by', 'length')
    await page.getByLabel('How much of the text has come').fill('5')
    await page.waitForFunction(() => location.hash.length > 60)
    // It is written once nothing has changed for a moment, which on a busy machine may be in the midst of all this.
    for (let address = ''; address !== page.url();) {
      address = page.url()
      await page.waitForTimeout(1000)
    }
    const other = await page.context().newPage()
    await other.goto(page.url())
    await other.getByText('Held: <').waitFor()
    expectSame(await other.getByRole('combobox', { name: 'Format' }).inputValue(), 'hermes')
    expectSame(await other.getByRole('combobox', { name: 'Ended by' }).inputValue(), 'length')
    expectSame(await other.locator('.input-text').inputValue(), 'Hi. <tool_call>')
  })

  await check(
    'a link is copied where the page comes without TLS from another machine, too',
    async (page) => {
      await page.route('http://another.test/**', async (route) => {
        const { pathname } = new URL(route.request().url())
        await route.fulfill({ response: await route.fetch({ url: new URL(pathname, folder.url).href }) })
      })
      await page.goto('http://another.test/inspector/#/workbench')
      expectSame(await page.evaluate(() => isSecureContext), false)
      await paste(page, 'Hi.')
      await page.getByRole('button', { name: 'Copy link' }).click()
      await page.getByRole('button', { name: 'Copied' }).waitFor()
      await page.locator('.field-wide textarea').focus()
      await page.keyboard.press('Control+V')
      const pasted = await page.locator('.field-wide textarea').inputValue()
      expectHolds(pasted, ['http://another.test/inspector/#/workbench/'])
    },
    { expectedErrors: /404/ },
  )

  await check(
    'without a gateway the folder is a workbench',
    async (page) => {
      await page.goto(folder.url)
      await page.waitForURL(/#\/workbench/)
      await page.getByRole('heading', { name: 'Read what a model wrote' }).waitFor()
      await shoot(page, 'welcome')
      await page.getByRole('link', { name: 'Exchanges' }).click()
      await page.getByRole('heading', { name: 'No gateway serves this page' }).waitFor()
      await shoot(page, 'no-gateway')
    },
    { expectedErrors: /404/ },
  )
}

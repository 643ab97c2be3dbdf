// The list of exchanges: its keys, and that it grows by itself.
import { choose, expectSame, rowsOf } from './page.mjs'

export async function checkList({ check, open, server }) {
  await check('the list is walked by keys alone: /, j, k, Enter, Esc', async (page) => {
    await open(page, '')
    await rowsOf(page).first().waitFor()
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

  await check('the list is filtered by model, upstream and state, and to what has problems', async (page) => {
    await open(page, '')
    await page.getByText(/10,00\d exchanges/).waitFor()
    await choose(page, 'Model', 'glm-model')
    await choose(page, 'Upstream', 'openrouter')
    const shown = await rowsOf(page).allInnerTexts()
    expectSame(
      shown.every((text) => text.includes('glm-model')),
      true,
    )
    await choose(page, 'State', 'failed')
    expectSame(await rowsOf(page).locator('.badge-bad').count(), await rowsOf(page).count())
    await page.getByLabel('with problems').check()
    await page.getByLabel('Filter by text').fill('no such word')
    await page.getByText('Nothing fits the filter.').waitFor()
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText(/10,00\d exchanges/).waitFor()
  })

  await check('a new exchange appears by itself', async (page) => {
    await open(page, '')
    const id = server.addExchange()
    await page.locator(`#exchange-${id}`).waitFor()
  })
}

// The list of exchanges: its keys, and that it grows by itself.
import { choose, expectBelow, expectSame, rowsOf } from './page.mjs'

export async function checkList({ check, open, server }) {
  await check('the list is walked by keys alone: /, j, k, Enter, Esc', async (page) => {
    await open(page, '')
    await rowsOf(page).first().waitFor()
    await page.keyboard.press('/')
    await page.keyboard.type('opencode 502')
    await page.keyboard.press('Escape')
    await page.getByText(/ of 10,0\d\d/).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    const chosen = await page.locator('.exchange-row[aria-selected=true]').getAttribute('id')
    await page.keyboard.press('Enter')
    await page.waitForURL(new RegExp(`#/exchanges/${chosen?.replace('exchange-', '')}$`))
    await page.getByRole('tab', { name: 'Answered' }).waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(/#\/exchanges$/)
    await page.locator(`#${chosen}[aria-selected=true]`).waitFor()
  })

  await check('what one reads in the list stays where it is while new exchanges come', async (page) => {
    await open(page, '')
    await page.getByText(/10,0\d\d exchanges/).waitFor()
    await page.keyboard.press('j')
    const list = page.locator('.exchange-list')
    await list.evaluate((box) => box.scrollTo(0, 3600))
    // The row in the middle, and how far down it stands.
    const read = () =>
      list.evaluate((box) => {
        const { left, top } = box.getBoundingClientRect()
        const row = document.elementFromPoint(left + 200, top + 300)?.closest('[role=option]')
        return `${row?.id} at ${Math.round(row?.getBoundingClientRect().top ?? 0)}`
      })
    await page.waitForTimeout(100)
    const before = await read()
    const height = await list.evaluate((box) => box.scrollHeight)
    for (let count = 0; count < 3; count++) server.addExchange()
    await page.waitForFunction((was) => document.querySelector('.exchange-list').scrollHeight > was, height)
    expectSame(await read(), before)
    // Who looks at the newest goes on doing so.
    await list.evaluate((box) => box.scrollTo(0, 0))
    await page.locator(`#exchange-${server.addExchange()}`).waitFor()
    expectSame(await list.evaluate((box) => box.scrollTop), 0)
  })

  await check('while the list is being loaded, the page does not say that it is empty', async (page) => {
    const waiting = []
    let isHeld = true
    await page.route('**/api/v1/exchanges?*', (route) => (isHeld ? waiting.push(route) : route.continue()))
    await open(page, '')
    await page.getByText('Loading…').waitFor()
    await page.waitForTimeout(300)
    expectSame(await page.getByRole('heading', { name: 'Nothing has gone through yet' }).count(), 0)
    isHeld = false
    for (const route of waiting) await route.continue()
    await rowsOf(page).first().waitFor()
  })

  await check('the list is filtered by model, upstream and state, and to what has problems', async (page) => {
    await open(page, '')
    await page.getByText(/10,0\d\d exchanges/).waitFor()
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
    await page.getByText(/10,0\d\d exchanges/).waitFor()
  })

  await check('in a window of any width the list shows what went wrong', async (page) => {
    await open(page, '')
    await rowsOf(page).first().waitFor()
    for (const width of [1200, 1024, 901, 800]) {
      await page.setViewportSize({ width, height: 800 })
      await page.waitForTimeout(100)
      const hidden = await page
        .locator('.exchange-list')
        .evaluate((list) => list.scrollWidth - list.clientWidth)
      expectBelow(hidden, 1, `pixels beyond the edge of ${width}`)
    }
  })

  await check('a new exchange appears by itself', async (page) => {
    await open(page, '')
    const id = server.addExchange()
    await page.locator(`#exchange-${id}`).waitFor()
  })
}

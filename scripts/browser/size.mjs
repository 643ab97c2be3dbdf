// Much of everything: the page must stay quick.
import { expectBelow, expectHolds, rowsOf } from './page.mjs'

export async function checkSize({ check, shoot, open, server }) {
  await check('ten thousand exchanges are a list of which some fifty are drawn', async (page) => {
    await open(page, '')
    await page.getByText(/10,0\d\d exchanges/).waitFor()
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

  await check(
    'a hundred thousand chunks and events, of four megabytes, do not freeze the page',
    async (page) => {
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
      expectHolds(await page.getByRole('tab', { name: /^Events/ }).innerText(), ['124,999'])
      await page.locator('.events').evaluate((list) => list.scrollTo(0, list.scrollHeight))
      await page.waitForTimeout(300)
      expectBelow(await page.locator('.event').count(), 120, 'events drawn')
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.locator('.arrival').first().waitFor()
      expectBelow(await page.evaluate(() => window.longest), 3000, 'ms without an answer to the user')
    },
  )

  await check('a page that stays open while thousands go through does not grow', async (page) => {
    await open(page, '')
    await rowsOf(page).first().waitFor()
    const nodes = () => page.evaluate(() => document.querySelectorAll('*').length)
    const before = await nodes()
    let last = ''
    for (let round = 0; round < 20; round++) {
      for (let count = 0; count < 100; count++) last = server.addExchange()
      await page.waitForTimeout(20)
    }
    await page.locator(`#exchange-${last}`).waitFor()
    expectBelow(Math.abs((await nodes()) - before), 200, 'more parts of the page')
  })
}

// Every view in light and dark, on a desk and on a telephone: what axe finds, what is too wide, and pictures.
import { desktop, phone } from './checks.mjs'
import { expectBelow, expectSame, faultsIn } from './page.mjs'

export async function checkLooks({ check, shoot, open }) {
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
      { colorScheme, viewport: { width: 1200, height: 528 } },
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

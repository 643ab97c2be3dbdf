// The list of exchanges: its keys, and that it grows by itself.

export async function checkList({ check, open, server }) {
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
}

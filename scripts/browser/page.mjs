// What the checks do with a page, and what they expect of it.
import axe from 'axe-core'

/** The lines of the list, without its head. */
export function rowsOf(page) {
  return page.locator('.exchange-row[role=option]')
}

export async function paste(page, text) {
  await page.locator('.input-text').fill(text)
}

export async function choose(page, label, value) {
  await page.getByRole('combobox', { name: label, exact: true }).selectOption(value)
}

/** The policy forbids a script of ours as of anybody: it is given by the debugger. */
export async function faultsIn(page) {
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

export function expectSame(found, expected) {
  if (found !== expected) throw new Error(`${JSON.stringify(found)} is not ${JSON.stringify(expected)}`)
}

export function expectHolds(text, parts) {
  const missing = parts.filter((part) => !text.includes(part))
  if (missing.length > 0) throw new Error(`${JSON.stringify(text.slice(0, 400))} lacks ${missing.join(', ')}`)
}

export function expectBelow(found, limit, what) {
  if (found >= limit) throw new Error(`${Math.round(found)} ${what}; at most ${limit}`)
}

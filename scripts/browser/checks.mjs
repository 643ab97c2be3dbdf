// Runs one check after the other, each on a page of its own, and tells how it went.
import { join } from 'node:path'

export const desktop = { width: 1280, height: 800 }
export const phone = { width: 390, height: 844 }

/** `only`: checks whose title holds this text. `shots`: the folder for pictures, where they are wanted. */
export function createChecks({ browser, only, shots }) {
  const failures = []

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

  async function shoot(page, name) {
    if (shots !== undefined) await page.screenshot({ path: join(shots, `${name}.png`) })
  }

  return { check, shoot, failures }
}

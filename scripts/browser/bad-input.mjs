// What may go wrong with what the page is given, and what a new user meets first.
import { execFile } from 'node:child_process'
import { expectHolds, faultsIn, expectSame, rowsOf } from './page.mjs'

export async function checkBadInput({ check, shoot, lab }) {
  await check(
    'what is printed at the start is enough to see a call, and why another is none',
    async (page) => {
      const fresh = await lab.startFresh()
      await page.goto(fresh.page)
      await page.getByRole('heading', { name: 'Nothing has gone through yet' }).waitFor()
      await shoot(page, 'empty')
      expectSame((await faultsIn(page)).join('\n'), '')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy' }).first().click()
      await inShell(await page.evaluate(() => navigator.clipboard.readText()))
      await rowsOf(page).first().getByText('tool-calls').waitFor()
      await inShell(fresh.command)
      await rowsOf(page).first().getByText('kimi-k2').first().waitFor()
      await inShell(fresh.command.replace('"kimi-k2"', '"kimi-k2+length"'))
      const broken = rowsOf(page).filter({ hasText: 'kimi-k2+length' })
      await broken.getByText('1 problem').waitFor()
      await broken.click()
      await page.locator('.said-one').getByText('truncated-call', { exact: false }).waitFor()
      expectHolds(await page.locator('.outcome').innerText(), [
        'No tool call',
        'The output ended inside a call',
      ])
      await page.locator('.point-problem').first().waitFor()
      await shoot(page, 'gateway-broken')
    },
  )

  await check(
    'a model that writes scripts and control characters is shown by a gateway as what it wrote',
    async (page) => {
      const dialogs = []
      page.on('dialog', (dialog) => {
        dialogs.push(dialog.message())
        void dialog.dismiss()
      })
      const response = await page.goto(await lab.startHostile())
      const policy = response.headers()['content-security-policy'] ?? ''
      expectHolds(policy, ["default-src 'none'", "script-src 'self'", "style-src 'self'"])
      expectSame(/unsafe|\*|https?:/.test(policy), false)
      expectHolds(await rowsOf(page).first().innerText(), [
        '<script>document.title=1</script>',
        '<b>evil</b>/1',
      ])
      await rowsOf(page).first().click()
      await page.getByText('<img src=x', { exact: false }).first().waitFor()
      expectHolds(await page.locator('.source').innerText(), ['ESC', 'RLO', 'PDF', 'U+D83D', 'NUL', 'ZWSP'])
      for (const tab of ['Asked', 'Timeline', 'Read it as…', 'Answered']) {
        await page.getByRole('tab', { name: tab }).click()
        await page.waitForTimeout(100)
        expectSame(await page.title(), 'Dragoman inspector')
        expectSame(
          await page.locator('main :is(img, script, iframe, b, svg[onload], a[href^="javascript"])').count(),
          0,
        )
      }
      expectSame(dialogs.join(), '')
      await shoot(page, 'gateway-hostile')
    },
  )

  await check('recordings that are cut, of another layout, or named like a script say so', async (page) => {
    const whole = JSON.stringify(recordingOf('data: {"choices":[{"index":0,"delta":{"content":"Hi."}}]}\n\n'))
    const evil = "<img src=x onerror=document.title='hacked'>.json"
    await page.goto(
      await lab.inspectFiles({
        'cut.json': whole.slice(0, -60),
        'newer.json': whole.replace('"dragomanRecording":1', '"dragomanRecording":7'),
        [evil]: whole,
      }),
    )
    await rowsOf(page).nth(2).waitFor()
    for (const [name, sentence] of [
      ['cut.json', 'The file is cut off'],
      ['newer.json', 'The recording has the layout 7; this version reads 1.'],
      [evil, 'Hi.'],
    ]) {
      await page.goto(`${page.url().replace(/#.*/, '')}#/exchanges/${encodeURIComponent(name)}`)
      await page.getByText(sentence, { exact: false }).first().waitFor()
      await page.getByText('Hi.').first().waitFor()
    }
    expectHolds(await page.locator('.crumbs').innerText(), ['<img src=x'])
    // No gateway is here that the command could ask.
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    await page.getByText('Copied, without a key', { exact: false }).waitFor()
    expectHolds(await page.evaluate(() => navigator.clipboard.readText()), [':12377/v1/chat/completions'])
    expectSame(await page.title(), 'Dragoman inspector')
    expectSame(await page.locator('main img').count(), 0)
    await shoot(page, 'recording-evil')
    await page.getByRole('link', { name: 'Exchanges' }).first().click()
    await rowsOf(page).getByText('newer.json').waitFor()
  })

  await check(
    'an address that is cut in the middle of an escape says that there is no such exchange',
    async (page) => {
      await page.goto(`${lab.open}#/exchanges/%E0%A4`)
      await page.getByText('No such exchange', { exact: false }).waitFor()
    },
    { expectedErrors: /404/ },
  )

  await check('where several processes serve, the page says that it knows one of them', async (page) => {
    await page.goto(await lab.startWorkers())
    await page.getByText('Several processes serve here', { exact: false }).waitFor()
    await shoot(page, 'workers')
  })
}

function recordingOf(said) {
  const exchange = { dialect: 'openai-chat', status: 200, request: '{"model":"m"}' }
  return {
    dragomanRecording: 1,
    requestId: 'r',
    time: '2026-03-04T05:06:07.008Z',
    upstream: { ...exchange, name: 'lab', model: 'm', format: 'kimi', reading: {}, response: said },
    client: { ...exchange, response: 'x'.repeat(100) },
  }
}

/** As a user does who copies a line into a shell. */
function inShell(command) {
  return new Promise((resolve, reject) => {
    execFile('bash', ['-c', command], (error) => (error === null ? resolve() : reject(error)))
  })
}

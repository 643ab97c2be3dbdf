import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'

const page = fileURLToPath(new URL('../../gateway/dist/inspector', import.meta.url))
const sources = fileURLToPath(new URL('../src', import.meta.url))

function read(folder: string): { name: string; text: string }[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.\w+$/.test(name))
    .map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }))
}

describe('the built page', () => {
  const files = read(page).filter(({ name }) => !name.endsWith('.LICENSE'))

  it('takes at most 120 kB on its way, the parser included', () => {
    const sizes = files.map(({ name, text }) => ({ name, bytes: gzipSync(text, { level: 9 }).length }))
    const whole = sizes.reduce((sum, { bytes }) => sum + bytes, 0)
    expect(whole, sizes.map(({ name, bytes }) => `${name}: ${bytes}`).join(', ')).toBeLessThan(120_000)
  })

  it('has no script and no style inside of its HTML', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text ?? ''
    expect(html).toContain('<script type="module"')
    expect(html).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=|javascript:|data:/i)
  })

  it('loads nothing from elsewhere', () => {
    const html = files.find(({ name }) => name === 'index.html')?.text ?? ''
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//)
    const css = files.find(({ name }) => name.endsWith('.css'))?.text ?? ''
    expect(css).not.toMatch(/url\(|@import/)
  })
})

it('no source makes markup or code of a text', () => {
  const words =
    /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|srcdoc|DOMParser/
  expect(
    read(sources)
      .filter(({ text }) => words.test(text))
      .map(({ name }) => name),
  ).toEqual([])
})

it.each(['light', 'dark'])('the README has a picture of the page, %s, which loads quickly', (scheme) => {
  const root = new URL('../../../', import.meta.url)
  const path = `docs/images/inspector-${scheme}.png`
  expect(readFileSync(new URL('README.md', root), 'utf8')).toContain(path)
  expect(statSync(new URL(path, root)).size).toBeLessThan(150_000)
})

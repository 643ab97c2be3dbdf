import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dialectIds, formatIds, problemCodes, repairCodes } from '@dragoman/core'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../src', import.meta.url))

/** Who may know whom. A folder always knows itself. What draws knows what is drawn, and never the other way round. */
const arrows: Readonly<Record<string, readonly string[]>> = {
  'api.ts': [],
  reading: ['model/json.ts', '@dragoman/core'],
  model: ['api.ts', 'reading', '@preact/signals'],
  view: ['api.ts', 'model', 'reading', 'icon.svg', 'preact', 'preact/hooks', '@preact/signals'],
  'main.tsx': ['view', 'preact'],
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(/^(?:import|export|\}) ?.*?\bfrom '([^']+)'/gm)].map(([, name = '']) =>
    name.startsWith('.') ? normalize(join(dirname(file), name)) : name,
  )
}

describe('the parts of the page know only what they may', () => {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.tsx?$/.test(file),
  )

  it.each(files)('%s', (file) => {
    const zone = Object.keys(arrows).find((name) => file === name || file.startsWith(`${name}/`)) ?? ''
    const known = [zone, ...(arrows[zone] ?? [])]
    const foreign = importsOf(file).filter(
      (name) => !known.some((each) => name === each || name.startsWith(`${each}/`)),
    )
    expect(foreign).toEqual([])
  })

  it('only the worker takes the parser along: what is drawn must not load it too', () => {
    const withCore = files.filter((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return /^import (?!type )[^;]*?from '@dragoman\/core'/m.test(text)
    })
    expect(withCore.every((file) => file.startsWith('reading/'))).toBe(true)
  })

  it('no file names a dialect, a format, a problem or a repair: what there is, core and the gateway tell', () => {
    const names = [...dialectIds, ...formatIds, ...Object.keys(problemCodes), ...Object.keys(repairCodes)]
    // That of calls which came structured belongs to no family of models: what a client got is read by it.
    const unnamed = names.filter((name) => name !== 'standard')
    const named = files.flatMap((file) => {
      const text = readFileSync(join(root, file), 'utf8')
      return unnamed.filter((name) => text.includes(`'${name}'`)).map((name) => `${file}: ${name}`)
    })
    expect(named).toEqual([])
  })
})

import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { configJsonSchema, configKeys } from '../../src/config/json-schema.ts'

const read = (path: string): Promise<string> => readFile(new URL(path, import.meta.url), 'utf8')

describe('the JSON schema in the package', () => {
  it('is the one of the code; "node scripts/write-config-schema.mjs" writes it', async () => {
    expect(JSON.parse(await read('../../config.schema.json'))).toEqual(configJsonSchema())
  })

  it('refuses unknown keys in every section', () => {
    const open = configKeys()
      .filter(({ path }) => path.endsWith('.*'))
      .map(({ path }) => path)
    expect(open.filter((path) => !path.startsWith('formats.'))).toEqual([
      'prices.*',
      'upstreams.*',
      'upstreams.*.headers.*',
      'upstreams.*.body.*',
    ])
  })
})

describe('docs/configuration.md', () => {
  it('names every key of the schema', async () => {
    const text = await read('../../../../docs/configuration.md')
    const documented = new Set([...text.matchAll(/`([\w.*[\]]+)`/g)].map(([, key]) => key))
    const wanted = configKeys()
      .map(({ path }) => path.replace(/^formats\.(?!overrides)[\w-]+/, 'formats.*'))
      .filter((path) => !path.endsWith('.*') || path === 'formats.*' || path === 'upstreams.*')
    expect(wanted.length).toBeGreaterThan(60)
    expect(wanted.filter((path) => !documented.has(path))).toEqual([])
  })

  it('gives the default of every key that has one', async () => {
    const text = await read('../../../../docs/configuration.md')
    for (const { path, default: value } of configKeys()) {
      if (value === undefined || /[*[]|^formats/.test(path) || JSON.stringify(value) === '{}') continue
      const row = text.split('\n').find((line) => line.startsWith(`| \`${path}\` |`))
      const shown = typeof value === 'string' ? value : JSON.stringify(value)
      expect(row, path).toContain(`| \`${shown}\` |`)
    }
  })
})

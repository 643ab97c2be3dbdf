import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readYaml } from '../../src/config/read-yaml.ts'
import { plainValue } from '../../src/config/setting-tree.ts'
import { accepted, refusals } from './fake-world.ts'

describe('a YAML file', () => {
  it('that is broken is reported with line and column, and with nothing else', async () => {
    const errors = await refusals({
      yaml: 'listen:\n  port: [1\nmetrics: true\n',
      flags: { host: '0.0.0.0' },
    })
    expect(errors).not.toHaveLength(0)
    for (const error of errors) expect(error).toMatch(/^dragoman\.yaml:\d+:\d+: [^\n]+$/)
  })

  it('must not name a key twice', async () => {
    expect(await refusals({ yaml: 'metrics: true\nmetrics: false\n' })).toEqual([
      'dragoman.yaml:2:1: Map keys must be unique',
    ])
  })

  it('must be a map', async () => {
    const says = 'the file must be a map of keys, such as "listen:"'
    expect(await refusals({ yaml: '- a\n' })).toEqual([`dragoman.yaml:1:1: ${says}`])
    expect(await refusals({ yaml: 'hello' })).toEqual([`dragoman.yaml:1:1: ${says}`])
  })

  it('may use anchors', async () => {
    const yaml = `
upstreams: { a: { url: "https://a/v1" } }
models:
  - { match: a, upstream: a, timeouts: &slow { idle: 20m } }
  - { match: b, upstream: a, timeouts: *slow }
`
    const { models } = await accepted({ yaml })
    expect(models.map(({ timeouts }) => timeouts.idle)).toEqual([1_200_000, 1_200_000])
  })

  it('cannot hang the program with anchors', () => {
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]']
    for (let level = 1; level < 12; level++) {
      bomb.push(
        `a${level}: &a${level} [${Array(10)
          .fill(`*a${level - 1}`)
          .join(',')}]`,
      )
    }
    expect(readYaml(bomb.join('\n'), 'f').issues).toMatchObject([
      { message: 'is nested too deep or too large' },
    ])
    expect(readYaml('a: &a { b: *a }', 'f').issues.length).toBeGreaterThan(0)
  })

  it('gives back every value of a JSON document', () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof({ maxDepth: 4 }, fc.string(), fc.integer(), fc.boolean(), tie('list'), tie('map')),
      list: fc.array(tie('any'), { maxLength: 4 }),
      map: fc.dictionary(fc.stringMatching(/^[a-z]{1,6}$/), tie('any'), {
        maxKeys: 4,
        noNullPrototype: true,
      }),
    }))
    fc.assert(
      fc.property(value.map, (map) => {
        const { settings, issues } = readYaml(JSON.stringify(map), 'f')
        expect(issues).toEqual([])
        expect(plainValue(settings)).toEqual(map)
      }),
    )
  })

  it('never throws', () => {
    const text = fc.string({
      unit: fc.constantFrom('a', ':', ' ', '\n', '-', '{', '}', '[', ']', '&', '*', '!', '"', '\t', '|', '?'),
    })
    fc.assert(
      fc.property(text, (yaml) => {
        expect(readYaml(yaml, 'f').settings.kind).toBe('map')
      }),
    )
  })
})

describe('variables in a file', () => {
  it('are filled in wherever they stand in a text', async () => {
    expect(await fill('${A}-${B}/x${A}', { A: '1', B: '2' })).toBe('/1-2/x1')
  })

  it('are written out after a second dollar sign', async () => {
    expect(await fill('$${A}')).toBe('/${A}')
    expect(await fill('$A $')).toBe('/$A $')
  })

  it('are not looked for in what they hold', async () => {
    expect(await fill('${A}', { A: '${B}', B: 'no' })).toBe('/${B}')
  })

  it('must be set; the error names them', async () => {
    expect(await refusals({ yaml: 'record:\n  dir: a${GONE}b${AWAY}' })).toEqual([
      'dragoman.yaml:2:8: record.dir: the environment variable GONE is not set',
      'dragoman.yaml:2:8: record.dir: the environment variable AWAY is not set',
    ])
  })

  for (const text of ['${}', '${A B}', '${A:-x}', '${A']) {
    it(`${text} is an error that says how to write it`, async () => {
      expect(await refusals({ yaml: JSON.stringify({ record: { dir: text } }), env: { A: 'x' } })).toEqual([
        `dragoman.yaml:1:18: record.dir: "${text}" names no environment variable; write $\${ for a literal $\{`,
      ])
    })
  }
})

async function fill(text: string, env: Record<string, string> = {}): Promise<string | undefined> {
  return (await accepted({ yaml: JSON.stringify({ record: { dir: `/${text}` } }), env })).record?.dir
}

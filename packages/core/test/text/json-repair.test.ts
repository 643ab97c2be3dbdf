import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { JsonRepair } from '../../src/text/json-repair.ts'
import { DEEPEST, JsonScanner, type JsonStatus } from '../../src/text/json-scanner.ts'
import { inPieces, jsonText, withSlips } from './any-text.ts'

describe('repairs that cannot change what was meant', () => {
  it.each([
    ['a trailing comma in an object goes', '{"a":1,}', '{"a":1}', 'trailing-comma'],
    ['a trailing comma in an array goes, and the space behind it', '[1, \n]', '[1]', 'trailing-comma'],
    ['trailing commas go at every level', '{"a":[1,],}', '{"a":[1]}', 'trailing-comma'],
    ['a raw line break in a string is escaped', '{"a":"x\ny"}', '{"a":"x\\ny"}', 'control-character'],
    ['any raw control character is escaped', '["\u0001\t"]', '["\\u0001\\t"]', 'control-character'],
    ['a raw line break in a key is escaped', '{"a\nb":1}', '{"a\\nb":1}', 'control-character'],
    ['single quotes become double ones', "{'a': 'b'}", '{"a": "b"}', 'python-literal'],
    ['a double quote between single ones is escaped', `['say "hi"']`, '["say \\"hi\\""]', 'python-literal'],
    ['an escaped single quote needs no escape', `["it\\'s"]`, `["it's"]`, 'python-literal'],
    [
      'escapes that JSON knows stay as they are',
      `['\\n\\u00e9\\"\\\\']`,
      '["\\n\\u00e9\\"\\\\"]',
      'python-literal',
    ],
    [
      'the backslash of an escape that JSON does not know stays',
      '["\\$\\d"]',
      '["\\\\$\\\\d"]',
      'invalid-escape',
    ],
    ['so does that of an escape with too few digits', '["\\u00"]', '["\\\\u00"]', 'invalid-escape'],
    [
      'and one in front of a raw line break',
      '["a\\\n"]',
      '["a\\\\\\n"]',
      'invalid-escape',
      'control-character',
    ],
    [
      'a line break between values that is written as an escape goes',
      '{\\n\\t"a":[1\\n, true\\r\\n]}',
      '{"a":[1, true]}',
      'invalid-escape',
    ],
    ["Python's constants become JSON's", '[True, False, None]', '[true, false, null]', 'python-literal'],
    ['a constant can stand alone', 'None ', 'null', 'python-literal'],
    ['a square bracket too many in an object goes', '{"a":{"b":1]}}', '{"a":{"b":1}}', 'surplus-closer'],
    ['square brackets too many go, however many', '{"a":1]]}', '{"a":1}', 'surplus-closer'],
  ])('%s', (_, text, json, ...repairs) => {
    expect(repair([text])).toEqual({ status: 'done', json, repairs, used: text.trimEnd().length })
  })

  it('each kind of repair is told once, in the order of its first use', () => {
    const { json, repairs } = repair([`{'a': True, 'b': 'x\ny', 'c': [None,],}`])
    expect(json).toBe('{"a": true, "b": "x\\ny", "c": [null]}')
    expect(repairs).toEqual(['python-literal', 'control-character', 'trailing-comma'])
  })

  it('what was sound in front of the fault is not touched, and what is sound behind it neither', () => {
    const { json } = repair(['{ "n" : 1.50e+3 , "s":"\\u0041\\/", "t":True , "m" : [ 0.10 ] }'])
    expect(json).toBe('{ "n" : 1.50e+3 , "s":"\\u0041\\/", "t":true , "m" : [ 0.10 ] }')
  })

  it('a value written the Python way means the same afterwards', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.boolean(), (value, hasTrailingCommas) => {
        const { status, json } = repair([`${python(value, hasTrailingCommas)} `])
        expect(status).toBe('done')
        expect(JSON.stringify(JSON.parse(json))).toBe(JSON.stringify(value))
      }),
      { numRuns: 1000 },
    )
  })
})

describe('what is never guessed', () => {
  it.each([
    ['a key without quotes', '{a:1}'],
    ['a missing comma', '{"a":1 "b":2}'],
    ['a missing colon', '{"a" 1}'],
    ['a missing value', '{"a":}'],
    ['two commas', '[1,,2]'],
    ['a word that is no constant', '[nope]'],
    ['a constant in the wrong case', '[NONE]'],
    ['a comment', '[1, /* two */ 2]'],
    ['a number with a leading zero', '[01]'],
    ['half a number', '[1.]'],
    ['half a literal', '[trie]'],
    ['a number that Python knows and JSON does not', '[True, 1_000]'],
    ['a curly bracket in an array, which might be a missing square one', '{"a":[1}'],
    ['a quote that is not ASCII', '{“a”:1}'],
    ['a tuple', "{'a':(1,2)}"],
    ['a very long word', `[True, ${'1'.repeat(401)}]`],
    ['nesting deeper than the scanner allows', `[True,${'['.repeat(DEEPEST)}`],
  ])('%s', (_, text) => {
    const { status, used } = repair([`${text} `])
    expect(status).toBe('stuck')
    expect(used).toBeLessThanOrEqual(text.length)
  })

  it('a string that does not end stays open', () => {
    expect(repair([`{'a': 'b}`]).status).toBe('open')
  })
})

describe('missing closers', () => {
  it.each([
    ['after a value', `{"a":[1,{'b':2`, '{"a":[1,{"b":2}]}', ['python-literal', 'missing-closer']],
    [
      'after a trailing comma',
      `{'a':[1, `,
      '{"a":[1]}',
      ['python-literal', 'trailing-comma', 'missing-closer'],
    ],
    ['after an opening bracket', `{'a':[`, '{"a":[]}', ['python-literal', 'missing-closer']],
  ])('are added %s', (_, text, json, repairs) => {
    // A marker stands behind the text, and its first character ends a number.
    const { sound, repair: open } = readOn([`${text}<`])
    expect(open?.canClose).toBe(true)
    open?.close()
    expect(open?.status).toBe('done')
    expect(sound + open?.take()).toBe(json)
    expect([...(open?.repairs ?? [])]).toEqual(repairs)
  })

  it.each([`{'a'`, `{'a':`, `{'a':'b`, `{'a':True,'b`, `[None,tru`])('cannot be added after %s', (text) => {
    expect(readOn([text]).repair?.canClose).toBe(false)
  })
})

describe('whatever the text', () => {
  it('what is done is JSON, and so is what could be closed', () => {
    let outcomes = 0
    fc.assert(
      fc.property(withSlips(jsonText()), (text) => {
        const { sound, repair: open } = readOn([`${text} `])
        if (open?.status !== 'done' && open?.canClose === true) open.close()
        if (open?.status !== 'done') return
        outcomes++
        expect(() => JSON.parse(sound + open.take())).not.toThrow()
        expect(open.repairs.size).toBeGreaterThan(0)
      }),
      { numRuns: 10_000 },
    )
    expect(outcomes).toBeGreaterThan(100)
  })

  it('the outcome is the same in every chunking', () => {
    fc.assert(
      fc.property(inPieces(withSlips(jsonText())), ({ text, pieces }) => {
        expect(repair(pieces)).toEqual(repair([text]))
        expect(repair(text.split(''))).toEqual(repair([text]))
      }),
      { numRuns: 3000 },
    )
  })
})

function repair(pieces: readonly string[]): {
  status: string
  json: string
  repairs: string[]
  used: number
} {
  const { sound, scanned, repair: open, used } = readOn(pieces)
  return {
    status: open?.status ?? scanned,
    json: sound + (open?.take() ?? ''),
    repairs: [...(open?.repairs ?? [])],
    used,
  }
}

interface Reading {
  /** What the scanner passed and will not have to take back. */
  readonly sound: string
  readonly scanned: JsonStatus
  /** Undefined where the scanner found no fault. */
  readonly repair: JsonRepair | undefined
  readonly used: number
}

/** First the scanner; from the first impossible character on, the repair. */
function readOn(pieces: readonly string[]): Reading {
  const scanner = new JsonScanner()
  let open: JsonRepair | undefined
  let sound = ''
  let tentative = ''
  let used = 0
  for (const piece of pieces) {
    let at = 0
    if (open === undefined) {
      at = scanner.scan(piece, 0)
      const passed = tentative + piece.slice(0, at)
      const from = scanner.tentativeFrom === -1 ? 0 : tentative.length + scanner.tentativeFrom
      const end = scanner.isTentative ? from : passed.length
      sound += passed.slice(0, end)
      tentative = passed.slice(end)
      if (scanner.status === 'broken') open = new JsonRepair(scanner, tentative)
    }
    used += open?.read(piece, at) ?? at
    if (scanner.status === 'done') break
  }
  return { sound, scanned: scanner.status, repair: open, used }
}

/** The value as `repr` in Python would show it, with raw line breaks in strings. */
function python(value: unknown, hasTrailingCommas: boolean): string {
  const comma = hasTrailingCommas ? ',' : ''
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return `'${value.replaceAll(/['\\]/g, String.raw`\$&`)}'`
  if (Array.isArray(value)) {
    const items = value.map((item) => python(item, hasTrailingCommas))
    return items.length === 0 ? '[]' : `[${items.join(', ')}${comma}]`
  }
  if (typeof value !== 'object') return JSON.stringify(value)
  const members = Object.entries(value).map(
    ([key, member]) => `${python(key, hasTrailingCommas)}: ${python(member, hasTrailingCommas)}`,
  )
  return members.length === 0 ? '{}' : `{${members.join(', ')}${comma}}`
}

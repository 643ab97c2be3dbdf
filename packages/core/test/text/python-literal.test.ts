import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TextWindow } from '../../src/text/text-window.ts'
import { searchFor } from '../../src/text/marker-search.ts'
import { literalJson, PythonLiteral } from '../../src/text/python-literal.ts'

describe('one value as Python writes it', () => {
  const cases: [python: string, json: string][] = [
    [`'a'`, '"a"'],
    [`"it's"`, `"it's"`],
    [`''`, '""'],
    [`"""a "b" 'c'\nd"""`, String.raw`"a \"b\" 'c'\nd"`],
    [`''''''`, '""'],
    [`"""a""""`, String.raw`"a\""`],
    [String.raw`'\x41\u00e9\U0001F600\101\t\\\''`, String.raw`"Aé😀A\t\\'"`],
    [String.raw`'\d\xg\u12'`, String.raw`"\\d\\xg\\u12"`],
    [`'one\\\ntwo'`, '"onetwo"'],
    [String.raw`r'\d\n'`, String.raw`"\\d\\n"`],
    [`b'x'`, '"x"'],
    [`"a" 'b' + f"c"`, '"abc"'],
    [String.raw`'\ud83d\ude00'`, '"😀"'],
    ['True', 'true'],
    ['false', 'false'],
    ['None', 'null'],
    ['null', 'null'],
    ['-5', '-5'],
    ['1.50', '1.50'],
    ['9007199254740993', '9007199254740993'],
    ['007', '7'],
    ['1_000', '1000'],
    ['0xff', '255'],
    ['-0b11', '-3'],
    ['.5', '0.5'],
    ['5.', '5.0'],
    ['+2e3', '2e3'],
    ['[]', '[]'],
    ['[1, [2], "x",]', '[1,[2],"x"]'],
    ['()', '[]'],
    ['(1)', '1'],
    ['(1,)', '[1]'],
    ['((1, 2), 3)', '[[1,2],3]'],
    ['{}', '{}'],
    ['{1, 2}', '[1,2]'],
    [`{'a'}`, '["a"]'],
    ['{[1], 2}', '[[1],2]'],
    [`{'a': {'b': (None,)}, "c": [{}],}`, '{"a":{"b":[null]},"c":[{}]}'],
    [`{1: 'a', None: 'b'}`, '{"1":"a","null":"b"}'],
  ]
  for (const [python, json] of cases) {
    it(`${python} is ${json}`, () => {
      expect(literalJson(python)).toBe(json)
    })
  }

  const broken = [
    'x',
    'nan',
    '1 2',
    '[1 2]',
    '[1',
    `{'a'}}`,
    `{'a': }`,
    `{'a': 1, 'b'}`,
    '{[1]: 2}',
    '(,)',
    '',
    '1j',
    `'a`,
  ]
  for (const text of broken) {
    it(`${JSON.stringify(text)} is none`, () => {
      expect(literalJson(text)).toBeUndefined()
    })
  }

  it('every JSON value is one, too', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(JSON.parse(literalJson(JSON.stringify(value)) ?? '')).toEqual(value)
      }),
    )
  })
})

describe('a value among the arguments of a call', () => {
  const cases: [title: string, text: string, json: string][] = [
    [
      'a quote inside a string that was not escaped',
      `"He said "hi" to me", n=1)`,
      String.raw`"He said \"hi\" to me"`,
    ],
    ['a quotation at the end', `"He said "hi"")`, String.raw`"He said \"hi\""`],
    ['a comma behind a quotation', `"a, "b", c")`, String.raw`"a, \"b\", c"`],
    ['a parenthesis behind a quotation', `"call f("x") now")]`, String.raw`"call f(\"x\") now"`],
    ['an apostrophe in a dictionary', `{'a': 'it's', 'b': 'x'})`, `{"a":"it's","b":"x"}`],
    ['the end marker behind a string', `"x"<end>`, '"x"'],
    ['brackets inside a string', `"a) ] }, b")`, '"a) ] }, b"'],
  ]
  for (const [title, text, json] of cases) {
    it(title, () => {
      for (const size of [1, 2, 3, text.length]) expect(read(text, size)).toEqual({ result: 'done', json })
    })
  }

  it('a string is sent on while it comes in', () => {
    const { input, literal, pieces } = reading()
    for (const chunk of ['"Par', 'is, ', 'Fra']) {
      input.append(chunk)
      literal.read(input)
    }
    expect(pieces.join('')).toBe('"Paris, Fra')
  })

  it('a string that was not closed goes on', () => {
    expect(read('"abc)]', 2)).toEqual({ result: 'more', json: '"abc)]' })
  })
})

function read(text: string, size: number): { result: string; json: string } {
  const { input, literal, pieces } = reading()
  let result = 'more'
  for (let at = 0; at < text.length && result === 'more'; at += size) {
    input.append(text.slice(at, at + size))
    result = literal.read(input)
  }
  input.final = true
  return { result: literal.read(input), json: pieces.join('') }
}

function reading(): { input: TextWindow; literal: PythonLiteral; pieces: string[] } {
  const pieces: string[] = []
  const literal = new PythonLiteral(
    {
      delta: (json) => pieces.push(json),
      holdBack: () => {},
      release: () => '',
      isOver: () => false,
      repair: () => {},
    },
    { ends: searchFor('<end>') },
  )
  return { input: new TextWindow(), literal, pieces }
}

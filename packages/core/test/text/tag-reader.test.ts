import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spelled } from '../../src/text/marker.ts'
import { readTag, type TagShape } from '../../src/text/tag-reader.ts'

const inline: TagShape = { name: 'inline', end: '>' }
const named: TagShape = { name: { attribute: 'name' }, end: '>', attributes: ['type'] }
const token: TagShape = { name: { attribute: 'tool' }, end: '<|sep|>', isEscaped: true }

describe('a tag whose inside is the name', () => {
  it.each([
    ['get_time>', 'get_time', 9],
    [' get_time >', 'get_time', 11],
    ['"get time">', 'get time', 11],
    ["'get'>", 'get', 6],
    ['fs.read-file:2>', 'fs.read-file:2', 15],
    ['"half>', '"half', 6],
    ['">', '"', 2],
  ])('%j names %j', (text, name, end) => {
    expect(readTag(`${text}rest`, 0, inline, false)).toEqual({
      name,
      attributes: new Map(),
      isSelfClosing: false,
      end,
    })
  })

  it('an attribute behind the name is read', () => {
    expect(readTag('run type="x y">', 0, inline, false)).toMatchObject({
      name: 'run',
      attributes: new Map([['type', 'x y']]),
    })
  })

  it('a slash before the end makes it self-closing', () => {
    expect(readTag('run />', 0, inline, false)).toMatchObject({ name: 'run', isSelfClosing: true, end: 6 })
  })

  it.each(['>', ' >', '/>', 'a\nb>', 'a<b>', '""/>'])('%j is no tag', (text) => {
    expect(readTag(text, 0, inline, false)).toBe('bad')
  })
})

describe('a tag with attributes', () => {
  it.each([
    ['name="a b">', { name: 'a b' }],
    ["name='a\"b'>", { name: 'a"b' }],
    [' name = "a" type="string" >', { name: 'a', type: 'string' }],
    ['type=string name=a>', { name: 'a', type: 'string' }],
    ['name="a>b">', { name: 'a>b' }],
    ['name="a" xml:lang="" data-x_y="1">', { name: 'a', 'xml:lang': '', 'data-x_y': '1' }],
    ['name="a" name="b">', { name: 'b' }],
  ])('%j is read', (text, attributes) => {
    const tag = readTag(`${text}rest`, 0, named, false)
    expect(tag).toEqual({
      name: attributes.name,
      attributes: new Map(Object.entries(attributes)),
      isSelfClosing: false,
      end: text.length,
    })
  })

  it('a slash before the end makes it self-closing, quoted value or not', () => {
    expect(readTag('name="a"/>', 0, named, false)).toMatchObject({ name: 'a', isSelfClosing: true, end: 10 })
    expect(readTag('name=a/>', 0, named, false)).toMatchObject({ name: 'a', isSelfClosing: true, end: 8 })
  })

  it('a slash inside a bare value belongs to the value', () => {
    expect(readTag('name=a/b>', 0, named, false)).toMatchObject({ name: 'a/b', isSelfClosing: false })
  })

  it.each(['>', 'type="x">', 'name="">', 'name>', 'name "a">', '="a">', '{"a":1}>'])(
    '%j is no tag',
    (text) => {
      expect(readTag(text, 0, named, false)).toBe('bad')
    },
  )

  it('a tag may end in a token, and its values may be escaped', () => {
    const text = 'tool="a &quot;b&quot; &amp;quot; <c>" index="0"<|sep|>'
    expect(readTag(text, 0, token, false)).toMatchObject({ name: 'a "b" &quot; <c>', end: text.length })
  })

  it('escapes mean nothing where the grammar has none', () => {
    expect(readTag('name="&quot;">', 0, named, false)).toMatchObject({ name: '&quot;' })
  })
})

describe('a tag that is not whole', () => {
  const whole: [string, TagShape][] = [
    ['get_time >', inline],
    ['"get time"/>', inline],
    ['name="a b" type=\'x\' />', named],
    [' name = a type=b>', named],
    ['tool="a" index="0" <|sep|>', token],
    ['tool="a"/<|sep|>', token],
  ]

  it.each(whole)('every prefix of %j asks for more, and is no tag where the stream ends', (text, shape) => {
    for (let length = 0; length < text.length; length++) {
      expect([length, readTag(text.slice(0, length), 0, shape, false)]).toEqual([length, 'more'])
      expect([length, readTag(text.slice(0, length), 0, shape, true)]).toEqual([length, 'bad'])
    }
    expect(readTag(text, 0, shape, false)).toMatchObject({ end: text.length })
  })

  it('is given up when it gets longer than any tag', () => {
    expect(readTag('a'.repeat(1024), 0, inline, false)).toBe('more')
    expect(readTag('a'.repeat(1025), 0, inline, false)).toBe('bad')
    expect(readTag(`name="${'a'.repeat(1018)}`, 0, named, false)).toBe('more')
    expect(readTag(`name="${'a'.repeat(1019)}`, 0, named, false)).toBe('bad')
  })
})

describe('whatever the text', () => {
  const text = fc
    .array(
      fc.constantFrom('name', 'tool', 'x', '=', '"', "'", ' ', '\n', '/', '>', '<', '<|sep|>', '&amp;', '😀'),
      {
        maxLength: 12,
        size: 'max',
      },
    )
    .map((parts) => parts.join(''))

  it('a tag lies inside the text and has a name', () => {
    fc.assert(
      fc.property(text, fc.constantFrom(inline, named, token), fc.nat({ max: 2 }), (whole, shape, at) => {
        const tag = readTag(whole, Math.min(at, whole.length), shape, false)
        if (typeof tag === 'string') return
        expect(tag.name).not.toBe('')
        expect(whole.slice(0, tag.end).endsWith(spelled(shape.end))).toBe(true)
      }),
      { numRuns: 3000 },
    )
  })

  it('what is decided stays decided, whatever comes behind it', () => {
    fc.assert(
      fc.property(text, text, fc.constantFrom(inline, named, token), (start, rest, shape) => {
        const early = readTag(start, 0, shape, false)
        if (early !== 'more') expect(readTag(start + rest, 0, shape, false)).toEqual(early)
      }),
      { numRuns: 5000 },
    )
  })

  it('a tag is the same wherever it stands', () => {
    expect(readTag('<invoke name="a">', 8, named, false)).toEqual({
      name: 'a',
      attributes: new Map([['name', 'a']]),
      isSelfClosing: false,
      end: 17,
    })
  })
})

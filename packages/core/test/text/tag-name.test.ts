import { describe, expect, it } from 'vitest'
import { nameInTag } from '../../src/text/tag-name.ts'
import { readTag, type TagShape } from '../../src/text/tag-reader.ts'

const inline: TagShape = { name: 'inline', end: '>' }
const attribute: TagShape = { name: { attribute: 'name', isOptional: true }, end: '>', isEscaped: true }
const around: TagShape = { name: { around: ['<k>', '</k>'] }, end: '<v>' }
const word: TagShape = { name: 'word', end: '<sep>' }

describe('the name in a tag is found where it is written', () => {
  it.each([
    [inline, 'get>', 'get'],
    [inline, ' "get time" >', 'get time'],
    [inline, 'get />', 'get'],
    [attribute, ' name="get">', 'get'],
    [attribute, " name='get' type=x>", 'get'],
    [attribute, ' type="name=a" name = "get">', 'get'],
    [attribute, ' names="a" name=get>', 'get'],
    [attribute, ' name="a" name="b">', 'b'],
    [attribute, ' name="a &quot;b&quot;">', 'a &quot;b&quot;'],
    [attribute, ' "get">', 'get'],
    [attribute, ' get>', 'get'],
    [attribute, ' name="get"/>', 'get'],
    [around, '<k>k</k><v>', 'k'],
    [around, 'city</k>\n<v>', 'city'],
    [word, '\nget\n<x>', 'get'],
  ])('%j %j', (shape, text, written) => {
    const before = 'ab<'
    const tag = readTag(before + text, before.length, shape, false)
    if (typeof tag === 'string') throw new Error(`It is no tag: ${tag}`)
    const { from, to } = nameInTag(before + text, before.length, shape, tag)
    expect((before + text).slice(from, to)).toBe(written)
  })
})

import { describe, expect, it } from 'vitest'
import { jsonLines, notesElsewhere } from '../../src/model/json-diff.ts'

const marked = (value: unknown, other: unknown): string[] =>
  jsonLines(value, other, [])
    .filter(({ mark }) => mark !== 'same' && mark !== 'inside')
    .map(({ path, mark }) => `${path} ${mark}`)

const of = (...texts: string[]) => ({ messages: texts.map((content) => ({ role: 'user', content })) })

describe('fields of two requests', () => {
  it('are marked where they differ, and only there', () => {
    expect(marked({ a: 1, b: { c: 2, d: 3 }, e: 4 }, { a: 1, b: { c: 5, d: 3 } })).toEqual([
      'b.c changed',
      'e only-here',
    ])
  })

  it('of what only one has, everything inside is marked too', () => {
    expect(marked({ a: { b: [1] } }, {})).toEqual([
      'a only-here',
      'a.b only-here',
      'a.b[0] only-here',
      'a.b only-here',
      'a only-here',
    ])
  })

  it('messages are compared with those that say the same, though one stands before them', () => {
    const messages = [
      { role: 'user', content: 'Hi.' },
      { role: 'user', content: 'And?' },
    ]
    const sent = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
      messages[1],
    ]
    expect(marked({ messages }, { messages: sent })).toEqual(['messages[0].content changed'])
    expect(
      marked({ messages: sent }, { messages }).filter((line) => line.startsWith('messages[0] ')),
    ).not.toEqual([])
  })

  it('a message that says something else is the same one, changed, where those round it are the same', () => {
    expect(marked(of('a', 'b', 'c'), of('a', 'B', 'c'))).toEqual(['messages[1].content changed'])
    expect(marked(of('a'), of('A'))).toEqual(['messages[0].content changed'])
    expect(marked(of('a', 'b'), of('x', 'a', 'y'))).toEqual(['messages[1].content changed'])
    expect(marked(of('a', 'b', 'c'), of('a', 'c'))[0]).toBe('messages[1] only-here')
    expect(marked(of('a', 'b', 'c'), of('a', 'x', 'y', 'c'))).toContain('messages[1].content only-here')
  })

  it('tools are compared by their names, whatever shape they have', () => {
    const asked = [{ name: 'ping' }, { name: 'search' }]
    const sent = [{ type: 'function', function: { name: 'search' } }]
    expect(marked({ tools: asked }, { tools: sent })[0]).toBe('tools[0] only-here')
  })

  it('what is found again in another place was moved, and what holds it differs inside', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } } }
    const asked = { tools: [{ name: 'get_weather', input_schema: schema }], max: 1 }
    const sent = { tools: [{ type: 'function', function: { name: 'get_weather', parameters: schema } }] }
    const moved = jsonLines(asked, sent, []).filter(({ elsewhere }) => elsewhere !== undefined)
    expect(moved.map(({ path, elsewhere }) => `${path} → ${elsewhere}`)).toEqual([
      'tools[0].name → tools[0].function.name',
      'tools[0].input_schema → tools[0].function.parameters',
    ])
    expect(marked(sent, asked).filter((line) => !line.endsWith(' moved'))).toEqual([
      'tools[0].type only-here',
    ])
    expect(marked(asked, sent).at(-1)).toBe('max only-here')
  })

  it('arguments are found again whether they are an object or its text, and a short word is not', () => {
    const asked = { input: { city: 'Oslo' }, role: 'user' }
    const sent = { arguments: '{"city":"Oslo"}', type: 'user' }
    expect(marked(sent, asked)).toEqual(['arguments moved', 'type only-here'])
  })

  it('without another request nothing is marked', () => {
    expect(marked({ a: 1 }, undefined)).toEqual([])
  })
})

describe('a note stands at the field it speaks of', () => {
  const notes = [
    { kind: 'dropped', field: 'thinking', reason: 'a' },
    { kind: 'changed', field: 'messages[1].content', reason: 'b' },
    { kind: 'dropped', field: 'messages.refusal', reason: 'c' },
    { kind: 'dropped', field: 'cache_control', reason: 'd' },
  ] as const
  const value = { thinking: {}, messages: [{ refusal: 'x' }, { content: 'y' }] }
  const lines = jsonLines(value, value, notes)

  it('also where it leaves out the numbers', () => {
    const placed = lines.flatMap((line) => line.notes.map((note) => `${line.path} ${note.reason}`))
    expect(placed).toEqual(['thinking a', 'messages[0].refusal c', 'messages[1].content b'])
  })

  it('also where it names a field that stands somewhere inside', () => {
    const inside = jsonLines({ system: [{ cache_control: {} }], tools: [{ cache_control: {} }] }, {}, notes)
    const placed = inside.flatMap((line) => line.notes.map((note) => `${line.path} ${note.reason}`))
    expect(placed).toEqual(['system[0].cache_control d'])
  })

  it('or above, where no field is meant', () => {
    expect(notesElsewhere(lines, notes).map(({ field }) => field)).toEqual(['cache_control'])
  })
})

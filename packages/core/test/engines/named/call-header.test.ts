import { describe, expect, it } from 'vitest'
import { readHeader, type CallHeader } from '../../../src/engines/named/call-header.ts'
import { ToolSet } from '../../../src/engines/tool-set.ts'

const declared = [
  'search',
  'exec',
  'read_file',
  'fs.read',
  'mcp__git-hub__list',
  'ns:tool',
  'call_center',
  'sha256',
]

describe('a header that is an id', () => {
  it.each([
    ['the id as it should be', 'functions.search:0', 'search'],
    ['a running number of several digits', 'functions.search:128', 'search'],
    ['a name with dots', 'functions.fs.read:0', 'fs.read'],
    ['a name with hyphens and underscores', 'functions.mcp__git-hub__list:2', 'mcp__git-hub__list'],
    ['a name with a colon: the last one counts', 'functions.ns:tool:3', 'ns:tool'],
    ['no prefix', 'search:0', 'search'],
    ['no number', 'functions.search', 'search'],
    ['neither', 'search', 'search'],
    ['no colon', 'functions.exec5', 'exec'],
    ['neither dot nor colon', 'functionsexec5', 'exec'],
    ['punctuation that a client cleaned away', 'functions_read_file_3', 'read_file'],
    ['a declared name that ends in digits', 'functions.sha256:1', 'sha256'],
    ['the same without a number', 'functions.sha256', 'sha256'],
    ['a declared name that looks like an opaque id', 'call_center:0', 'call_center'],
    ['the same alone', 'call_center', 'call_center'],
  ])('%s: %s', (_, header, name) => {
    expect(read(header)).toEqual({ id: header, name })
  })

  it.each([
    ['around it', ' functions.search:0\n', 'functions.search:0'],
    ['between its parts', 'functions . search :\n0', 'functions.search:0'],
    ['in no id at all', ' \n\t', null],
  ])('white space %s is no part of it', (_, header, id) => {
    expect(read(header)).toEqual({ id, name: id === null ? null : 'search' })
  })

  it.each(['functions.unheard:0', 'unheard:0', 'functions.unheard', 'unheard'])(
    'a name that was not declared is kept: %s',
    (header) => {
      expect(read(header)).toEqual({ id: header, name: 'unheard' })
    },
  )

  it.each([
    ['functions.a.b:c:7', 'a.b:c'],
    ['functions.call_me:0', 'call_me'],
    ['functions.deadbeef01', 'deadbeef01'],
    ['functions.exec5', 'exec5'],
    ['functions_read_file_3', 'functions_read_file_3'],
  ])('where no tools are known the name is what stands in front of the number: %s', (header, name) => {
    expect(readHeader(header, { prefix: 'functions.', isId: true }, new ToolSet(undefined))).toEqual({
      id: header,
      name,
    })
  })

  it.each([
    'call_abc123',
    'call-9f8e7d',
    'toolu_01A2b3',
    'fc_68',
    'chatcmpl-tool-5f',
    'tool_0',
    '3',
    '0f8fad5b-d9cb-469f-a165-70867728950e',
    'a3f09b12c4',
  ])('an opaque id holds no name: %s', (header) => {
    expect(read(header)).toEqual({ id: header, name: null })
  })

  it.each(['', 'functions.'])('%j holds no name either', (header) => {
    expect(read(header)).toEqual({ id: header || null, name: null })
  })

  it.each(['deadbeef', 'face', 'callback', 'toolbox', 'fcntl'])(
    'a word that only resembles an opaque id is a name: %s',
    (header) => {
      expect(read(header)).toEqual({ id: header, name: header })
    },
  )

  it('the declared name that takes most of the id wins', () => {
    const steps = new ToolSet([{ name: 'step' }, { name: 'step:1' }, { name: 'step2' }])
    const shape = { prefix: 'functions.', isId: true }
    expect(readHeader('functions.step:1', shape, steps).name).toBe('step:1')
    expect(readHeader('functions.step:2', shape, steps).name).toBe('step')
    expect(readHeader('functions.step2', shape, steps).name).toBe('step2')
    expect(readHeader('functions.step3', shape, steps).name).toBe('step')
  })

  it.each(['__proto__', 'constructor', 'functions.__proto__:0'])('%s is a name like any other', (header) => {
    const { name } = read(header)
    expect(['__proto__', 'constructor']).toContain(name)
  })
})

describe('a header that is a name', () => {
  it('is the name, without the white space around it, and no id', () => {
    expect(readHeader(' get weather\n', {}, tools())).toEqual({ id: null, name: 'get weather' })
  })

  it('may look like an id: it is still the name', () => {
    expect(readHeader('functions.search:0', {}, tools())).toEqual({ id: null, name: 'functions.search:0' })
  })

  it.each(['', ' \n'])('%j holds none', (header) => {
    expect(readHeader(header, {}, tools())).toEqual({ id: null, name: null })
  })
})

function read(header: string): CallHeader {
  return readHeader(header, { prefix: 'functions.', isId: true }, tools())
}

function tools(): ToolSet {
  return new ToolSet(declared.map((name) => ({ name })))
}

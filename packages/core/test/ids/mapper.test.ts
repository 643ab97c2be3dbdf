import { describe, expect, it } from 'vitest'
import { getToolIdStrategy } from '../../src/ids/strategies.ts'
import { ai, call, human, response, tool } from './history.ts'

const kimi = getToolIdStrategy('kimi')

describe('a tool id mapper', () => {
  it('answers for the very block it is given, in any order and as often as it is asked', () => {
    const [first, second] = [call('a'), call('a')]
    const [answerToFirst, answerToSecond] = [response('a'), response('a')]
    const mapper = kimi.createMapper([ai(first), tool(answerToFirst), ai(second), tool(answerToSecond)])
    expect(mapper.resolveToolResponseId(answerToSecond)).toBe('functions.get_weather:1')
    expect(mapper.resolveToolCallId(second)).toBe('functions.get_weather:1')
    expect(mapper.resolveToolCallId(second)).toBe('functions.get_weather:1')
    expect(mapper.resolveToolCallId(first)).toBe('functions.get_weather:0')
    expect(mapper.resolveToolResponseId(answerToFirst)).toBe('functions.get_weather:0')
  })

  it('answers the k-th question about an id for its k-th occurrence, and past the last for the last', () => {
    const turn = [ai(call('a')), tool(response('a'))]
    const mapper = kimi.createMapper([...turn, ...turn])
    const copies = [1, 2, 3]
    expect(copies.map(() => mapper.resolveToolCallId({ id: 'a', name: 'get_weather' }))).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:1',
      'functions.get_weather:1',
    ])
    expect(copies.map(() => mapper.resolveToolResponseId({ callId: 'a', toolName: 'get_weather' }))).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:1',
      'functions.get_weather:1',
    ])
  })

  it('counts the questions about calls and about responses apart', () => {
    const turn = [ai(call('a')), tool(response('a'))]
    const mapper = kimi.createMapper([...turn, ...turn])
    const ids = [1, 2].flatMap(() => [
      mapper.resolveToolCallId({ id: 'a', name: 'get_weather' }),
      mapper.resolveToolResponseId({ callId: 'a', toolName: 'get_weather' }),
    ])
    expect(ids).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:0',
      'functions.get_weather:1',
      'functions.get_weather:1',
    ])
  })

  it('gives each occurrence its own id when one and the same object stands in the history twice', () => {
    const shared = call('a')
    const mapper = kimi.createMapper([ai(shared), human(), ai(shared)])
    expect([mapper.resolveToolCallId(shared), mapper.resolveToolCallId(shared)]).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:1',
    ])
  })

  it('gives a response that is not in the history yet the id of its call', () => {
    const mapper = kimi.createMapper([ai(call('a'), call('b'), call('b'))])
    const ask = (callId: string) => mapper.resolveToolResponseId({ callId, toolName: 'get_weather' })
    expect([ask('a'), ask('b'), ask('b'), ask('b')]).toEqual([
      'functions.get_weather:0',
      'functions.get_weather:1',
      'functions.get_weather:2',
      'functions.get_weather:2',
    ])
  })

  it('treats a call that is not in the history as one that follows it, and its response with it', () => {
    const mapper = kimi.createMapper([ai(call('a')), tool(response('a'))])
    expect(mapper.resolveToolCallId({ id: 'new', name: 'read' })).toBe('functions.read:1')
    expect(mapper.resolveToolCallId({ id: 'new', name: 'read' })).toBe('functions.read:1')
    expect(mapper.resolveToolResponseId({ callId: 'new', toolName: 'read' })).toBe('functions.read:1')
  })

  it('treats a response to nothing that is not in the history as one that follows it', () => {
    const mapper = kimi.createMapper([ai(call('a'))])
    expect(mapper.resolveToolResponseId({ callId: 'lost', toolName: 'read' })).toBe('functions.read:1')
    expect(mapper.resolveToolResponseId({ callId: 'lost', toolName: 'read' })).toBe('functions.read:1')
  })

  it.each(['__proto__', 'constructor', 'toString', ''])('takes "%s" as an id like any other', (id) => {
    const mapper = kimi.createMapper([ai(call('a'), call(id)), tool(response(id))])
    expect(mapper.resolveToolCallId({ id, name: 'get_weather' })).toBe('functions.get_weather:1')
    expect(mapper.resolveToolResponseId({ callId: id, toolName: 'get_weather' })).toBe(
      'functions.get_weather:1',
    )
  })
})

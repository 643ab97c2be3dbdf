import { describe, expect, it } from 'vitest'
import type { ChannelsGrammar } from '../../../src/engines/messages/grammar.ts'
import { type MessageHeader, readMessageHeader } from '../../../src/engines/messages/message-header.ts'
import { ToolSet } from '../../../src/engines/tool-set.ts'

const grammar: ChannelsGrammar = {
  id: 'test',
  messageBegin: ['<|start|>'],
  speakers: ['assistant'],
  channelBegin: ['<|channel|>'],
  typeBegin: ['<|type|>'],
  types: ['json'],
  recipientMark: 'to=',
  toolPrefix: 'functions.',
  builtins: ['python'],
  routes: { analysis: 'reasoning', final: 'content' },
  bodyBegin: ['<|message|>'],
  reasoningBegin: ['<|think|>'],
  contentBegin: [],
  bodyEnd: ['<|end|>'],
  calls: [],
}

const tools = new ToolSet([{ name: 'ping' }, { name: 'two words' }])

describe('the header of a message', () => {
  it('says by its channel what the text is', () => {
    expect(read('<|start|>assistant<|channel|>analysis<|message|>Hm')).toMatchObject({
      channel: 'analysis',
      route: 'reasoning',
      end: '<|start|>assistant<|channel|>analysis<|message|>'.length,
      isSure: true,
    })
    expect(read('<|channel|>final<|message|>')).toMatchObject({ route: 'content' })
    expect(read('<|channel|>other<|message|>')).toMatchObject({ route: 'content', extras: ['other'] })
  })

  it('names a tool with or without the prefix, before or behind the channel', () => {
    const ping = { recipient: { is: 'tool', name: 'ping' }, extras: [] }
    expect(read('<|start|>assistant to=functions.ping<|channel|>final json<|message|>')).toMatchObject(ping)
    expect(read('<|channel|>final to=functions.ping <|type|>json<|message|>')).toMatchObject(ping)
    expect(read('<|channel|>final to=ping json<|message|>')).toMatchObject(ping)
    expect(read('to=functions.ping<|message|>')).toMatchObject(ping)
  })

  it('takes a name of several words only if it was declared', () => {
    expect(read('<|channel|>final to=functions.two words<|message|>')).toMatchObject({
      recipient: { name: 'two words' },
    })
    expect(read('<|channel|>final to=functions.three words<|message|>')).toMatchObject({
      recipient: { name: 'three' },
      extras: ['words'],
    })
  })

  it('leaves the name open where only the prefix stands', () => {
    expect(read('<|channel|>final to=functions<|message|>')).toMatchObject({
      recipient: { is: 'tool', name: null },
    })
  })

  it('tells the tools of a server from those that were offered', () => {
    expect(read('<|channel|>final to=python.run<|message|>')).toMatchObject({
      recipient: { is: 'builtin', name: 'python.run' },
    })
  })

  it('ends behind who speaks as soon as text follows', () => {
    const end = '<|start|>assistant'.length
    expect(read('<|start|>assistantH')).toMatchObject({ end, route: 'content', isSure: false })
    expect(read('<|start|>assistant to b')).toMatchObject({ end })
    expect(read('<|start|>assistant\n')).toMatchObject({ end })
  })

  it.each(['<|start|>', '<|start|>assist', '<|start|>assistant', '<|start|>assistant to', '<|channel|>fin<'])(
    'may go on behind %j',
    (text) => {
      expect(read(text)).toBe('more')
      expect(read(text, true)).not.toBe('more')
    },
  )

  it.each(['<|channel|>is a\ntoken', '<|channel|>{', 'to=a b c d', '<|start|>user <b>'])(
    'is none in %j',
    (text) => {
      expect(read(text)).toBe('no')
    },
  )

  it('a token of its own says what the body is', () => {
    expect(read('<|start|>assistant<|think|>')).toMatchObject({ route: 'reasoning', isSure: true })
  })

  it('a lone beginning of a body says nothing new', () => {
    expect(read('<|message|>')).toMatchObject({ route: undefined, isSure: false })
  })

  it('may lack the beginning of the body where arguments follow a recipient', () => {
    expect(read('<|channel|>final to=ping json{"a":1}')).toMatchObject({
      recipient: { name: 'ping' },
      end: '<|channel|>final to=ping json'.length,
    })
  })

  it('knows no channel by the name of something every object has', () => {
    expect(read('<|channel|>__proto__ to=constructor<|message|>')).toMatchObject({
      route: 'content',
      recipient: { is: 'tool', name: 'constructor' },
    })
  })
})

function read(text: string, final = false): MessageHeader | 'more' | 'no' {
  return readMessageHeader(grammar, tools, text, 0, final)
}

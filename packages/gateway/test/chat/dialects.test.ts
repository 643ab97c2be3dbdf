import { type Content, type DialectId, dialectIds } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { askModel } from '../../src/chat/model/ask-model.ts'
import { chatRequest } from '../../src/chat/model/chat-request.ts'
import { matchModel } from '../../src/config/match-model.ts'
import { createRedactor } from '../../src/security/redact.ts'
import { configFor } from '../server/running-gateway.ts'
import { playing } from '../simulator/playing.ts'
import { openUpstreams } from './open-upstreams.ts'

const question: Content = { speaker: 'human', blocks: [{ type: 'text', text: 'Use list_files.' }] }

/** Talks for one turn: a call, its result, and the answer. Returns all that was said. */
async function turn(dialect: DialectId, model: string): Promise<readonly Content[]> {
  return playing({ strict: true }, async (upstream) => {
    const config = await configFor({ upstream, dialect })
    const upstreams = openUpstreams(config)
    const route = matchModel(config, model)
    if (route === undefined) throw new Error('no route')
    let ids = 0
    const world = { config, upstreams, redact: createRedactor([]), newId: () => String(++ids) }
    const say = async (contents: readonly Content[]): Promise<Content> => {
      const request = chatRequest({ model, contents, usesTools: true, folder: '/project' })
      const { content } = await askModel(request, route, world, () => {}, new AbortController().signal)
      if (content === null) throw new Error('no answer')
      return content
    }
    const called = await say([question])
    const results = called.blocks.flatMap((block) =>
      block.type === 'tool_call'
        ? [{ type: 'tool_response', callId: block.id, toolName: block.name, result: 'a.txt' } as const]
        : [],
    )
    const answered: Content = { speaker: 'tool', blocks: results }
    const said = await say([question, called, answered])
    await upstreams.close()
    return [called, answered, said]
  })
}

describe.each(dialectIds)('a chat with an upstream of %s', (dialect) => {
  it.each(['kimi-k2+think', 'standard+think', 'deepseek-v3.2+think', 'qwen3-coder'])(
    'calls tools, takes their results and answers: %s',
    async (model) => {
      const [called, answered, said] = await turn(dialect, model)
      // What a server wants back with a call stands before it, in a thought without text.
      const told = called?.blocks.filter((block) => block.type !== 'thinking' || block.thought !== '')
      const types = told?.map(({ type }) => type)
      expect(types).toEqual([...(model.includes('think') ? ['thinking'] : []), 'text', 'tool_call'])
      expect(answered?.blocks).toHaveLength(1)
      const text = said?.blocks.find((block) => block.type === 'text')
      expect(text?.type === 'text' && text.text).toContain('list_files answered: ')
      expect(text?.type === 'text' && text.text).toContain('a.txt')
    },
  )
})

import type { Content } from '@dragoman/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../src/chat/chat-event.ts'
import { ModelChoices } from '../../src/chat/model/model-choice.ts'
import { Permission } from '../../src/chat/permission.ts'
import { Session } from '../../src/chat/session.ts'
import { ConversationFile } from '../../src/chat/store/conversation-file.ts'
import { firstLine } from '../../src/chat/store/conversation-lines.ts'
import { WorkFolder } from '../../src/chat/tools/work-folder.ts'
import { takeTurn, type TurnEnd } from '../../src/chat/turn.ts'
import type { Upstreams } from '../../src/upstream/upstreams.ts'
import { configFor } from '../server/running-gateway.ts'
import { chunk, type Script, sse, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { openUpstreams } from './open-upstreams.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'

let folder: string
const running: Upstreams[] = []

beforeAll(async () => {
  folder = await temporaryFolder()
})

afterAll(async () => {
  await Promise.all(running.map((upstreams) => upstreams.close()))
  stopUpstreams()
  await removeFolders()
})

interface Taken {
  readonly end: TurnEnd
  readonly session: Session
  readonly events: readonly ChatEvent[]
  /** The bodies of the requests. */
  readonly requests: readonly { readonly messages: readonly object[] }[]
}

interface Turn {
  readonly model?: string
  readonly question?: () => Promise<string>
  readonly stop?: AbortController
  readonly rules?: readonly object[]
}

async function take(script: Script, { model = 'm', question, stop, rules }: Turn = {}): Promise<Taken> {
  const upstream = await startUpstream(script)
  const settings = rules === undefined ? {} : { settings: { models: rules } }
  const config = await configFor({ upstream: upstream.url, ...settings })
  const upstreams = openUpstreams(config)
  running.push(upstreams)
  const events: ChatEvent[] = []
  const show = (event: ChatEvent): void => void events.push(event)
  const file = new ConversationFile(`${folder}/${Math.random()}.jsonl`, firstLine(new Date(), folder))
  const session = new Session(model, { file, onFault: () => {} })
  await session.add({ speaker: 'human', blocks: [{ type: 'text', text: 'Go' }] })
  let ids = 0
  const world = {
    config,
    upstreams,
    choices: new ModelChoices(config, upstreams),
    permission: new Permission({ allowsWrites: false, allowsCommands: false, question, tell: () => {} }),
    folder: await WorkFolder.open(folder),
    env: {},
    show,
    redact: (text: string) => text,
    newId: () => String(++ids),
  }
  const end = await takeTurn(session, world, (stop ?? new AbortController()).signal)
  await session.close()
  return { end, session, events, requests: upstream.requests.map(({ body }) => JSON.parse(body)) }
}

/** A message that calls these tools, structured. */
function calls(...names: readonly string[]): object[] {
  const toolCalls = names.map((name, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: name === 'run_command' ? '{"command":"true"}' : '{}' },
  }))
  return [chunk({ tool_calls: toolCalls }), chunk({}, 'tool_calls'), { choices: [], usage: {} }]
}

function speakers(contents: readonly Content[]): string[] {
  return contents.map(({ speaker }) => speaker)
}

describe('a turn', () => {
  it('goes on with the results until the model calls nothing more', async () => {
    const { end, session, requests } = await take((response, nth) => {
      sse(
        response,
        ...(nth < 3 ? calls('list_files', 'list_files') : [chunk({ content: 'Done' }), chunk({}, 'stop')]),
        '[DONE]',
      )
      response.end()
    })
    expect(end).toBe('answered')
    expect(speakers(session.contents)).toEqual(['human', 'ai', 'tool', 'tool', 'ai', 'tool', 'tool', 'ai'])
    expect(requests).toHaveLength(3)
    const ids = session.contents.flatMap(({ blocks }) =>
      blocks.flatMap((block) => (block.type === 'tool_call' ? [block.id] : [])),
    )
    // The upstream numbered its calls anew in the second answer.
    expect(new Set(ids).size).toBe(4)
    expect(requests[2]?.messages.slice(-3)).toMatchObject([
      { role: 'assistant' },
      { role: 'tool' },
      { role: 'tool' },
    ])
    expect(session.answers).toHaveLength(3)
  })

  it('does not go on for ever', async () => {
    const { end, requests, events } = await take((response, nth) => {
      sse(response, ...(nth % 2 === 0 ? calls('list_files') : calls('list_files', 'list_files')), '[DONE]')
      response.end()
    })
    expect(end).toBe('stopped')
    expect(requests).toHaveLength(40)
    expect(events.at(-1)).toEqual({ type: 'note', message: expect.stringContaining('40 rounds') })
  })

  it('ends where the model makes the same calls with the same results again and again', async () => {
    const { end, requests, events } = await take((response) => {
      sse(response, ...calls('list_files'), '[DONE]')
      response.end()
    })
    expect(end).toBe('stopped')
    expect(requests).toHaveLength(5)
    expect(events.at(-1)).toEqual({
      type: 'note',
      message: expect.stringContaining('5 times the model made the same calls with the same results'),
    })
  })

  it('goes on where other calls come in between', async () => {
    const { end, requests } = await take((response, nth) => {
      const next = nth % 5 === 0 ? calls('list_files', 'list_files') : calls('list_files')
      sse(response, ...(nth < 20 ? next : [chunk({ content: 'Done' }), chunk({}, 'stop')]), '[DONE]')
      response.end()
    })
    expect(end).toBe('answered')
    expect(requests).toHaveLength(20)
  })

  it('fails where the answer is cut off inside a call', async () => {
    const begun = { index: 0, id: 'a', type: 'function', function: { name: 'list_files', arguments: '{"pa' } }
    const { end, events, requests } = await take((response) => {
      sse(response, chunk({ tool_calls: [begun] }), chunk({}, 'length'), '[DONE]')
      response.end()
    })
    expect(end).toBe('failed')
    expect(requests).toHaveLength(1)
    expect(events.at(-1)).toEqual({
      type: 'error',
      code: 'incomplete_tool_call',
      message: 'The answer was cut off inside a call of list_files, which did not run.',
    })
  })

  it('that is stopped at a question has a result for every call, and asks the model nothing more', async () => {
    const stop = new AbortController()
    const { end, session, requests } = await take(
      (response) => {
        sse(response, ...calls('run_command', 'list_files'), '[DONE]')
        response.end()
      },
      {
        stop,
        question: async () => {
          stop.abort()
          return ''
        },
      },
    )
    expect(end).toBe('stopped')
    expect(requests).toHaveLength(1)
    const results = session.contents.slice(2).flatMap(({ blocks }) => blocks)
    expect(results).toMatchObject([
      { toolName: 'run_command', result: 'The user stopped this call.', isError: true },
      { toolName: 'list_files', result: 'The user stopped this call.', isError: true },
    ])
  })

  it('without a model to go to fails, and leaves the conversation alone', async () => {
    const { end, session, requests } = await take(() => {}, {
      model: 'other',
      rules: [{ match: 'm', upstream: 'lab' }],
    })
    expect(end).toBe('failed')
    expect(speakers(session.contents)).toEqual(['human'])
    expect(requests).toEqual([])
  })
})

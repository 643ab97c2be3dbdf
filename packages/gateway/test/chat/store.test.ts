import { appendFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Content } from '@dragoman/core'
import * as fc from 'fast-check'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { Session } from '../../src/chat/session.ts'
import { ConversationFile, loadConversation } from '../../src/chat/store/conversation-file.ts'
import { ConversationFolder } from '../../src/chat/store/conversation-folder.ts'
import { firstLine } from '../../src/chat/store/conversation-lines.ts'
import { InputHistory } from '../../src/chat/store/input-history.ts'
import { stateFolder } from '../../src/chat/start-chat.ts'
import { readStoredContent } from '../../src/chat/store/stored-content.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'

let folder: string
let path: string

beforeEach(async () => {
  folder = await temporaryFolder()
  path = join(folder, 'conversations', 'one.jsonl')
})

afterAll(removeFolders)

const start = firstLine(new Date(0), '/project')
const said = (text: string): Content => ({ speaker: 'human', blocks: [{ type: 'text', text }] })

async function store(...texts: readonly string[]): Promise<void> {
  const file = new ConversationFile(path, start)
  await Promise.all(texts.map((text) => file.append({ type: 'content', model: 'kimi-k2', ...said(text) })))
  await file.close()
}

describe('a conversation file', () => {
  it('holds what was said, in order, and the model it was said to', async () => {
    await store('one', 'two')
    expect(await loadConversation(path)).toEqual({
      contents: [said('one'), said('two')],
      model: 'kimi-k2',
      folder: '/project',
      faults: [],
    })
  })

  it('is there with its first line, for its user alone', async () => {
    const file = new ConversationFile(path, start)
    await file.close()
    await expect(stat(path)).rejects.toThrow('ENOENT')
    await store('one')
    expect((await stat(path)).mode & 0o777).toBe(0o600)
    expect((await stat(join(folder, 'conversations'))).mode & 0o777).toBe(0o700)
  })

  it('grows only: what stands in it stays, byte for byte', async () => {
    await store('one')
    const before = await readFile(path, 'utf8')
    await store('two')
    expect((await readFile(path, 'utf8')).startsWith(before)).toBe(true)
    expect((await loadConversation(path)).contents).toEqual([said('one'), said('two')])
  })

  it('cut off anywhere, loses the line that was being written and nothing else', async () => {
    await store('one', 'two')
    const whole = await readFile(path)
    const secondLine = whole.indexOf(0x0a) + 1
    const thirdLine = whole.indexOf(0x0a, secondLine) + 1
    const inThird = fc.integer({ min: thirdLine + 1, max: whole.length - 2 })
    await fc.assert(
      fc.asyncProperty(inThird, async (end) => {
        const cut = join(folder, 'cut.jsonl')
        await writeFile(cut, whole.subarray(0, end))
        const { contents, faults } = await loadConversation(cut)
        expect(contents).toEqual([said('one')])
        expect(faults).toEqual([{ line: 3, message: expect.stringContaining('cut off') }])
      }),
      { numRuns: 30 },
    )
  })

  it('goes on behind half a line without losing the next one', async () => {
    await store('one')
    await appendFile(path, '{"type":"content","speak')
    await store('two')
    const { contents, faults } = await loadConversation(path)
    expect(contents).toEqual([said('one'), said('two')])
    expect(faults.map(({ line }) => line)).toEqual([3])
  })

  it('a broken line is named, and the rest loads', async () => {
    const lines = [
      JSON.stringify(start),
      JSON.stringify({ type: 'content', ...said('one') }),
      'not json',
      '[1]',
      JSON.stringify({ type: 'surprise' }),
      JSON.stringify({ type: 'content', speaker: 'nobody', blocks: [] }),
      JSON.stringify({ type: 'content', speaker: 'ai', blocks: [{ type: 'text' }] }),
      '',
      JSON.stringify({ type: 'content', ...said('two') }),
      JSON.stringify({ type: 'conversation', version: 9 }),
    ]
    await mkdir(join(folder, 'conversations'))
    await writeFile(path, lines.join('\n'))
    const { contents, faults } = await loadConversation(path)
    expect(contents).toEqual([said('one'), said('two')])
    expect(faults).toEqual([
      { line: 3, message: 'it is not JSON, perhaps cut off' },
      { line: 4, message: 'there are no lines of type null' },
      { line: 5, message: 'there are no lines of type "surprise"' },
      { line: 6, message: '"speaker" must be human, ai or tool' },
      { line: 7, message: 'blocks[0] is no block of a conversation' },
      { line: 10, message: 'it is of version 9; this program knows version 1' },
    ])
    expect(await readFile(path, 'utf8')).toBe(lines.join('\n'))
  })
})

describe('the canonical form in a file', () => {
  const text = fc.string({ unit: 'binary' })
  const block = fc.oneof(
    fc.record({ type: fc.constant('text'), text }),
    fc.record(
      { type: fc.constant('thinking'), thought: text, signature: text },
      { requiredKeys: ['type', 'thought'] },
    ),
    fc.record({ type: fc.constant('tool_call'), id: text, name: text, parameters: fc.jsonValue() }),
    fc.record(
      {
        type: fc.constant('tool_response'),
        callId: text,
        toolName: text,
        result: fc.jsonValue(),
        isError: fc.boolean(),
      },
      { requiredKeys: ['type', 'callId', 'toolName', 'result'] },
    ),
    fc.record({
      type: fc.constant('media'),
      mimeType: text,
      data: text,
      encoding: fc.constantFrom('base64', 'url'),
    }),
  )

  it('comes back as it went', () => {
    fc.assert(
      fc.property(fc.constantFrom('human', 'ai', 'tool'), fc.array(block), (speaker, blocks) => {
        const written: unknown = JSON.parse(JSON.stringify({ speaker, blocks }))
        expect(readStoredContent(Object(written))).toEqual(written)
      }),
    )
  })

  it('anything else is refused in words and never throws', () => {
    fc.assert(
      fc.property(fc.object(), (value) => {
        const read = readStoredContent(value)
        if (typeof read !== 'string') expect(['human', 'ai', 'tool']).toContain(read.speaker)
      }),
    )
  })
})

describe('the conversations of a user', () => {
  it('are listed with the folder they were had in, the latest first', async () => {
    const conversations = new ConversationFolder(join(folder, 'conversations'))
    expect(await conversations.list()).toEqual([])
    await store('one')
    path = join(folder, 'conversations', 'two.jsonl')
    await store('two')
    const listed = await conversations.list()
    expect(listed.map(({ name }) => name).toSorted()).toEqual(['one', 'two'])
    expect(listed.map(({ begins }) => begins).toSorted()).toEqual(['one', 'two'])
    expect(listed.every((each) => each.folder === '/project')).toBe(true)
  })

  it('are found by name, and by no path', async () => {
    await store('one')
    const conversations = new ConversationFolder(join(folder, 'conversations'))
    expect((await conversations.find('one'))?.path).toBe(path)
    expect(await conversations.find('../conversations/one')).toBeUndefined()
    expect(await conversations.find('')).toBeUndefined()
  })
})

describe('a session', () => {
  it('goes on where nothing can be stored, and says so once', async () => {
    await writeFile(join(folder, 'conversations'), 'a file where the folder should be')
    const faults: string[] = []
    const file = new ConversationFile(path, start)
    const session = new Session('kimi-k2', { file, onFault: (message) => faults.push(message) })
    await session.add(said('one'))
    await session.add(said('two'))
    expect(session.contents).toEqual([said('one'), said('two')])
    expect(faults).toEqual([expect.stringContaining('cannot be stored')])
  })
})

describe('the history of what was typed', () => {
  it('comes back with the latest first, for its user alone', async () => {
    const history = new InputHistory(folder)
    await history.add('one')
    await history.add('two "quoted"')
    await appendFile(join(folder, 'history'), 'broken\n')
    expect(await new InputHistory(folder).load()).toEqual(['two "quoted"', 'one'])
    expect((await stat(join(folder, 'history'))).mode & 0o777).toBe(0o600)
  })

  it('is shortened when it has grown long, and leaves no other file behind', async () => {
    const inputs = Array.from({ length: 2500 }, (_, at) => JSON.stringify(`input ${at}`))
    await writeFile(join(folder, 'history'), `${inputs.join('\n')}\n`)
    const loaded = await new InputHistory(folder).load()
    expect([loaded.length, loaded[0], loaded.at(-1)]).toEqual([1000, 'input 2499', 'input 1500'])
    expect((await readFile(join(folder, 'history'), 'utf8')).split('\n')).toHaveLength(1001)
    expect(await readdir(folder)).toEqual(['history'])
  })

  it('that cannot be written is no error', async () => {
    const history = new InputHistory(join(folder, 'history', 'x'))
    await writeFile(join(folder, 'history'), '')
    await expect(history.add('one')).resolves.toBeUndefined()
    expect(await history.load()).toEqual([])
  })
})

describe('the state folder', () => {
  it.each([
    [{ XDG_STATE_HOME: '/state' }, '/state/dragoman'],
    [{ XDG_STATE_HOME: 'relative' }, '/home/ada/.local/state/dragoman'],
    [{}, '/home/ada/.local/state/dragoman'],
  ])('with %j is %s', (env, expected) => {
    expect(stateFolder(env, '/home/ada', 'linux')).toBe(expected)
  })
})

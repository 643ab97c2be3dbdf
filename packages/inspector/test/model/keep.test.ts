import { dialects } from '@dragoman/core'
import { expect, it } from 'vitest'
import { eventLog } from '../../../core/test/support/event-log.ts'
import { readGoldens } from '../../../core/test/support/golden-file.ts'
import { eventsOf } from '../../../core/test/support/run-parser.ts'
import { asCase, asCurl, asGolden } from '../../src/model/keep.ts'
import { packed, unpacked } from '../../src/model/link.ts'
import { usualSettings } from '../../src/model/workbench.ts'
import type { Input } from '../../src/reading/protocol.ts'
import { readInput } from '../../src/reading/read.ts'

const input: Input = {
  source: [
    'data: {"choices":[{"delta":{"reasoning_content":"hm\\n"}}]}',
    'data: {"choices":[{"delta":{"content":"a \\\\ ```` <tool_call>{\\"name\\": \\"ping\\", \\"arguments\\": {\\n}}"}}]}',
    'data: {"choices":[{"delta":{"content":"</tool_call>\\t<|im_end|>"},"finish_reason":"stop"}]}',
    '',
  ].join('\n\n'),
  as: 'auto',
  settings: { ...usualSettings, format: 'hermes', tools: '{"ping": {}}' },
}

it('a test that is made of a reading is a golden of the project, and passes', () => {
  const golden = asGolden('From the page', input, readInput(input, null))
  const [read] = readGoldens(golden)
  expect(read?.reason).toBe('stop')
  expect(read?.log).not.toBe('')
  expect(eventLog(eventsOf(read?.options ?? {}, read?.pieces ?? [], read?.reason))).toBe(read?.log)
})

it('a test of a reading that leaves calls out leaves them out, too', () => {
  const removing: Input = { ...input, settings: { ...input.settings, calls: 'remove' } }
  const [read] = readGoldens(asGolden('From the page', removing, readInput(removing, null)))
  expect(read?.log).not.toContain('call-start')
  expect(eventLog(eventsOf(read?.options ?? {}, read?.pieces ?? [], read?.reason))).toBe(read?.log)
})

it('as JSON it is a line that the command line reads', () => {
  const made: unknown = JSON.parse(asCase('x', input, readInput(input, null)))
  // The command line takes tools as a list, while the page takes them in short, too.
  const tools = [{ name: 'ping', parameters: { type: 'object' } }]
  expect(made).toMatchObject({ request: { id: 'x', format: 'hermes', finishReason: 'stop', tools } })
})

it('a command holds the body, quoted for a shell, and no key', () => {
  const headers = dialects['anthropic-messages'].http.headers('$DRAGOMAN_API_KEY')
  const details = { client: { dialect: 'anthropic-messages', method: 'POST', path: '/v1/messages', headers } }
  const command = asCurl(details, 'http://127.0.0.1:1', `{"a": "it's"}`)
  expect(command).toContain(`'{"a": "it'\\''s"}'`)
  expect(command).toContain('x-api-key: $DRAGOMAN_API_KEY')
})

it('a link holds any state, and anything else is none', async () => {
  const state = { text: 'a\u202e😀\ud83d'.repeat(10_000) }
  const letters = await packed(state)
  expect(letters).toMatch(/^[\w-]{1,2000}$/)
  expect(await unpacked(letters)).toEqual(state)
  expect(await unpacked('nonsense')).toBeUndefined()
})

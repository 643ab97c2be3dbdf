import { describe, expect, it } from 'vitest'
import { dialects } from '../../../src/dialects/index.ts'
import { chunk } from '../openai-chat/upstream.ts'
import { sdkReads } from './sdk.ts'
import {
  callItem,
  created,
  lastResponse,
  messageItem,
  outputOf,
  resp,
  response,
  through,
  typesIn,
} from './upstream.ts'

const { whole } = dialects['openai-responses'].answer

const output = [
  { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'e' },
  messageItem('msg_1', 'I look.'),
  callItem('fc_1', 'call_a', 'f', '{"n":12345678901234567890}'),
  { id: 'ctc_1', type: 'custom_tool_call', call_id: 'call_b', name: 'g', input: 'a\nb', status: 'completed' },
  { id: 'ws_1', type: 'web_search_call', status: 'completed' },
]
const body = JSON.stringify({ ...response, status: 'completed', output }, null, 2)

describe('a whole response as a stream', () => {
  it('is one that the SDK of the vendor reads, and adds up to the same response', async () => {
    const made = whole.toEvents(body)
    const events = 'events' in made ? made.events : ''
    expect((await sdkReads(events)).output).toMatchObject(output)
    const collector = whole.collect()
    collector.push(events)
    expect(collector.end()?.value).toEqual(JSON.parse(body))
  })

  it.each([
    ['no JSON', 'oops', 'upstream_protocol_error'],
    ['no response', '{"id":"x"}', 'upstream_protocol_error'],
    ['an error', '{"error":{"message":"No.","code":"busy"}}', 'busy'],
    ['cancelled', JSON.stringify({ ...response, status: 'cancelled' }), 'upstream_error'],
  ])('is a failure where it is %s', (_, text, code) => {
    expect(whole.toEvents(text)).toMatchObject({ failure: { code } })
  })

  it('ends as incomplete where it was cut', () => {
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    const made = whole.toEvents(JSON.stringify({ ...response, ...cut, output: [messageItem('m', 'Once')] }))
    expect(typesIn('events' in made ? made.events : '').at(-1)).toBe('incomplete')
  })
})

describe('a response that is put together', () => {
  it('is none where its stream failed', () => {
    const collector = whole.collect()
    collector.push(created + resp('response.failed', { response: { ...response, status: 'failed' } }))
    expect(collector.end()).toBeNull()
  })

  it('is what a client gets that does not stream, however it is cut into pieces', () => {
    const stream = through(chunk({ content: 'Hi' }) + chunk({}, 'stop'), {
      from: 'openai-chat',
      to: 'openai-responses',
    })
    const collector = whole.collect()
    for (const character of Array.from(stream)) collector.push(character)
    expect(collector.end()?.value).toEqual(lastResponse(stream))
  })
})

describe('the rest of a response that has begun', () => {
  it('is a message behind what came', () => {
    const begun =
      created +
      resp('response.output_item.done', { output_index: 0, item: messageItem('msg_1', 'So.') }) +
      (whole.rest('Then.', {}) ?? '')
    const stream = through(begun, { from: 'openai-responses', to: 'openai-responses' })
    expect(outputOf(stream)).toMatchObject([{ content: [{ text: 'So.' }] }, { content: [{ text: 'Then.' }] }])
    expect(lastResponse(stream)).toMatchObject({ id: 'resp_up', status: 'completed' })
  })
})

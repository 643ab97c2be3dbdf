import { describe, expect, it } from 'vitest'
import { readSignature } from '../../../src/request/reasoning-signature.ts'
import { makeSignature, translateAnswer } from '../../../src/index.ts'
import { calls, chunk, countingMint, done, event, kimiCall } from '../openai-chat/upstream.ts'
import { toChat, toPlain, toResponses } from './requests.ts'
import { readable } from './sdk.ts'
import {
  completed,
  created,
  type Json,
  messageEvents,
  outputOf,
  requestOf,
  resp,
  through,
  typesIn,
} from './upstream.ts'

// The lines of the conformance checklist for an answer that comes back in the next request, one test each.

const ask = { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] }
const toKimi = { model: 'k', format: 'kimi' } as const
// Trailing space, quotes and letters outside of ASCII: what a template would show the model differently.
const thought = ' Let me "think" – 思考 😀\n\n'

function call(index: number, id: string, name: string, json: string): string {
  return calls({ index, id, type: 'function', function: { name, arguments: json } })
}

interface Turn {
  readonly from: 'openai-chat' | 'openai-responses'
  readonly wants?: 'stream' | 'whole'
  readonly asked?: object
  readonly conversationIds?: ReadonlySet<string>
}

/** What a client gets of a Kimi model, with the envelopes that a gateway makes. */
function answered(body: string, { from, wants = 'stream', asked = {}, conversationIds }: Turn): string {
  const answer = translateAnswer({
    from,
    to: 'openai-responses',
    delivered: 'stream',
    wants,
    parser: { format: 'kimi' },
    mint: countingMint('openai-responses'),
    conversationIds,
    includeUsage: true,
    request: requestOf(asked),
    encoding: () => ({
      id: 'resp_abc',
      model: 'asked-model',
      created: 1_700_000_000,
      inputTokens: () => 11,
      request: requestOf(asked),
      signature: (field, proof, text) =>
        makeSignature({
          ...toKimi,
          field,
          ...(proof === null ? {} : { proof }),
          ...(text === undefined ? {} : { text }),
        }),
    }),
  })
  const pieces = body.split(/(?<=\n\n)/).map((piece) => answer.push(piece))
  return pieces.join('') + answer.end()
}

describe('the conformance checklist for conversations', () => {
  it('36. a history with items done before a failure works', async () => {
    const body =
      call(0, 'call_a', 'f', '{"x":1}') +
      call(1, 'call_b', 'g', '{"y"') +
      event({ error: { message: 'Busy.', type: 'overloaded_error' } })
    const way = { from: 'openai-chat', to: 'openai-responses' } as const
    const stream = await readable(through(chunk({ reasoning_content: 'hm' }) + body, way))
    const kept = outputOf(stream)
    expect(kept.map(({ type }) => type)).toEqual(['reasoning', 'function_call'])
    const input = [ask, ...kept, { type: 'function_call_output', call_id: 'call_a', output: '1' }]
    const { items } = toChat({ input })
    expect(items.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
    expect(items[1]?.['tool_calls']).toMatchObject([{ id: 'call_a', function: { name: 'f' } }])
  })

  it('40. summary off: the envelope alone restores', async () => {
    const reasoned =
      chunk({ reasoning_content: thought.slice(0, 9) }) + chunk({ reasoning_content: thought.slice(9) })
    const rest = chunk({ content: 'Yes.' }) + call(0, 'call_a', 'f', '{}') + chunk({}, 'tool_calls') + done
    const place = { output_index: 0, item_id: 'rs_1', summary_index: 0 }
    const part = { type: 'summary_text', text: thought }
    const item = { id: 'rs_1', type: 'reasoning', summary: [part] }
    const passed =
      created +
      resp('response.output_item.added', { output_index: 0, item: { ...item, summary: [] } }) +
      resp('response.reasoning_summary_part.added', { ...place, part: { ...part, text: '' } }) +
      resp('response.reasoning_summary_text.delta', { ...place, delta: thought }) +
      resp('response.reasoning_summary_text.done', { ...place, text: thought }) +
      resp('response.reasoning_summary_part.done', { ...place, part }) +
      resp('response.output_item.done', { output_index: 0, item }) +
      messageEvents(1, 'msg_1', 'Yes.') +
      completed()
    for (const summary of ['none', 'off']) {
      const asked = { reasoning: { effort: 'high', summary } }
      const turns: readonly [string, Turn['from']][] = [
        [reasoned + rest, 'openai-chat'],
        [passed, 'openai-responses'],
      ]
      for (const [body, from] of turns) {
        const stream = answered(body, { from, asked })
        if (from === 'openai-chat') await readable(stream)
        expect(typesIn(stream).join(' ')).not.toContain('reasoning')
        expect(stream).not.toContain('思考')
        const [hidden, said] = outputOf(stream)
        expect(hidden).toMatchObject({ type: 'reasoning', summary: [] })
        expect(hidden).not.toHaveProperty('content')
        expect(said).toMatchObject({ type: 'message', content: [{ text: 'Yes.' }] })
        expect(readSignature(String(hidden?.['encrypted_content']))).toMatchObject({ text: thought })
        expect(outputOf(stream)).toEqual(wholeOutput(answered(body, { from, asked, wants: 'whole' })))
        const input = [ask, hidden, said, { role: 'user', content: 'go on' }]
        expect(toPlain({ input }, toKimi).items[1]).toMatchObject({
          content: [{ type: 'reasoning_text', text: thought }],
        })
        expect(toChat({ input }, toKimi).items[1]).toMatchObject({ reasoning_content: thought })
      }
      // No server of the dialect knows these words: what is not asked for does not come.
      expect(toResponses(asked).body['reasoning']).toEqual({ effort: 'high' })
    }
    const shown = answered(reasoned + rest, { from: 'openai-chat', asked: { reasoning: { effort: 'high' } } })
    expect(outputOf(shown)[0]).toMatchObject({ summary: [{ type: 'summary_text', text: thought }] })
    expect(readSignature(String(outputOf(shown)[0]?.['encrypted_content']))).not.toHaveProperty('text')
  })

  it('41. ids unique over ten turns though the upstream repeats its own', () => {
    const turns: object[] = []
    const ids = new Set<string>()
    for (let turn = 0; turn < 10; turn++) {
      const inBand = chunk({ content: kimiCall }) + chunk({}, 'stop') + done
      const structured = call(0, 'functions.get_time:0', 'get_time', '{"zone":"UTC"}')
      const body = turn % 2 === 0 ? inBand : structured + chunk({}, 'tool_calls') + done
      const [made] = outputOf(answered(body, { from: 'openai-chat', conversationIds: new Set(ids) }))
      const id = String(made?.['call_id'])
      expect(ids.has(id)).toBe(false)
      expect(id.length).toBeLessThanOrEqual(64)
      ids.add(id)
      turns.push({ role: 'user', content: `turn ${turn}` }, { ...made })
      turns.push({ type: 'function_call_output', call_id: id, output: `${turn}` })
    }
    // A client may have the upstream's own ids in its history as well.
    const repeated = turns.map((item) =>
      'call_id' in item ? { ...item, call_id: 'functions.get_time:0' } : item,
    )
    for (const input of [turns, repeated]) {
      for (const format of ['standard', 'kimi'] as const) {
        const { items } = toPlain({ input }, { format })
        const called = items.filter(({ type }) => type === 'function_call').map(({ call_id: id }) => id)
        const results = items.filter(({ type }) => type === 'function_call_output')
        expect(new Set(called).size).toBe(10)
        expect(results.map(({ call_id: id }) => id)).toEqual(called)
        expect(results.map(({ output }) => output)).toEqual(Array.from({ length: 10 }, (_, at) => `${at}`))
      }
      const own = toResponses({ input }).items.filter(({ type }) => type === 'function_call')
      expect(new Set(own.map(({ call_id: id }) => id)).size).toBe(10)
    }
    expect(toPlain({ input: repeated }, { format: 'kimi' }).items[4]).toMatchObject({
      call_id: 'functions.get_time:1',
    })
  })
})

function wholeOutput(body: string): Json[] {
  return JSON.parse(body)['output']
}

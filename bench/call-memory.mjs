import { dialects, mintToolId, translateAnswer } from '../packages/core/dist/library/index.js'
import { printTable, short } from './table.mjs'

const PIECE = 20
const ANSWERS = 20

/** What is kept of a call while it is on its way to the client, in each pairing of dialects and in each delivery? */
export function callMemory() {
  const rows = []
  for (const from of Object.keys(dialects)) {
    for (const to of Object.keys(dialects)) {
      for (const delivery of ['incremental', 'complete']) {
        const kinds = [structured[from], inBand[from]]
        const small = kinds.map((write) =>
          short(heldBy({ from, to, delivery }, write, 10_000, ANSWERS) / 1024),
        )
        const large = kinds.map((write) => short(heldBy({ from, to, delivery }, write, 10_000_000, 1) / 1024))
        rows.push([`${from} → ${to}`, delivery, small[0], large[0], small[1], large[1]])
      }
    }
  }
  printTable(
    `Memory of a call in pieces of ${PIECE} characters, KB`,
    ['', 'delivery', 'structured, 10 KB', '10 MB', 'in the text, 10 KB', '10 MB'],
    rows,
  )
}

/** The growth of the heap for each answer that is in the middle of its call. */
function heldBy(pairing, write, size, answers) {
  const open = Array.from({ length: answers }, () => translation(pairing))
  const events = write(size)
  for (const answer of open) answer.push(events.start)
  const before = heapUsed()
  for (const answer of open) {
    for (let said = 0; said < size; said += PIECE) answer.push(events.piece(said))
  }
  const held = (heapUsed() - before) / answers
  // Read here, so that none of them is collected before it was counted.
  if (open.some(({ state }) => state === 'ended')) throw new Error('The answer has ended too early.')
  return held
}

function translation({ from, to, delivery }) {
  let ids = 0
  return translateAnswer({
    from,
    to,
    delivered: 'stream',
    wants: 'stream',
    parser: {
      format: 'kimi',
      tools: [{ name: 'write', parameters: { type: 'object' } }],
      delivery,
      limits: { toolCallBytes: 64_000_000 },
    },
    mint: (format, taken) => mintToolId({ dialect: to, format, newId: () => `n${ids++}`, taken }),
    includeUsage: true,
    encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 1, signature: () => 's' }),
  })
}

const text = 'abcdefghijklmnopqrst'
const begun = '{"text":"'
const kimi =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.write:0<|tool_call_argument_begin|>' + begun

const structured = {
  'openai-chat': () => ({
    start:
      chunk({ role: 'assistant', content: '' }) +
      chunk({
        tool_calls: [{ index: 0, id: 'a', type: 'function', function: { name: 'write', arguments: begun } }],
      }),
    piece: (at) => chunk({ tool_calls: [{ index: 0, function: { arguments: different(at) } }] }),
  }),
  'anthropic-messages': () => ({
    start:
      messageStart +
      event('content_block_start', {
        index: 0,
        content_block: { type: 'tool_use', id: 'a', name: 'write', input: {} },
      }) +
      jsonDelta(begun),
    piece: (at) => jsonDelta(different(at)),
  }),
}

const inBand = {
  'openai-chat': () => ({
    start: chunk({ role: 'assistant', content: '' }) + chunk({ content: kimi }),
    piece: (at) => chunk({ content: different(at) }),
  }),
  'anthropic-messages': () => ({
    start:
      messageStart +
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }) +
      textDelta(kimi),
    piece: (at) => textDelta(different(at)),
  }),
}

/** No two pieces are the same string, as in a stream. */
function different(at) {
  return String(at).padStart(8, '0') + text.slice(8)
}

function chunk(delta) {
  const choices = [{ index: 0, delta, finish_reason: null }]
  return `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices })}\n\n`
}

const messageStart = event('message_start', {
  message: {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [],
    usage: { input_tokens: 1, output_tokens: 1 },
  },
})

function jsonDelta(partial_json) {
  return event('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json } })
}

function textDelta(said) {
  return event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: said } })
}

function event(type, fields) {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`
}

function heapUsed() {
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

/** How many pieces of text each stream brings. */
export const PIECES = 200

const words = [
  ' the',
  ' quick',
  ' brown',
  ' fox',
  ' jumps',
  ' over',
  ' a',
  ' lazy',
  ' dog',
  '.',
  ' It',
  ' was',
  ',',
]
const pieces = Array.from({ length: PIECES }, (_, at) => words[at % words.length])
const all = pieces.join('')

/** A stream of text in each dialect, event by event, as its servers write it. */
export const streams = {
  'openai-chat': chatStream(),
  'anthropic-messages': messagesStream(),
  'openai-responses': responsesStream(),
  gemini: geminiStream(),
}

function chatStream() {
  const usage = { prompt_tokens: 12, completion_tokens: PIECES, total_tokens: PIECES + 12 }
  return [
    chatChunk({ role: 'assistant', content: '' }),
    ...pieces.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop', { usage }),
    'data: [DONE]\n\n',
  ]
}

function messagesStream() {
  const usage = { input_tokens: 12, output_tokens: 1 }
  const message = {
    id: 'msg_9f2c4e6a',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  return [
    named({ type: 'message_start', message }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...pieces.map((text) =>
      named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
    ),
    named({ type: 'content_block_stop', index: 0 }),
    named({
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: PIECES },
    }),
    named({ type: 'message_stop' }),
  ]
}

/** Each event has a number of its own. */
function responsesStream() {
  const place = { item_id: 'msg_9f2c4e6a', output_index: 0, content_index: 0 }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const item = { id: 'msg_9f2c4e6a', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const whole = { ...item, status: 'completed', content: [{ ...part, text: all }] }
  const response = {
    id: 'resp_9f2c4e6a',
    object: 'response',
    created_at: 1_760_000_000,
    model: 'm',
    status: 'in_progress',
    output: [],
    usage: null,
  }
  const details = {
    input_tokens_details: { cached_tokens: 0 },
    output_tokens_details: { reasoning_tokens: 0 },
  }
  const usage = { input_tokens: 12, output_tokens: PIECES, total_tokens: PIECES + 12, ...details }
  const events = [
    { type: 'response.created', response },
    { type: 'response.in_progress', response },
    { type: 'response.output_item.added', output_index: 0, item },
    { type: 'response.content_part.added', ...place, part },
    ...pieces.map((delta) => ({ type: 'response.output_text.delta', ...place, delta, logprobs: [] })),
    { type: 'response.output_text.done', ...place, text: all, logprobs: [] },
    { type: 'response.content_part.done', ...place, part: { ...part, text: all } },
    { type: 'response.output_item.done', output_index: 0, item: whole },
    { type: 'response.completed', response: { ...response, status: 'completed', output: [whole], usage } },
  ]
  return events.map(({ type, ...more }, sequence_number) => named({ type, sequence_number, ...more }))
}

/** Each chunk tells what was counted so far. */
function geminiStream() {
  return [
    ...pieces.map((text, at) => geminiChunk([{ text }], at + 1)),
    geminiChunk([], PIECES, { finishReason: 'STOP' }),
  ]
}

function chatChunk(delta, finish_reason = null, more = {}) {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason }]
  return data({
    id: 'chatcmpl-9f2c4e6a',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'm',
    choices,
    ...more,
  })
}

function geminiChunk(parts, count, more = {}) {
  return data({
    candidates: [{ content: { parts, role: 'model' }, ...more, index: 0 }],
    usageMetadata: { promptTokenCount: 12, candidatesTokenCount: count, totalTokenCount: count + 12 },
    modelVersion: 'm',
    responseId: '9f2c4e6a',
  })
}

function data(value) {
  return `data: ${JSON.stringify(value)}\n\n`
}

function named(value) {
  return `event: ${value.type}\n${data(value)}`
}

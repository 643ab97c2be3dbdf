import {
  type Answer,
  argumentsText,
  type Call,
  type FinishWord,
  inOrder,
  isWoven,
  type Item,
  type UpstreamError,
  type Written,
} from './answer.ts'
import { isObject, type Json, parseJson, RawJson, writeJson } from './json.ts'

/** The answer as a server of Anthropic's dialect writes it, streamed and whole. */
export function messageBodies(answer: Answer): Written[] {
  const { finish, error } = answer
  const isTruncated = finish.says === 'nothing' && finish.end === 'eof'
  return [
    { dialect: 'anthropic-messages', delivered: 'stream', body: streamOf(answer), saysAll: true },
    {
      dialect: 'anthropic-messages',
      delivered: 'whole',
      body: [wholeOf(answer)],
      saysAll: error === null && !isTruncated && !isWoven(answer),
    },
  ]
}

const stopWords: Readonly<Record<FinishWord, string>> = {
  stop: 'end_turn',
  'tool-calls': 'tool_use',
  length: 'max_tokens',
  'content-filter': 'refusal',
  'stop-sequence': 'stop_sequence',
  pause: 'pause_turn',
}

function endOf({ finish: { says } }: Answer): Json {
  return {
    stop_reason: says === 'nothing' ? null : stopWords[says],
    stop_sequence: says === 'stop-sequence' ? '###' : null,
  }
}

const message = { id: 'msg_up', type: 'message', role: 'assistant', model: 'some-model' }

function usageOf({ habits }: Answer): Json {
  return { input_tokens: 5, output_tokens: habits.usage === 'zero' ? 0 : 7 }
}

function streamOf(answer: Answer): string[] {
  const { finish, error, habits } = answer
  const start = {
    ...message,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 5, output_tokens: 1 },
  }
  const events = [event('message_start', { message: start }), ...blockEvents(answer)]
  const isTruncated = finish.says === 'nothing' && finish.end === 'eof'
  // A server that fails, or is cut off, does not end the block that it was writing.
  if ((error !== null || isTruncated) && events.length > 1) events.pop()
  if (error !== null) {
    events.push(`event: error\ndata: ${writeJson(errorValue(error))}\n\n`)
  } else if (!isTruncated) {
    const usage = habits.usage === 'none' ? undefined : usageOf(answer)
    events.push(event('message_delta', { delta: endOf(answer), usage }))
    if (finish.end === 'marked') events.push(event('message_stop', {}))
  }
  if (!habits.emptyData) return events
  return [...events.slice(0, 1), 'data:\n\n', ...events.slice(1, -1), 'data: \n\n', ...events.slice(-1)]
}

function event(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${writeJson({ type, ...fields })}\n\n`
}

function blockEvents(answer: Answer): string[] {
  let index = 0
  return blocksOf(answer).flatMap((block) => {
    if (block.is !== 'calls') return textEvents(block, index++)
    const calls = block.calls.map((call) => toolEvents(call, index++))
    return block.order === 'one by one' ? calls.flat() : woven(calls)
  })
}

/** Servers that mix calls end them all behind the last delta. */
function woven(calls: readonly (readonly string[])[]): string[] {
  const begun = calls.map((events) => events.slice(0, -1))
  return inOrder(begun, 'woven').concat(calls.flatMap((events) => events.slice(-1)))
}

/** The items as blocks: neighbours of one kind in one block, or each in its own. */
function blocksOf({ items, habits }: Answer): Item[] {
  const blocks: Item[] = []
  for (const item of items) {
    const last = blocks.at(-1)
    if (item.is === 'calls' || last?.is !== item.is || habits.blocks === 'apart') blocks.push(item)
    else blocks[blocks.length - 1] = { ...last, pieces: [...last.pieces, ...item.pieces] }
  }
  return blocks
}

function textEvents({ is, pieces }: Exclude<Item, { is: 'calls' }>, index: number): string[] {
  const type = is === 'text' ? 'text' : 'thinking'
  const signature = type === 'text' ? {} : { signature: '' }
  const deltas: Json[] = pieces.map((piece) => ({ type: `${type}_delta`, [type]: piece }))
  if (type === 'thinking') deltas.push({ type: 'signature_delta', signature: 'c2ln' })
  return [
    event('content_block_start', { index, content_block: { type, [type]: '', ...signature } }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

function toolEvents(call: Call, index: number): string[] {
  const { arguments: given, id, name } = call
  const input = given.are === 'an object' ? new RawJson(given.json) : {}
  const pieces = given.are === 'text' ? given.pieces : []
  const block = { type: 'tool_use', id: id ?? undefined, name: name ?? undefined, input }
  return [
    event('content_block_start', { index, content_block: block }),
    ...pieces.map((partial_json) =>
      event('content_block_delta', { index, delta: { type: 'input_json_delta', partial_json } }),
    ),
    event('content_block_stop', { index }),
  ]
}

function wholeOf(answer: Answer): string {
  const { error, habits } = answer
  if (error !== null) return writeJson(errorValue(error))
  const content = blocksOf(answer).flatMap((block): Json[] => {
    if (block.is === 'calls') return block.calls.map(wholeCall)
    const text = block.pieces.join('')
    return [
      block.is === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text, signature: 'c2ln' },
    ]
  })
  const usage = habits.usage === 'none' ? undefined : usageOf(answer)
  return writeJson({ ...message, content, ...endOf(answer), usage })
}

/** Where the input is no object, servers have nothing to put there but the text of it. */
function wholeCall(call: Call): Json {
  const json = argumentsText(call)
  const input = json === '' ? {} : isObject(parseJson(json)) ? new RawJson(json) : json
  return { type: 'tool_use', id: call.id ?? undefined, name: call.name ?? undefined, input }
}

function errorValue({ shape, message: text, type }: UpstreamError): unknown {
  const error = { type: type ?? 'api_error', message: text }
  if (shape === 'string') return { type: 'error', error: text }
  return shape === 'array' ? [{ type: 'error', error }] : { type: 'error', error }
}

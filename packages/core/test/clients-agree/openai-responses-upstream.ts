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
import { type Json, RawJson, writeJson } from './json.ts'

/** The answer as a server of OpenAI's responses writes it, streamed and whole. */
export function responseBodies(answer: Answer): Written[] {
  const { finish, error } = answer
  const isTruncated = finish.says === 'nothing' && finish.end === 'eof'
  // The dialect has no word for either.
  const isSayable = finish.says !== 'stop-sequence' && finish.says !== 'pause'
  return [
    { dialect: 'openai-responses', delivered: 'stream', body: streamOf(answer), saysAll: isSayable },
    {
      dialect: 'openai-responses',
      delivered: 'whole',
      body: [wholeOf(answer)],
      saysAll: isSayable && error === null && !isTruncated && !isWoven(answer),
    },
  ]
}

const incompleteWords: Readonly<Record<FinishWord, string | null>> = {
  stop: null,
  'tool-calls': null,
  length: 'max_output_tokens',
  'content-filter': 'content_filter',
  'stop-sequence': null,
  pause: null,
}

function endOf({ finish: { says } }: Answer): Json {
  if (says === 'nothing') return {}
  const reason = incompleteWords[says]
  return {
    status: reason === null ? 'completed' : 'incomplete',
    incomplete_details: reason === null ? null : { reason },
  }
}

const response = { id: 'resp_up', object: 'response', created_at: 1, model: 'some-model', error: null }

function usageOf({ habits }: Answer): Json | undefined {
  if (habits.usage === 'none') return undefined
  const output = habits.usage === 'zero' ? 0 : 7
  return { input_tokens: 5, output_tokens: output, total_tokens: 5 + output }
}

/** An event without its number, which it gets when the order is settled. */
interface Unnumbered {
  readonly type: string
  readonly fields: Json
}

function streamOf(answer: Answer): string[] {
  const { finish, error, habits } = answer
  const begun = { response: { ...response, status: 'in_progress', output: [], usage: null } }
  const events: Unnumbered[] = [
    { type: 'response.created', fields: begun },
    { type: 'response.in_progress', fields: begun },
    ...itemEvents(answer),
  ]
  const isTruncated = finish.says === 'nothing' && finish.end === 'eof'
  // A server that fails, or is cut off, does not end the item that it was writing.
  if ((error !== null || isTruncated) && events.length > 2) events.pop()
  if (error === null && !isTruncated) {
    const name = endOf(answer)['status'] === 'incomplete' ? 'response.incomplete' : 'response.completed'
    events.push({ type: name, fields: { response: wholeResponse(answer) } })
  }
  const written = events.map(({ type, fields }, number) =>
    eventOf(type, { sequence_number: number, ...fields }),
  )
  if (error !== null) written.push(errorEvent(error, events.length))
  else if (!isTruncated && finish.end === 'marked') written.push('data: [DONE]\n\n')
  if (!habits.emptyData) return written
  return [...written.slice(0, 1), 'data:\n\n', ...written.slice(1, -1), 'data: \n\n', ...written.slice(-1)]
}

function eventOf(type: string, fields: Json): string {
  return `event: ${type}\ndata: ${writeJson({ type, ...fields })}\n\n`
}

function itemEvents(answer: Answer): Unnumbered[] {
  let index = 0
  return itemsOf(answer).flatMap((item) => {
    if (item.is !== 'calls') return textEvents(item, index++, answer)
    const calls = item.calls.map((call) => callEvents(call, index++))
    return item.order === 'one by one' ? calls.flat() : woven(calls)
  })
}

/** Servers that mix calls end them all behind the last delta. */
function woven(calls: readonly (readonly Unnumbered[])[]): Unnumbered[] {
  const begun = calls.map((events) => events.slice(0, -1))
  return inOrder(begun, 'woven').concat(calls.flatMap((events) => events.slice(-1)))
}

/** Neighbours of one kind in one item, or each in its own. */
function itemsOf({ items, habits }: Answer): Item[] {
  const joined: Item[] = []
  for (const item of items) {
    const last = joined.at(-1)
    if (item.is === 'calls' || last?.is !== item.is || habits.blocks === 'apart') joined.push(item)
    else joined[joined.length - 1] = { ...last, pieces: [...last.pieces, ...item.pieces] }
  }
  return joined
}

type Said = Exclude<Item, { is: 'calls' }>

function isRaw({ habits }: Answer): boolean {
  return habits.reasoningIn === 'reasoning_text'
}

function textEvents(said: Said, index: number, answer: Answer): Unnumbered[] {
  const item = textItem(said, index, answer)
  const isSummary = said.is === 'reasoning' && !isRaw(answer)
  const name = said.is === 'text' ? 'output_text' : isSummary ? 'reasoning_summary_text' : 'reasoning_text'
  const partName = isSummary ? 'reasoning_summary_part' : 'content_part'
  const part = partOf(said, answer)
  const place = {
    item_id: item['id'],
    output_index: index,
    [isSummary ? 'summary_index' : 'content_index']: 0,
  }
  return [
    { type: 'response.output_item.added', fields: { output_index: index, item: emptied(item) } },
    { type: `response.${partName}.added`, fields: { ...place, part: { ...part, text: '' } } },
    ...said.pieces.map((delta) => ({ type: `response.${name}.delta`, fields: { ...place, delta } })),
    { type: `response.${name}.done`, fields: { ...place, text: part['text'] } },
    { type: `response.${partName}.done`, fields: { ...place, part } },
    { type: 'response.output_item.done', fields: { output_index: index, item } },
  ]
}

function partOf({ is, pieces }: Said, answer: Answer): Json {
  const text = pieces.join('')
  if (is === 'text') return { type: 'output_text', text, annotations: [] }
  return { type: isRaw(answer) ? 'reasoning_text' : 'summary_text', text }
}

function textItem(said: Said, index: number, answer: Answer): Json {
  const part = partOf(said, answer)
  if (said.is === 'text') {
    return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content: [part] }
  }
  const lists = isRaw(answer) ? { summary: [], content: [part] } : { summary: [part] }
  return { id: `rs_${index}`, type: 'reasoning', ...lists, encrypted_content: 'c2ln' }
}

function emptied(item: Json): Json {
  if (item['type'] === 'message') return { ...item, status: 'in_progress', content: [] }
  const { encrypted_content: _, ...rest } = item
  return { ...rest, summary: [], ...(item['content'] !== undefined && { content: [] }) }
}

function callEvents(call: Call, index: number): Unnumbered[] {
  const item = callItem(call, index)
  const pieces = call.arguments.are === 'text' ? call.arguments.pieces : []
  const place = { item_id: item['id'], output_index: index }
  return [
    {
      type: 'response.output_item.added',
      fields: { output_index: index, item: { ...item, arguments: '', status: 'in_progress' } },
    },
    ...pieces.map((delta) => ({
      type: 'response.function_call_arguments.delta',
      fields: { ...place, delta },
    })),
    {
      type: 'response.function_call_arguments.done',
      fields: { ...place, arguments: pieces.join('') },
    },
    { type: 'response.output_item.done', fields: { output_index: index, item } },
  ]
}

function callItem(call: Call, index: number): Json {
  const { arguments: given, id, name } = call
  return {
    id: `fc_${index}`,
    type: 'function_call',
    status: 'completed',
    call_id: id ?? undefined,
    name: name ?? undefined,
    arguments: given.are === 'an object' ? new RawJson(given.json) : argumentsText(call),
  }
}

function wholeResponse(answer: Answer): Json {
  let index = 0
  const output = itemsOf(answer).flatMap((item): Json[] =>
    item.is === 'calls'
      ? item.calls.map((call) => callItem(call, index++))
      : [textItem(item, index++, answer)],
  )
  return { ...response, ...endOf(answer), output, usage: usageOf(answer) }
}

function wholeOf(answer: Answer): string {
  const { error } = answer
  return writeJson(error === null ? wholeResponse(answer) : errorValue(error))
}

function errorValue({ shape, message: text, type, code }: UpstreamError): unknown {
  const error = { type, code, message: text, param: null }
  if (shape === 'string') return { error: text }
  return shape === 'array' ? [{ error }] : { error }
}

function errorEvent(error: UpstreamError, number: number): string {
  const { shape, message: text, type, code } = error
  const fields = { type, code, message: text, param: null }
  const place = { sequence_number: number }
  switch (shape) {
    case 'string':
      return eventOf('error', { ...place, message: text, error: text })
    case 'array':
      return `event: error\ndata: ${writeJson([{ type: 'error', error: fields }])}\n\n`
    case 'beside no choices':
      return eventOf('response.failed', {
        ...place,
        response: { ...response, status: 'failed', error: fields },
      })
    case 'object':
      return eventOf('error', { ...place, ...fields, type: 'error', error: fields })
  }
}

import { createParser } from 'eventsource-parser'
import type { DialectName, Received } from '../../core/test/clients-agree/answer.ts'
import { isObject, type Json } from '../../core/test/clients-agree/json.ts'
import { jsonIn, must } from '../../core/test/clients-agree/view.ts'

// How streams end, and nothing else of them: for streams that were damaged, in which the rest of a grammar may be broken
// because the upstream broke it.

/** What one event of a stream says of its end. */
type Word = 'more' | 'whole' | 'marked' | 'failed'

/**
 * `whole`: the answer is told to be whole. `marked`: the last word of the stream, behind which nothing comes.
 * `failed`: the answer failed.
 */
const words: Readonly<Record<DialectName, (data: Json) => Word>> = {
  'openai-chat': (data) => {
    if (isTold(data['error']) || data['object'] === 'error') return 'failed'
    return listIn(data, 'choices').some((choice) => isTold(choice['finish_reason'])) ? 'whole' : 'more'
  },
  'anthropic-messages': (data) => {
    if (data['type'] === 'error' || isTold(data['error'])) return 'failed'
    if (data['type'] === 'message_stop') return 'marked'
    const delta = data['type'] === 'message_delta' ? data['delta'] : undefined
    return isObject(delta) && isTold(delta['stop_reason']) ? 'whole' : 'more'
  },
  'openai-responses': ({ type }) => {
    if (type === 'response.failed' || type === 'error') return 'failed'
    return type === 'response.completed' || type === 'response.incomplete' ? 'marked' : 'more'
  },
  gemini: (data) => {
    if (isTold(data['error'])) return 'failed'
    const feedback = data['promptFeedback']
    if (isObject(feedback) && isTold(feedback['blockReason'])) return 'whole'
    return listIn(data, 'candidates').some((each) => isTold(each['finishReason'])) ? 'whole' : 'more'
  },
}

/** Whether an upstream has said, anywhere in what came of its answer, that the answer is whole. */
export function saysItsEnd(dialect: DialectName, delivered: Received['is'], body: string): boolean {
  if (isJson(body)) return true
  if (delivered === 'whole') return false
  return dataIn(`${body}\n\n`).some((data) => {
    if (data.trim() === '[DONE]') return true
    return objectsIn(data).some((each) => ['whole', 'marked'].includes(words[dialect](each)))
  })
}

/** Checks that what a client got ends once: well, or with a failure, and never both. Returns how. */
export function checkEnding(dialect: DialectName, { status, is, body }: Received): 'well' | 'failed' {
  if (status !== 200 || is === 'whole') {
    must(isJson(body), `this is no JSON: ${body}`)
    return status === 200 ? 'well' : 'failed'
  }
  must(body.replaceAll(/\r\n?/g, '\n').endsWith('\n\n'), 'the last event of the stream is not closed')
  let end: Word = 'more'
  let isTwice = false
  for (const data of dataIn(body)) {
    const word = wordOf(dialect, data)
    // Words without meaning for the end may follow a finish, such as what was counted.
    const follows = end === 'marked' || end === 'failed'
    isTwice ||= follows && !isEcho(dialect, end, data)
    must(end !== 'whole' || word !== 'failed', `a failure follows the finish: ${data}`)
    if (word !== 'more') end = word
  }
  must(!isTwice, 'something follows the end')
  must(end !== 'more', 'the stream has no end')
  must(end !== 'whole' || dialect === 'gemini', 'the end is not marked')
  return end === 'failed' ? 'failed' : 'well'
}

/** The words for a failure are two in this dialect; the mark of the end may stand behind the end. */
function isEcho(dialect: DialectName, end: Word, data: string): boolean {
  if (dialect !== 'openai-responses') return false
  return end === 'failed' ? wordOf(dialect, data) === 'failed' : data === '[DONE]'
}

function wordOf(dialect: DialectName, data: string): Word {
  if (data === '[DONE]') {
    must(dialect === 'openai-chat' || dialect === 'openai-responses', 'a mark that the dialect does not have')
    return 'marked'
  }
  const value = jsonIn(data)
  return isObject(value) ? words[dialect](value) : 'more'
}

/** The data of events, as a reader finds them that is not ours. */
function dataIn(stream: string): string[] {
  const found: string[] = []
  const parser = createParser({ onEvent: ({ data }) => found.push(data) })
  // The reader waits behind a last carriage return for what may belong to it.
  parser.feed(`${stream}\n`)
  return found.filter((data) => data !== '')
}

function objectsIn(data: string): Json[] {
  if (!isJson(data)) return []
  const value: unknown = JSON.parse(data)
  return [value].flat().filter(isObject)
}

function listIn(data: Json, field: string): Json[] {
  const list = data[field]
  return Array.isArray(list) ? list.filter(isObject) : []
}

function isTold(value: unknown): boolean {
  return value !== undefined && value !== null && value !== ''
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

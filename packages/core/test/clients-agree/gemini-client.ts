import type { FinishWord, Received } from './answer.ts'
import { isObject, type Json, parseJson, textIn } from './json.ts'
import {
  checkCalls,
  type FailureKind,
  jsonIn,
  must,
  type SeenCall,
  type SeenFailure,
  type View,
  withoutCode,
} from './view.ts'

/** What a strict program that speaks the Gemini dialect understands. */
export function readContent({ status, is, body }: Received): View {
  if (status !== 200) return { ...nothing, failure: failureIn(jsonIn(body)) }
  const reader = new ChunkReader()
  if (is === 'stream') for (const json of chunksIn(body)) reader.chunk(json)
  else reader.chunk(body)
  return reader.view()
}

const nothing: View = { text: '', reasoning: '', calls: [], finish: null, failure: null }

/** As the strictest of the clients finds chunks: whatever is no chunk at the head of the rest stops it. */
function chunksIn(stream: string): string[] {
  const chunks: string[] = []
  let rest = stream
  while (rest !== '') {
    const found = /^\s*data: (.*)(?:\n\n|\r\r|\r\n\r\n)/.exec(rest)
    must(found !== null, `no chunk begins here: ${JSON.stringify(rest)}`)
    chunks.push(found[1] ?? '')
    rest = rest.slice(found[0].length)
  }
  return chunks
}

class ChunkReader {
  private at: 'chunks' | 'finished' | 'failed' = 'chunks'
  private text = ''
  private reasoning = ''
  private readonly calls: SeenCall[] = []
  private readonly ids: string[] = []
  private readonly responseIds = new Set<unknown>()
  private word: string | null = null
  private failure: SeenFailure | null = null

  chunk(json: string): void {
    must(this.at === 'chunks', `a chunk follows the end: ${json}`)
    jsonIn(json)
    const chunk = parseJson(json)
    must(isObject(chunk), 'a chunk is no object')
    if (chunk['error'] !== undefined) {
      this.at = 'failed'
      this.failure = failureIn(jsonIn(json))
      return
    }
    this.responseIds.add(chunk['responseId'])
    const { candidates } = chunk
    must(Array.isArray(candidates) && candidates.length === 1, `not one candidate: ${json}`)
    const [candidate]: unknown[] = candidates
    must(isObject(candidate), 'a candidate is no object')
    this.candidate(candidate)
  }

  view(): View {
    const { at, text, reasoning, calls, ids, failure } = this
    must(at !== 'chunks', 'the stream ends without a finish or a failure')
    must(this.responseIds.size <= 1, 'the answer has two ids')
    must(new Set(ids).size === ids.length, `an id comes twice: ${ids.join(', ')}`)
    const finish = this.word === null ? null : finishOf(this.word, calls.length > 0)
    checkCalls(calls, finish, failure !== null)
    return { text, reasoning, calls, finish, failure }
  }

  private candidate({ index, content, finishReason }: Json): void {
    // Numbers are texts here, as they were written.
    must(index === '#0', `the candidate has the number ${String(index)}`)
    must(isObject(content) && content['role'] === 'model', 'the content is not of the model')
    const { parts } = content
    must(Array.isArray(parts), 'the content has no parts')
    for (const part of parts) this.part(part, parts.length === 1)
    if (finishReason === undefined) return
    must(typeof finishReason === 'string', 'the finish is no text')
    this.word = finishReason
    this.at = 'finished'
  }

  /** A chunk that says nothing but its end, or what was counted, has one part that says nothing. */
  private part(part: unknown, isAlone: boolean): void {
    must(isObject(part), 'a part is no object')
    const { text, thought, functionCall, thoughtSignature, ...others } = part
    must(Object.keys(others).length === 0, `a strange part: ${JSON.stringify(part)}`)
    must((text === undefined) !== (functionCall === undefined), `not one kind: ${JSON.stringify(part)}`)
    if (functionCall !== undefined) {
      must(isObject(functionCall), 'a call is no object')
      this.call(functionCall)
      return
    }
    must(typeof text === 'string', 'a text is none')
    must(text !== '' || thoughtSignature !== undefined || isAlone, 'a part says nothing')
    if (thought === true) this.reasoning += text
    else this.text += text
  }

  private call(call: Json): void {
    const { id, args } = call
    const name = textIn(call, 'name') ?? ''
    must(isObject(args), `the arguments of ${name} are no object`)
    must(id === undefined || (typeof id === 'string' && id !== ''), `the id is ${JSON.stringify(id)}`)
    if (typeof id === 'string') {
      must(!id.startsWith(`${name}__`), `clients cut this id: ${id}`)
      this.ids.push(id)
    }
    this.calls.push({ name, arguments: JSON.stringify(args) })
  }
}

/** The dialect has no word for calls. */
function finishOf(word: string, hasCalls: boolean): FinishWord {
  const found = finishMeanings.get(word)
  must(found !== undefined, `the finish reason is ${word}`)
  return found === 'stop' && hasCalls ? 'tool-calls' : found
}

const finishMeanings: ReadonlyMap<string, FinishWord> = new Map<string, FinishWord>([
  ['STOP', 'stop'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content-filter'],
  ['PROHIBITED_CONTENT', 'content-filter'],
])

function failureIn(body: unknown): SeenFailure {
  must(isObject(body) && isObject(body['error']), `an error is no object: ${JSON.stringify(body)}`)
  const { code, message, status } = body['error']
  must(typeof message === 'string' && message !== '', `an error has no message: ${JSON.stringify(body)}`)
  must(typeof code === 'number', `an error has no code: ${JSON.stringify(body)}`)
  must(typeof status === 'string', `an error has no status: ${JSON.stringify(body)}`)
  return { kind: failureKinds.get(status) ?? 'upstream', message: withoutCode(message) }
}

const failureKinds: ReadonlyMap<string, FailureKind> = new Map<string, FailureKind>([
  ['INVALID_ARGUMENT', 'invalid request'],
  ['UNAUTHENTICATED', 'authentication'],
  ['PERMISSION_DENIED', 'permission'],
  ['NOT_FOUND', 'not found'],
  ['RESOURCE_EXHAUSTED', 'rate limit'],
  ['UNAVAILABLE', 'overloaded'],
  ['DEADLINE_EXCEEDED', 'timeout'],
])

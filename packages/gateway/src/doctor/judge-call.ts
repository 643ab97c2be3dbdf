import { type FormatId, retryFor } from '@dragoman/core'
import { shortened } from '../base/printable.ts'
import { weather } from './questions.ts'
import type { Answer, ReadCall } from './read-answer.ts'

/** What became of a call that the model was told to make. */
export type CallVerdict =
  /** The server read it, and told it in fields of its own. */
  | { readonly is: 'structured' }
  /** It stands in the text, and the gateway reads it. */
  | { readonly is: 'text'; readonly format: FormatId | null }
  /** The server failed to read it, and told it in its error. The gateway reads it there. */
  | { readonly is: 'in-error' }
  /** The server does not take such a request. */
  | { readonly is: 'refused'; readonly words: string }
  /** The answer is no answer. */
  | { readonly is: 'broken'; readonly words: string }
  /** The server says that there are calls, and sent none. */
  | { readonly is: 'announced' }
  | { readonly is: 'empty' }
  /** A call came, without the arguments that it was told. */
  | { readonly is: 'wrong'; readonly call: string }
  /** The text looks like a call, and nobody can read it. */
  | { readonly is: 'unread'; readonly text: string }
  /** The limit came first. */
  | { readonly is: 'cut' }
  /** The model talks instead. */
  | { readonly is: 'declined'; readonly text: string }

const SHOWN = 80

export function judgeCall(answer: Answer): CallVerdict {
  const { refusal, failure, calls, text, saidFinish, finish, thoughts, exchange } = answer
  if (refusal !== null) {
    // A failure of the server tells that it cannot read calls only where every request would fail so.
    const { status } = exchange
    const isRefused = (status > 0 && status < 500) || retryFor(exchange)?.lasts === true
    return { is: isRefused ? 'refused' : 'broken', words: shortened(refusal.message, 200) }
  }
  const [call] = calls
  if (call?.isWhole === true && answer.place === 'error') return { is: 'in-error' }
  if (call?.isWhole === true) return judgeWhole(call, answer.format)
  if (finish === 'length') return { is: 'cut' }
  if (failure !== null && failure.code !== 'upstream_empty') return { is: 'broken', words: failure.message }
  if (call !== undefined) return { is: 'broken', words: `the call of ${call.name} has no end` }
  if (saysCalls(saidFinish)) return { is: 'announced' }
  if (text.trim() === '') return thoughts.length > 0 && saidFinish === null ? { is: 'cut' } : { is: 'empty' }
  return looksLikeCall(text)
    ? { is: 'unread', text: shortened(text, SHOWN) }
    : { is: 'declined', text: shortened(text, SHOWN) }
}

/** Whether the call reaches a client of the gateway. */
export function isCall({ is }: CallVerdict): boolean {
  return is === 'structured' || is === 'text' || is === 'in-error'
}

/** A text may name the tool in a sentence. In a call the name touches markup. */
function looksLikeCall(text: string): boolean {
  const [before = '', after = ''] = text.split(weather.name, 2)
  return after !== '' && (/["'=.>|]$/.test(before) || /^["'\s]*[({<|]/.test(after))
}

/** Whether a server says that it ended with calls. Dialects have different words for it. */
export function saysCalls(saidFinish: string | null): boolean {
  return saidFinish !== null && /tool|function/.test(saidFinish)
}

/** Whether a word says that an answer is whole, and nothing of calls: some dialects have no word for those. */
export function saysWhole(saidFinish: string | null): boolean {
  return saidFinish === 'completed' || saidFinish === 'STOP'
}

/** Whether a server says that the limit ended the answer. */
export function saysLength(saidFinish: string | null): boolean {
  return saidFinish !== null && /length|max_tokens|^incomplete$/i.test(saidFinish)
}

function judgeWhole({ name, json, from }: ReadCall, format: FormatId | null): CallVerdict {
  if (name !== weather.name || !/\w/.test(json))
    return { is: 'wrong', call: shortened(`${name} ${json}`, SHOWN) }
  return from === 'fields' ? { is: 'structured' } : { is: 'text', format }
}

export function describeVerdict(verdict: CallVerdict): string {
  switch (verdict.is) {
    case 'structured':
      return 'structured: the server reads it'
    case 'text':
      return `in the text, in the format ${verdict.format ?? 'standard'}: the gateway reads it`
    case 'in-error':
      return 'in the error of the server, which could not read it: the gateway reads it there'
    case 'refused':
      return `the server refuses tools: ${verdict.words}`
    case 'broken':
      return `broken: ${verdict.words}`
    case 'announced':
      return 'lost: the server says that there are calls, and sent none'
    case 'empty':
      return 'lost: nothing came'
    case 'wrong':
      return `wrong: ${verdict.call}`
    case 'unread':
      return `in the text, in no format that is known: ${verdict.text}`
    case 'cut':
      return 'the limit came before the call'
    case 'declined':
      return `none, asked twice: ${verdict.text}`
  }
}

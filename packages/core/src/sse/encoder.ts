import { DragomanError } from '../errors.ts'
import type { SseField } from './items.ts'

/** What an event is written from; a decoded `SseEvent` is one. */
export interface SseMessage {
  readonly event?: string | undefined
  readonly data: string
  readonly id?: string | undefined
  /** Milliseconds. */
  readonly retry?: number | undefined
  readonly otherFields?: readonly SseField[]
}

/** One event, closing blank line included. Each line of `data`, however it ends, becomes a `data` line. */
export function encodeSse({ event, data, id, retry, otherFields }: SseMessage): string {
  let text = ''
  if (event !== undefined && event !== '') text += `event: ${oneLine('event', event)}\n`
  if (id !== undefined) text += `id: ${withoutNul(oneLine('id', id))}\n`
  if (retry !== undefined) text += `retry: ${milliseconds(retry)}\n`
  text += `data: ${linesAfter('data: ', data)}\n`
  // Never first: a field name may start with U+FEFF, which at the start of a stream would be dropped.
  if (otherFields !== undefined) for (const field of otherFields) text += encodeField(field)
  return `${text}\n`
}

/**
 * A comment, one line for each line of `text`. The blank line after it is for clients that split a stream at
 * blank lines: without it they take the next event for a part of the comment.
 */
export function encodeSseComment(text: string): string {
  return `: ${linesAfter(': ', text)}\n\n`
}

function linesAfter(prefix: string, text: string): string {
  const normalised = text.includes('\r') ? text.replaceAll('\r\n', '\n').replaceAll('\r', '\n') : text
  return normalised.includes('\n') ? normalised.replaceAll('\n', `\n${prefix}`) : normalised
}

function encodeField({ name, value }: SseField): string {
  if (name === '' || name.includes(':')) {
    throw new DragomanError('invalid-option', `Not a field name in an event stream: ${JSON.stringify(name)}`)
  }
  return `${oneLine('field name', name)}: ${oneLine(name, value)}\n`
}

function oneLine(what: string, value: string): string {
  if (!value.includes('\n') && !value.includes('\r')) return value
  throw new DragomanError('invalid-option', `Line break in the ${what} of an event: ${JSON.stringify(value)}`)
}

function withoutNul(id: string): string {
  if (!id.includes('\0')) return id
  throw new DragomanError('invalid-option', `NUL in the id of an event: ${JSON.stringify(id)}`)
}

function milliseconds(retry: number): number {
  if (Number.isSafeInteger(retry) && retry >= 0) return retry
  throw new DragomanError('invalid-option', `retry must be a whole number of milliseconds, not ${retry}`)
}

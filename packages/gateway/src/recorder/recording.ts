import {
  type AskedAt,
  type DialectId,
  dialects,
  type FormatId,
  isDialectId,
  type ParserOptions,
} from '@dragoman/core'
import { isObject } from '../base/is-object.ts'

/** One exchange as it is stored in a file: what either side sent and received, without secrets. */
export interface RecordedExchange {
  /** Marks a file as a recording. */
  readonly dragomanRecording: 1
  readonly requestId: string
  readonly time: string
  readonly client: {
    readonly dialect: DialectId
    /** Where the request was sent, in a dialect that says there what is asked for; left out in the others. */
    readonly asked?: AskedAt
    readonly request: string
    /** Null where the client left before it got a status. */
    readonly status: number | null
    readonly response: string
  }
  /** Null where the request was refused before an upstream was called. */
  readonly upstream: RecordedUpstream | null
}

export interface RecordedUpstream {
  readonly name: string
  readonly dialect: DialectId
  readonly model: string
  /** The name of the model that the client was told, where that is not left to the upstream. */
  readonly clientModel?: string
  /** The format in whose style ids and reasoning were sent to the upstream. */
  readonly format: FormatId
  /** How the answer was read. The tools are left out, as they stand in the client's request. */
  readonly reading: Omit<ParserOptions, 'tools'>
  readonly request: string
  /** Null where the upstream did not answer. */
  readonly status: number | null
  readonly contentType: string
  readonly response: string
  /** Why the connection ended badly, or null. */
  readonly fault: string | null
}

/** Whether the address of a request says what is asked for: the model, and whether the answer is to be a stream. */
export function isAskedByAddress(dialect: DialectId): boolean {
  return dialects[dialect].http.routes.some(({ serves, path }) => serves === 'answer' && path.includes('{'))
}

/** The recording in a text, or undefined where the text is something else. */
export function parseRecording(text: string): RecordedExchange | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  return isRecording(value) ? value : undefined
}

function isRecording(value: unknown): value is RecordedExchange {
  return (
    isObject(value) &&
    value['dragomanRecording'] === 1 &&
    isClient(value['client']) &&
    isUpstream(value['upstream'])
  )
}

function isClient(value: unknown): boolean {
  return (
    isObject(value) &&
    isDialect(value['dialect']) &&
    typeof value['request'] === 'string' &&
    isAsked(value['asked'])
  )
}

function isAsked(value: unknown): boolean {
  if (value === undefined) return true
  return isObject(value) && typeof value['path'] === 'string' && isObject(value['query'])
}

function isUpstream(value: unknown): boolean {
  if (value === null) return true
  return (
    isObject(value) &&
    isDialect(value['dialect']) &&
    isObject(value['reading']) &&
    typeof value['model'] === 'string' &&
    typeof value['contentType'] === 'string' &&
    typeof value['response'] === 'string'
  )
}

function isDialect(value: unknown): value is DialectId {
  return typeof value === 'string' && isDialectId(value)
}

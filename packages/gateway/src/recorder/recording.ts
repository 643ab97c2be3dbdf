import type { FormatId, ParserOptions } from '@dragoman/core'
import { type Dialect, dialects } from '../base/dialect.ts'

/** One exchange as it lies in a file: what came and went on either side, without secrets. */
export interface RecordedExchange {
  /** Also how a recording is told from any other JSON. */
  readonly dragomanRecording: 1
  readonly requestId: string
  readonly time: string
  readonly client: {
    readonly dialect: Dialect
    readonly request: string
    /** Null where the client left before it got any. */
    readonly status: number | null
    readonly response: string
  }
  /** Null where the request was refused before any upstream was asked. */
  readonly upstream: RecordedUpstream | null
}

export interface RecordedUpstream {
  readonly name: string
  readonly dialect: Dialect
  readonly model: string
  /** In whose style ids and reasoning went. */
  readonly format: FormatId
  /** How the answer was read; the tools are those of the client's request. */
  readonly reading: Omit<ParserOptions, 'tools'>
  readonly request: string
  /** Null where it never answered. */
  readonly status: number | null
  readonly contentType: string
  readonly response: string
  /** Why the connection ended badly, or null. */
  readonly fault: string | null
}

/** The recording in this text, or undefined where it is something else. */
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
  return isObject(value) && isDialect(value['dialect']) && typeof value['request'] === 'string'
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

function isDialect(value: unknown): value is Dialect {
  return dialects.some((dialect) => dialect === value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

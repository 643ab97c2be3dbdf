import {
  type ConversationRequest,
  detectFormat,
  type DialectId,
  dialectIds,
  dialects,
  type FormatId,
  type RequestError,
  type RequestNote,
} from '@dragoman/core'
import { isObject } from '../base/is-object.ts'

/** A request for an answer, as somebody's client wrote it. */
export interface FoundRequest {
  readonly dialect: DialectId
  readonly request: ConversationRequest
  readonly notes: readonly RequestNote[]
}

export interface RequestSearch {
  /** The dialect that it is said to be of. */
  readonly from: DialectId | undefined
  /** The model, for a dialect that names it only in the address. */
  readonly model: string | undefined
}

/**
 * The request that a JSON value is; the error of the dialect that it looks like, or null where it looks like none. Of several
 * dialects that can read it, that one is meant in which the fewest fields are left over.
 */
export function findRequest(
  value: unknown,
  { from, model }: RequestSearch,
): FoundRequest | RequestError | null {
  if (!isObject(value)) return null
  const likely = dialectIds
    .filter((id) => from === undefined || id === from)
    .filter((id) => dialects[id].request.messages.places.field in value)
  const read = likely.map((dialect) => ({ dialect, came: decoded(value, dialect, model) }))
  const found = read.flatMap(({ dialect, came }): FoundRequest[] =>
    'error' in came ? [] : [{ dialect, request: came.request, notes: came.notes }],
  )
  const [best] = found.toSorted((one, other) => leftOver(one) - leftOver(other))
  return best ?? read.flatMap(({ came }) => ('error' in came ? [came.error] : []))[0] ?? null
}

function decoded(value: object, dialect: DialectId, model = 'unknown'): ReturnType<typeof decodeIn> {
  const plain = decodeIn(dialect, value)
  const path = dialects[dialect].http.upstreamPath('', model, false)
  return 'error' in plain ? decodeIn(dialect, value, path) : plain
}

function decodeIn(dialect: DialectId, value: object, path?: string) {
  return dialects[dialect].request.decode(value, path === undefined ? undefined : { path, query: {} })
}

function leftOver({ request, notes }: Pick<FoundRequest, 'request' | 'notes'>): number {
  return Object.keys(request.extra).length + notes.length
}

export interface WrittenRequest {
  /** The body, as JSON. */
  readonly body: string
  /** Where it is sent: the end of the address. */
  readonly path: string
  readonly notes: readonly RequestNote[]
}

/** The same request in another dialect, or anew in its own. */
export function writeRequest(
  { dialect, request, notes }: FoundRequest,
  to: DialectId,
  options: { readonly model: string | undefined; readonly format: FormatId | undefined },
): WrittenRequest {
  const { request: writes, http } = dialects[to]
  const { model = request.model } = options
  const written = writes.encode(request, {
    model,
    format: options.format ?? writes.format ?? detectFormat(model),
    sameDialect: dialect === to,
  })
  return {
    body: JSON.stringify(written.body),
    path: http.upstreamPath('', model, request.stream),
    notes: [...notes, ...written.notes],
  }
}

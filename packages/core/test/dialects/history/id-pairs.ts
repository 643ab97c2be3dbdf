import { valueAt } from '../../request/translation.ts'

export interface IdPair {
  readonly call: string
  /** The id of the result at the place where that of the call must stand. */
  readonly result: string
}

/** The ids of the calls and results in messages of either dialect, by their places. */
export function idPairs(messages: readonly unknown[]): IdPair[] {
  const calls = messages.flatMap((message) => [
    ...items(valueAt(message, 'tool_calls')).map((call) => valueAt(call, 'id')),
    ...blocks(message, 'tool_use').map((block) => valueAt(block, 'id')),
  ])
  const results = messages.flatMap((message) => [
    ...(valueAt(message, 'role') === 'tool' ? [valueAt(message, 'tool_call_id')] : []),
    ...blocks(message, 'tool_result').map((block) => valueAt(block, 'tool_use_id')),
  ])
  const length = Math.max(calls.length, results.length)
  return Array.from({ length }, (_, at) => ({ call: String(calls[at]), result: String(results[at]) }))
}

function blocks(message: unknown, type: string): unknown[] {
  return items(valueAt(message, 'content')).filter((block) => valueAt(block, 'type') === type)
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

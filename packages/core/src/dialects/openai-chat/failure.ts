/** Why an answer cannot end as a whole one. */
export interface Failure {
  readonly code: 'incomplete_tool_call' | 'invalid_tool_arguments' | 'tool_call_too_large' | 'upstream_limit'
  readonly message: string
}

/** The error as this dialect says it in the middle of a stream. */
export function errorBody({ code, message }: Failure): { readonly error: object } {
  return { error: { message, type: 'upstream_error', param: null, code } }
}

import type { Failure } from '../../answer/failure.ts'

export function geminiErrorBody(failure: Failure): object {
  return { error: { code: failure.status ?? 500, message: failure.message, status: 'INTERNAL' } }
}

import type { ErrorShape, Said } from './imitation.ts'

/** The usual shape: an object in `error`. Its `code` is the status, unless the error has one of its own. */
export const nested: ErrorShape = ({ status, message, type, code, param, more }) => ({
  error: { message, type: type ?? null, param: param ?? null, code: code ?? status, ...more },
})

/** As `nested`, of servers that know no code but words. */
export const nestedWithoutStatus: ErrorShape = ({ message, type, code, param, more }) => ({
  error: {
    message,
    type: type ?? 'invalid_request_error',
    param: param ?? null,
    code: code ?? null,
    ...more,
  },
})

/** Everything at the top. */
export const flat: ErrorShape = ({ status, message, type, code, param, more }) => ({
  object: 'error',
  message,
  type: type ?? 'BadRequest',
  param: param ?? null,
  code: code ?? status,
  ...more,
})

/** A text instead of an object. */
export const text: ErrorShape = ({ message, more }) => ({ error: message, ...more })

/** The envelope of Anthropic's dialect. Some servers put types of their own into it. */
export const enveloped: ErrorShape = ({ message, type }) => ({
  type: 'error',
  error: { type: type ?? 'invalid_request_error', message },
})

/** What most web frameworks in Python say of an unknown path. */
export function notFoundInPython(): Said {
  return { status: 404, body: { detail: 'Not Found' } }
}

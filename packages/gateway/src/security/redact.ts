import type { Failure } from '@dragoman/core'

/** Takes secrets out of texts that leave the process: logs, error messages, recordings. */
export interface Redactor {
  (text: string): string
}

const REDACTED = '[redacted]'

/** What looks like a key wherever it comes from, and what to write in its place. */
const keyShapes: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, REDACTED],
  [/\b(Bearer)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/([?&](?:key|api_key|apikey|token)=)[^&\s"']+/gi, `$1${REDACTED}`],
]

/** Knows the given secrets in each form in which they leak: as they are, URL-encoded, in base64. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>()
  for (const secret of secrets) {
    // Short values would take ordinary words out of every text.
    if (secret.length < 6) continue
    forms.add(secret)
    forms.add(encodeURIComponent(secret))
    forms.add(Buffer.from(secret).toString('base64').replace(/=+$/, ''))
    forms.add(Buffer.from(secret).toString('base64url'))
  }
  const known = [...forms].toSorted((a, b) => b.length - a.length)
  return (text) => {
    let clean = text
    for (const form of known) clean = clean.replaceAll(form, REDACTED)
    for (const [shape, replacement] of keyShapes) clean = clean.replace(shape, replacement)
    return clean
  }
}

/** An upstream may repeat the key it was shown, in its message or in its code. */
export function redactFailure(failure: Failure, redact: Redactor): Failure {
  return { ...failure, code: redact(failure.code), message: redact(failure.message) }
}

export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  redact: Redactor,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

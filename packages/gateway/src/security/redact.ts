import type { Failure } from '@dragoman/core'

/** Takes secrets out of texts that leave the process: logs, error messages, recordings. */
export interface Redactor {
  (text: string): string
}

const REDACTED = '[redacted]'

/** Texts that look like a key, wherever they come from, and what replaces them. */
const keyShapes: readonly (readonly [RegExp, string])[] = [
  [/\bsk-[A-Za-z0-9_-]{8,}/g, REDACTED],
  [/\b(Bearer)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${REDACTED}`],
  [/([?&](?:key|api_key|apikey|token)=)[^&\s"']+/gi, `$1${REDACTED}`],
]

/** Most texts hold no key: one search tells so, instead of three. */
const looksLikeKey = /sk-|bearer|[?&](?:key|api_?key|token)=/i

/** Finds the given secrets in each form in which they can leak: plain, in JSON, URL-encoded and in base64. */
export function createRedactor(secrets: readonly string[]): Redactor {
  const forms = new Set<string>()
  for (const secret of secrets) {
    // A short secret would take ordinary words out of every text.
    if (secret.length < 6) continue
    for (const form of formsOf(secret)) forms.add(form)
  }
  const known = [...forms].toSorted((a, b) => b.length - a.length)
  const escapes = secrets.filter(({ length }) => length >= 6).map(withEscapes)
  return (text) => {
    let clean = text
    for (const form of known) clean = clean.replaceAll(form, REDACTED)
    // JSON may write any character as an escape. Nearly no text does, so that one search tells that there is none.
    if (clean.includes(String.raw`\u00`)) for (const each of escapes) clean = clean.replace(each, REDACTED)
    if (!looksLikeKey.test(clean)) return clean
    for (const [shape, replacement] of keyShapes) clean = clean.replace(shape, replacement)
    return clean
  }
}

function formsOf(secret: string): string[] {
  const inJson = escaped(secret)
  const inUrl = encodeURIComponent(secret)
  const bytes = Buffer.from(secret)
  return [
    secret,
    inJson,
    inJson.replaceAll('/', String.raw`\/`),
    // An upstream's error is JSON, and the log line that quotes it is JSON again.
    escaped(inJson),
    escaped(inJson.replaceAll('/', String.raw`\/`)),
    inUrl,
    inUrl.replaceAll(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    inUrl.replaceAll('%20', '+'),
    bytes.toString('base64').replace(/=+$/, ''),
    bytes.toString('base64url'),
    ...insideBase64(bytes),
  ]
}

/** A shorter piece may stand in a text by chance. */
const SHORTEST_INSIDE = 16

/**
 * What a text in base64 has of a secret that stands somewhere inside: three bytes are four characters, so that it depends
 * on what stands before. The characters at both ends depend on the neighbours, too.
 */
function insideBase64(secret: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), secret])
    const [first, end] = [Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6)]
    const own = (['base64', 'base64url'] as const).map((name) => bytes.toString(name).slice(first, end))
    return own.filter(({ length }) => length >= SHORTEST_INSIDE)
  })
}

/** The secret with any of its characters written as an escape, in JSON or in JSON that quotes JSON. */
function withEscapes(secret: string): RegExp {
  const units = Array.from({ length: secret.length }, (_, at) => {
    const plain = escaped(secret.charAt(at)).replaceAll(/[^A-Za-z0-9]/g, String.raw`\$&`)
    const code = secret.charCodeAt(at).toString(16).padStart(4, '0')
    const digits = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`)
    return String.raw`(?:${plain}|\\+u${digits})`
  })
  return new RegExp(units.join(''), 'g')
}

function escaped(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** Takes secrets out of a failure: an upstream may repeat the key that it got, in its message or in its code. */
export function redactFailure(failure: Failure, redact: Redactor): Failure {
  const { code, message, upstreamType } = failure
  const told = { ...failure, code: redact(code), message: redact(message) }
  return upstreamType === undefined ? told : { ...told, upstreamType: redact(upstreamType) }
}

export function redactHeaders(
  headers: Readonly<Record<string, string>>,
  redact: Redactor,
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, redact(value)]))
}

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../src/security/redact.ts'

const secret = 'p"a/ss\\word+1 %ü'
const redact = createRedactor([secret])

describe('a secret', () => {
  it.each([
    ['as it is', secret],
    ['in JSON', JSON.stringify(secret).slice(1, -1)],
    [
      'in JSON with escaped slashes',
      JSON.stringify(secret)
        .slice(1, -1)
        .replaceAll('/', String.raw`\/`),
    ],
    ['in JSON inside JSON', JSON.stringify(JSON.stringify(secret)).slice(3, -3)],
    ['URL-encoded', encodeURIComponent(secret)],
    ['URL-encoded in small letters', encodeURIComponent(secret).toLowerCase().replace('%25', '%25')],
    ['as a field of a form', encodeURIComponent(secret).replaceAll('%20', '+')],
    ['in base64', Buffer.from(secret).toString('base64').replace(/=+$/, '')],
    ['in base64 for URLs', Buffer.from(secret).toString('base64url')],
  ])('%s is taken out of a text', (_how, form) => {
    expect(redact(`before ${form} after`)).toBe('before [redacted] after')
  })

  it.each(['', 'a', 'Bearer ', 'user:', 'x'.repeat(29)])(
    'is taken out of a text in base64 in which it stands behind "%s"',
    (before) => {
      const long = 'p"a/ss\\word+1 %ü and some more'
      for (const alphabet of ['base64', 'base64url'] as const) {
        const text = Buffer.from(`${before}${long} and words behind it`).toString(alphabet)
        const clean = createRedactor([long])(text)
        const [head = '', tail = ''] = clean.split('[redacted]')
        expect(clean).toContain('[redacted]')
        // What is left on either side is the neighbours' own, and at most two characters in which the secret has a part.
        expect(head.length).toBeLessThanOrEqual(Math.ceil((before.length * 8) / 6))
        expect(tail.length).toBeLessThanOrEqual(
          Buffer.from(' and words behind it').toString(alphabet).length + 3,
        )
      }
    },
  )

  it('of any characters is not in a log line that holds it, nor in one that holds a body with it', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, unit: 'grapheme' }), (any) => {
        fc.pre(!'{"failure":"said "}[redacted]'.includes(any))
        const clean = createRedactor([any])
        const body = JSON.stringify({ error: any })
        for (const failure of [`said ${any}`, body]) {
          const line: { failure: string } = JSON.parse(clean(JSON.stringify({ failure })))
          expect(line.failure.replaceAll('[redacted]', '')).not.toContain(any)
        }
      }),
      { seed: 7, numRuns: 300 },
    )
  })

  it('that is too short to be one leaves ordinary words alone', () => {
    expect(createRedactor(['the'])('over the hill')).toBe('over the hill')
  })
})

describe('what looks like a key', () => {
  it.each([
    ['Bearer abcdefgh12345678', 'Bearer [redacted]'],
    ['sk-abcdefgh12345678', '[redacted]'],
    ['https://a.b/c?key=abc&x=1', 'https://a.b/c?key=[redacted]&x=1'],
  ])('%s is taken out, whoever it belongs to', (text, clean) => {
    expect(createRedactor([])(text)).toBe(clean)
  })
})

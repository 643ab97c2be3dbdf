import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { makeSignature, readSignature } from '../../src/request/reasoning-signature.ts'
import { formatIds } from '../../src/formats/format-id.ts'

const source = { format: 'kimi', field: 'reasoning_content', model: 'moonshotai/kimi-k2-thinking' } as const

describe('a signature of ours', () => {
  it('says where the reasoning came from, whatever the model is called', () => {
    const anySource = fc.record(
      {
        format: fc.constantFrom(...formatIds),
        field: fc.string(),
        model: fc.string({ unit: 'grapheme' }),
        proof: fc.string({ unit: 'grapheme' }),
      },
      { requiredKeys: ['format', 'field', 'model'] },
    )
    fc.assert(
      fc.property(anySource, (any) => {
        const signature = makeSignature(any)
        expect(readSignature(signature)).toEqual(any)
        expect(signature).toMatch(/^dragoman_1_[a-zA-Z0-9_-]+$/)
      }),
    )
  })

  it('is the same text for the same source, so that cached prefixes hold', () => {
    expect(makeSignature({ ...source })).toBe(makeSignature(source))
  })

  it('is taken for foreign when any character of it was changed or cut', () => {
    const signature = makeSignature(source)
    fc.assert(
      fc.property(fc.nat(signature.length - 1), fc.constantFrom('', 'A', 'z', '=', '.'), (at, other) => {
        fc.pre(signature[at] !== other)
        const changed = signature.slice(0, at) + other + signature.slice(at + 1)
        const read = readSignature(changed)
        expect(read === 'foreign' || makeSignature(read ?? source) === changed).toBe(true)
      }),
    )
  })

  it('is taken for foreign when its version is unknown', () => {
    expect(readSignature(makeSignature(source).replace('_1_', '_2_'))).toBe('foreign')
  })
})

describe('other signatures', () => {
  it('are foreign, as Anthropic’s are', () => {
    expect(readSignature('EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pk=')).toBe('foreign')
  })

  it('are none where the field is missing or empty', () => {
    expect([readSignature(undefined), readSignature('')]).toEqual([null, null])
  })
})

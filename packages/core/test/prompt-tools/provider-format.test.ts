import { describe, expect, it } from 'vitest'
import { formatIds } from '../../src/formats/format-id.ts'
import { isPromptFormat } from '../../src/prompt-tools/prompt-formats.ts'
import { toProviderFormat } from '../../src/prompt-tools/provider-format.ts'

const parameters = { type: 'object', properties: { city: { type: 'string' } } }
const described = { name: 'get_weather', description: 'Tells the weather.' }
const shapes = {
  openai: [{ type: 'function', function: { ...described, parameters } }],
  anthropic: [{ ...described, input_schema: parameters }],
  gemini: [{ functionDeclarations: [{ ...described, parametersJsonSchema: parameters }] }],
  bare: [{ ...described, parameters }],
}

describe.each(Object.entries(shapes))('tools in the shape of %s', (_, tools) => {
  it('become those of each provider', () => {
    expect(toProviderFormat(tools, 'openai')).toEqual(shapes.openai)
    expect(toProviderFormat(tools, 'anthropic')).toEqual(shapes.anthropic)
    expect(toProviderFormat(tools, 'gemini')).toEqual(shapes.gemini)
  })

  it('are OpenAI’s for Kimi, Qwen and every other format whose servers write the prompt', () => {
    const structured = formatIds.filter((id) => id !== 'anthropic' && !isPromptFormat(id))
    expect(structured).toContain('kimi')
    expect(structured).toContain('qwen')
    for (const format of structured) expect(toProviderFormat(tools, format)).toEqual(shapes.openai)
  })

  it.each(['hermes', 'xml', 'llama'] as const)(
    'are a text with all that the model has to know for %s',
    (format) => {
      const text = toProviderFormat(tools, format)
      expect(text).toContain('"name":"get_weather"')
      expect(text).toContain('Tells the weather.')
      expect(text).toContain(JSON.stringify(parameters))
    },
  )
})

describe('tools that say less', () => {
  it('take no arguments where they have no schema', () => {
    expect(toProviderFormat([{ name: 'f' }], 'anthropic')).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ])
  })

  it('keep that they are strict', () => {
    const strict = [{ type: 'function', function: { name: 'f', parameters, strict: true } }]
    expect(toProviderFormat(strict, 'openai')).toEqual(strict)
    expect(toProviderFormat(strict, 'anthropic')).toEqual([
      { name: 'f', input_schema: parameters, strict: true },
    ])
  })

  it('are nothing where there are none', () => {
    expect(toProviderFormat([], 'openai')).toEqual([])
    expect(toProviderFormat([], 'gemini')).toEqual([])
    expect(toProviderFormat([], 'hermes')).toBe('')
  })

  it('are a mistake without a name, and so is an unknown format', () => {
    expect(() => toProviderFormat([{ description: 'x' }], 'openai')).toThrow('tools[0] has no name')
    expect(() => toProviderFormat([], 'klingon')).toThrow('There is no format "klingon"')
  })
})

import { describe, expect, it } from 'vitest'
import { detectModel } from '../../../src/formats/detect.ts'

describe('names of models that write Python or Gemma calls', () => {
  const cases: [model: string, format: string, grammar?: string][] = [
    ['meta-llama/llama-4-scout', 'llama', 'pythonic-bare'],
    ['unsloth/Llama-4-Maverick-17B-128E-Instruct-GGUF', 'llama', 'pythonic-bare'],
    ['Team-ACE/ToolACE-2-Llama-3.1-8B', 'pythonic', 'pythonic-bare'],
    ['toolace-8b', 'pythonic', 'pythonic-bare'],
    ['google/gemma-4-26b-a4b-it', 'gemma', 'gemma4'],
    ['gemma4:31b', 'gemma', 'gemma4'],
    ['functiongemma:270m', 'gemma', 'functiongemma'],
    ['google/gemma-3-4b-it', 'gemma'],
    ['gemma-2-9b', 'gemma'],
    ['liquid/lfm-2-8b-a1b', 'lfm', 'lfm2-pythonic'],
    ['LiquidAI/LFM2-1.2B-Tool', 'lfm', 'lfm2-pythonic'],
    ['allenai/olmo-3-7b-think', 'olmo'],
    ['allenai/OLMo-2-1124-13B', 'standard'],
    ['ollama/llama4', 'llama', 'pythonic-bare'],
  ]
  for (const [model, format, grammar] of cases) {
    it(`${model} is ${format}${grammar === undefined ? '' : `, ${grammar}`}`, () => {
      expect(detectModel(model)).toMatchObject(grammar === undefined ? { format } : { format, grammar })
    })
  }
})

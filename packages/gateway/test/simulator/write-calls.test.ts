import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { formats, parseToolCalls } from '@dragoman/core'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findWriting, writeCalls, writingForModel } from '../../src/simulator/find-writing.ts'
import type { WrittenCall } from '../../src/simulator/writing.ts'
import { writings } from '../../src/simulator/writings.ts'
import { isThorough } from '../thorough.ts'
import { anyCalls, anyTools } from './any-calls.ts'

const textWritings = writings.filter((writing) => writing.kind === 'text')

describe('writeCalls', () => {
  it('writes every format that can be read', () => {
    expect(formats.map(({ id }) => id).filter((id) => findWriting(id) === undefined)).toEqual([])
  })

  for (const { id, formats: readAs } of textWritings) {
    for (const format of [...readAs, 'auto'] as const) {
      it(`what it writes as ${id} is read back with the format ${format}`, () => {
        fc.assert(
          fc.property(anyCalls, fc.nat(30), (calls, startIndex) => {
            const written = writeCalls(id, calls, { startIndex })
            const { content, toolCalls, problems, repairs } = parseToolCalls(written, {
              format,
              tools: anyTools,
            })
            expect({ content, problems }).toEqual({ content: '', problems: [] })
            // Qwen's template writes True and False, so reading them back is a repair.
            expect(repairs.filter(({ code }) => code !== 'python-literal')).toEqual([])
            expect(
              toolCalls.map((call) => ({ name: call.name, arguments: JSON.parse(call.arguments) })),
            ).toEqual(calls)
            if (id === 'kimi-k2') {
              expect(toolCalls.map((call) => call.id)).toEqual(
                calls.map(({ name }, index) => `functions.${name}:${startIndex + index}`),
              )
            }
          }),
          { numRuns: isThorough ? 100 : 40 },
        )
      })
    }
  }

  const templates: [template: string, writing: string][] = [
    ['moonshotai-Kimi-K2.jinja', 'kimi-k2'],
    ['Kimi-K2-Thinking.jinja', 'kimi-k2'],
    ['Kimi-K3.jinja', 'kimi-k3'],
    ['Qwen3-Coder.jinja', 'qwen3-coder-xml'],
    ['Qwen3.5-4B.jinja', 'qwen3-coder-xml'],
    ['Qwen-Qwen3-0.6B.jinja', 'hermes-json'],
    ['NousResearch-Hermes-2-Pro-Llama-3-8B-tool_use.jinja', 'hermes-json'],
    ['sglang-deepseekv3.jinja', 'deepseek-v3'],
    ['deepseek-ai-DeepSeek-V3.1.jinja', 'deepseek-v3.1'],
    ['deepseek-ai-DeepSeek-V3.2.jinja', 'deepseek-v3.2'],
    ['deepseek-ai-DeepSeek-V4.jinja', 'deepseek-v4'],
    ['GLM-4.6.jinja', 'glm-4.6'],
    ['GLM-4.7-Flash.jinja', 'glm-4.7'],
    ['poolside-Laguna-S-2.1.jinja', 'glm-4.7'],
    ['MiniMax-M2.jinja', 'minimax-m2'],
    ['tencent-Hy3.jinja', 'hunyuan-3'],
    ['unsloth-mistral-Devstral-Small-2507.jinja', 'mistral-args'],
    ['meta-llama-Llama-3.1-8B-Instruct.jinja', 'llama3-json'],
    ['vllm-granite.jinja', 'granite-array'],
    ['vllm-granite_20b_fc.jinja', 'granite-20b-fc'],
    ['vllm-apertus.jinja', 'apertus'],
    ['unsloth-Apriel-1.5.jinja', 'apriel'],
    ['vllm-hunyuan_a13b.jinja', 'hunyuan-a13b'],
    ['MiniMax-M1.jinja', 'minimax-m1-jsonl'],
    ['NVIDIA-Nemotron-Nano-v2.jinja', 'nemotron-toolcall'],
    ['fireworks-ai-llama-3-firefunction-v2.jinja', 'functools'],
    ['vllm-internlm2_tool.jinja', 'internlm2'],
    ['vllm-xlam_llama.jinja', 'xlam-array'],
    ['GigaChat3-10B-A1.8B.jinja', 'gigachat3'],
    ['GigaChat3.1-10B-A1.8B.jinja', 'gigachat3.1'],
    ['meetkai-functionary-medium-v3.1.jinja', 'functionary-v3.1'],
    ['Cohere2MoE.jinja', 'cohere-action'],
    ['CohereForAI-c4ai-command-r7b-12-2024-tool_use.jinja', 'cohere-action'],
  ]
  const corpus = readCorpus()
  for (const [template, writing] of templates) {
    it(`${writing} is written as ${template} writes it`, () => {
      const cases = corpus.filter((each) => each.template === template)
      expect(cases.length).toBeGreaterThan(5)
      for (const { raw, expected } of cases) expect(raw).toContain(writeCalls(writing, expected.calls))
    })
  }

  it('structured calls have no text', () => {
    expect(() => writeCalls('standard', [])).toThrow('structured')
    expect(() => writeCalls('klingon', [])).toThrow('It can: standard')
  })
})

describe('the name of a model', () => {
  const cases: [model: string, format: string | undefined, writing: string][] = [
    ['kimi-k2', undefined, 'kimi-k2'],
    ['moonshotai/kimi-k3', undefined, 'kimi-k3'],
    ['qwen3-coder', undefined, 'qwen3-coder-xml'],
    ['Qwen/Qwen3-32B', undefined, 'hermes-json'],
    ['deepseek/deepseek-v3.2', undefined, 'deepseek-v3.2'],
    ['deepseek-v4', undefined, 'deepseek-v4'],
    ['deepseek-v3.1-terminus', undefined, 'deepseek-v3.1'],
    ['deepseek-chat', undefined, 'deepseek-v3.2'],
    ['xml', undefined, 'claude-invoke'],
    ['gpt-4o', undefined, 'standard'],
    ['anything', undefined, 'standard'],
    ['gpt-4o', 'kimi', 'kimi-k2'],
    ['kimi-k3', 'kimi', 'kimi-k3'],
    ['kimi-k3', 'kimi-k2', 'kimi-k2'],
    ['kimi-k2', 'standard', 'standard'],
    ['kimi-k2', 'qwen', 'qwen3-coder-xml'],
  ]
  for (const [model, format, writing] of cases) {
    it(`${model} with the format ${format ?? 'not given'} writes ${writing}`, () => {
      expect(writingForModel(model, format).id).toBe(writing)
    })
  }
})

interface CorpusCase {
  readonly template: string
  readonly raw: string
  readonly expected: { readonly calls: readonly WrittenCall[] }
}

function readCorpus(): CorpusCase[] {
  const packed = readFileSync(new URL('../../../core/test/corpus/public.jsonl.gz', import.meta.url))
  const lines = gunzipSync(packed).toString('utf8').trim().split('\n')
  // Python spells some floating-point numbers in another way; a simulated call holds none of them.
  const usual = lines.filter((line) => !/1e-07|\d\.0\b/.test(line))
  return JSON.parse(`[${usual.join(',')}]`)
}

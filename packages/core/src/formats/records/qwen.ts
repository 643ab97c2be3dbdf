import type { Format } from '../format.ts'
import { bareJson, commonTurnTokens, enableThinking, taughtByR1, think } from './common.ts'
import { drift } from './drift.ts'
import { hermesJson } from './hermes.ts'
import { claudeInvoke, qwen3Coder } from './xml.ts'

/** Qwen writes JSON or tags between the same markers; what follows the opener tells which. */
export const qwen: Format = {
  id: 'qwen',
  title: 'Qwen',
  models: [
    'Qwen2.5',
    'QwQ',
    'Qwen3',
    'Qwen3-Coder',
    'Qwen3.5 and later',
    'MiMo-V2',
    'Nemotron 3',
    'Step 3.5',
    'K-EXAONE 2',
  ],
  sample:
    '<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n</function>\n</tool_call>',
  checked: {
    on: '2026-10',
    against:
      'the templates of Qwen2.5 to Qwen3.5, Qwen3-Coder, Nemotron 3 and Step 3.5; qwen3_coder of vLLM and SGLang',
    proof: ['template', 'engine', 'report'],
  },
  grammars: [hermesJson, qwen3Coder],
  salvage: [qwen3Coder, claudeInvoke, bareJson, ...drift],
  reasoning: [think],
  structure: [],
  turnTokens: commonTurnTokens,
  thinking: [
    taughtByR1,
    {
      models: /qwen-?3-?coder|qwen-?3(?!\.[5-9]).*-instruct|instruct-2507|qwen-?(?:1\.5|2)(?!\d*b)/,
      default: 'never',
    },
    { models: /qwen-?3.*-thinking|thinking-2507|\bqwq|\bqvq/, default: 'always' },
    {
      models: /qwen-?3\.8/,
      default: 'on',
      ...enableThinking,
      efforts: ['none', 'low', 'medium', 'high'],
    },
    { models: /qwen-?3(?:\.[0-7])?(?![.\d]|\d*b)/, default: 'on', ...enableThinking },
    { models: /nemotron(?:-(?:nano|super|ultra))?-?3(?![\db])/, default: 'on', ...enableThinking },
  ],
}

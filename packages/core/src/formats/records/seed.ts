import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import type { Format } from '../format.ts'
import { commonTurnTokens, think } from './common.ts'
import { claudeInvoke, qwen3Coder } from './xml.ts'

/** Qwen's tags between tokens of its own, with the values on one line with their tags. */
const seedTags: TaggedParamsGrammar = {
  ...qwen3Coder,
  id: 'seed-oss-xml',
  isSpecial: true,
  sectionBegin: ['<seed:tool_call>'],
  sectionEnd: ['</seed:tool_call>'],
  parameter: { trim: 'none' },
}

export const seed: Format = {
  id: 'seed',
  title: 'Seed-OSS',
  models: ['Seed-OSS 36B'],
  sample:
    '<seed:tool_call>\n<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>\n</seed:tool_call>',
  checked: {
    on: '2026-10',
    against: 'the template of Seed-OSS 36B; seed_oss of vLLM',
    proof: ['template', 'engine'],
  },
  grammars: [seedTags],
  // A server that strips the tokens leaves the tags between them.
  salvage: [qwen3Coder, claudeInvoke],
  stripped: [
    {
      grammar: 'seed-oss-xml',
      left: '<function=get_weather>\n<parameter=city>Paris</parameter>\n</function>',
    },
  ],
  reasoning: [
    { begin: '<seed:think>', end: '</seed:think>' },
    // Without a budget to think the prompt opens both, and the model closes both.
    {
      begin: ['<seed:think>', '<seed:cot_budget_reflect>'],
      end: ['</seed:cot_budget_reflect>', '</seed:think>'],
    },
    think,
  ],
  structure: [],
  turnTokens: [
    '<seed:eos>',
    '<seed:bos>',
    // What it thinks of its budget. Outside of a thought nobody is told that.
    '<seed:cot_budget_reflect>',
    '</seed:cot_budget_reflect>',
    ...commonTurnTokens,
  ],
  thinking: [{ default: 'on', off: { thinking_budget: 0 }, budgetArgument: 'thinking_budget' }],
}

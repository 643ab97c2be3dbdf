import type { Format } from '../format.ts'

/** Calls come as structured data, not as text. Set explicitly it turns in-band reading off. */
export const standard: Format = {
  id: 'standard',
  title: 'Standard',
  models: ['GPT', 'Claude', 'Gemini', 'every server that parses tool calls itself'],
  sample: '',
  grammars: [],
  salvage: [],
  reasoning: [],
  structure: [],
  turnTokens: [],
}

/** The structured shape of Anthropic's API; in-band it reads like `standard`. */
export const anthropic: Format = {
  ...standard,
  id: 'anthropic',
  title: 'Anthropic',
  models: ['Claude'],
}

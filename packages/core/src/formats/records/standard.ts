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
  // Nothing is known of the model: the client knows better than we do what it takes. Models that call tools as they
  // should have nothing else in common, so one of them may refuse the reasoning that another one signed.
  template: {
    system: 'anywhere',
    developerRole: true,
    nullFields: 'keep',
    reasoningOwner: 'model',
    signatures: 'checked',
  },
}

/** The structured shape of Anthropic's API; in-band it reads like `standard`. */
export const anthropic: Format = {
  ...standard,
  id: 'anthropic',
  title: 'Anthropic',
  models: ['Claude'],
  template: {
    system: 'anywhere',
    developerRole: true,
    signatures: 'checked',
    ids: 'anthropic',
    tools: 'input_schema',
  },
}

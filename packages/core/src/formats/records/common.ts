import { type DelimitedJsonGrammar, usualEnvelope } from '../../engines/json/grammar.ts'
import type { Marker } from '../../text/marker.ts'
import type { ReasoningMarkers, ThinkingFamily } from '../format.ts'

/** What most models think in. */
export const think: ReasoningMarkers = { begin: '<think>', end: '</think>' }

/** The argument by which most templates of models that can do both are told whether to think. */
export const enableThinking: Pick<ThinkingFamily, 'on' | 'off'> = {
  on: { enable_thinking: true },
  off: { enable_thinking: false },
}

/** What DeepSeek, Kimi and Granite read instead. */
export const thinkingArgument: Pick<ThinkingFamily, 'on' | 'off'> = {
  on: { thinking: true },
  off: { thinking: false },
}

/** Models that others taught to think as R1 does write as their base does. */
export const taughtByR1: ThinkingFamily = { models: /deepseek-r1|r1-distill|r1-0528/, default: 'always' }

/** Whose turns models begin: their own once more, or that of another, where they do not stop. */
export const speakers = ['assistant', 'user', 'tool', 'system']

/** Tokens with which chat templates end or begin a turn. Any server may let one slip through. */
export const commonTurnTokens: readonly string[] = [
  '<|im_end|>',
  '<|im_start|>',
  ...speakers.map((role) => `<|im_start|>${role}`),
  '<|endoftext|>',
  '<|eot_id|>',
  '<|eom_id|>',
  '<|observation|>',
  '[|endofturn|]',
  '</s>',
]

/** Some put their calls into an object, as the API returns them. */
export const listOfCalls: readonly Marker[] = [['{', '"tool_calls"', ':', '[']]

/** The whole answer, or a whole code fence, is the JSON of calls: no marker says so. */
export const bareJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'bare-json',
  isSpecial: false,
  isBare: true,
  callBegin: ['{', '['],
  callEnd: [],
  listBegin: listOfCalls,
  envelope: { ...usualEnvelope, isStrict: true },
}

/** JSON between the tokens of a syntax that has none: the prompt, or other models, taught it. */
export function tokenJson({ sectionBegin = [], sectionEnd = [] }: Sections): DelimitedJsonGrammar {
  return {
    ...toolCallsJson,
    id: 'token-json',
    isSpecial: true,
    callBegin: sectionBegin,
    callEnd: sectionEnd,
  }
}

interface Sections {
  readonly sectionBegin?: readonly Marker[]
  readonly sectionEnd?: readonly Marker[]
}

/** An array of calls, or one a line, between tags: Apriel, Jamba, Hunyuan A13B, MiniMax M1. */
export const toolCallsJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'tool-calls-json',
  isSpecial: false,
  callBegin: ['<tool_calls>'],
  callEnd: ['</tool_calls>'],
  hasLines: true,
  envelope: usualEnvelope,
}

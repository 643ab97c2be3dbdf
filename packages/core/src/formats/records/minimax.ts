import type { Format } from '../format.ts'
import { minimaxM2 } from './minimax-m2.ts'
import { minimaxM3, minimaxM3Stripped } from './minimax-m3.ts'
import { think } from './reasoning-markers.ts'
import { toolCallsJson } from './tool-calls-json.ts'
import { commonTurnTokens } from './turn-tokens.ts'
import { claudeInvoke } from './xml.ts'

/** Three generations, three syntaxes. */
export const minimax: Format = {
  id: 'minimax',
  title: 'MiniMax',
  models: ['MiniMax-M1', 'MiniMax-M2 to M2.7', 'MiniMax-M3'],
  sample:
    '<minimax:tool_call>\n<invoke name="get_weather">\n<parameter name="city">Paris</parameter>\n</invoke>\n</minimax:tool_call>',
  grammars: [minimaxM2, minimaxM3, toolCallsJson],
  // Without their tokens the two leave these tags.
  salvage: [minimaxM3Stripped, claudeInvoke],
  reasoning: [think, { begin: '<mm:think>', end: '</mm:think>' }],
  structure: [],
  turnTokens: ['<end_of_sentence>', ']~!b[', ']~b]ai', ']~b]', '[e~[', ...commonTurnTokens],
}

import type { Format } from './format.ts'
import { hunyuan3, hunyuan3Plain } from './hunyuan3.ts'
import { think } from './reasoning-markers.ts'
import { toolCallsJson } from './tool-calls-json.ts'
import { commonTurnTokens } from './turn-tokens.ts'

export const hunyuan: Format = {
  id: 'hunyuan',
  title: 'Hunyuan',
  models: ['Hunyuan A13B', 'Hy3'],
  sample:
    '<tool_calls:opensource>\n<tool_call:opensource>get_weather<tool_sep:opensource>\n<arg_key:opensource>city</arg_key:opensource>\n<arg_value:opensource>Paris</arg_value:opensource>\n</tool_call:opensource>\n</tool_calls:opensource>',
  grammars: [hunyuan3, hunyuan3Plain, toolCallsJson],
  salvage: [],
  reasoning: [{ begin: '<think:opensource>', end: '</think:opensource>' }, think],
  structure: [],
  wrappers: [{ begin: '<answer>', end: '</answer>' }],
  turnTokens: [
    '<|eos|>',
    '<｜hy_eos:opensource｜>',
    '<｜hy_User:opensource｜>',
    '<｜hy_Assistant:opensource｜>',
    '<｜hy_eos｜>',
    ...commonTurnTokens,
  ],
}

import type { Format } from '../format.ts'
import { hunyuan3, hunyuan3Plain, suffixed } from './hunyuan3.ts'
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
  reasoning: [{ begin: suffixed('think'), end: suffixed('/think') }, think],
  structure: [],
  wrappers: [{ begin: '<answer>', end: '</answer>' }],
  turnTokens: [
    '<|eos|>',
    ...['<｜hy_eos', '<｜hy_User', '<｜hy_Assistant'].map((before) => ({ before, after: '｜>' })),
    '<｜hy_eos｜>',
    ...commonTurnTokens,
  ],
}

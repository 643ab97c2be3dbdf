import type { DelimitedJsonGrammar } from '../../engines/json/delimited-json.ts'
import { usualEnvelope } from '../../engines/json/envelope-shape.ts'

/** An array of calls, or one a line, between tags: Apriel, Jamba, Hunyuan A13B, MiniMax M1. */
export const toolCallsJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'tool-calls-json',
  isSpecial: false,
  callBegin: ['<tool_calls>'],
  callEnd: ['</tool_calls>'],
  envelope: usualEnvelope,
}

import type { Content } from '../../../conversation.ts'
import type { ConversationRequest, OutputFormat } from '../../../request/conversation-request.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { limitedMaxTokens } from '../../../request/settings.ts'
import type { Notes } from '../../../request/notes.ts'
import type { AnthropicTarget } from '../../../request/target.ts'
import { closedSchema } from '../../../request/tools.ts'
import { encodeThinking } from './encode-thinking.ts'

export function encodeSettings(
  request: ConversationRequest,
  target: AnthropicTarget,
  contents: readonly Content[],
  notes: Notes,
): JsonObject {
  const maxTokens = limitedMaxTokens(request, target, notes)
  const { thinking, effort, budget } = encodeThinking(request, maxTokens, contents, notes)
  const outputConfig = { ...effort, ...encodeFormat(request.outputFormat, target, notes) }
  return {
    ...encodeMaxTokens(maxTokens, target, budget, notes),
    ...encodeSampling(request, target, budget > 0, notes),
    ...encodeStops(request.stopSequences, notes),
    ...(request.stream ? { stream: true } : {}),
    ...(thinking === undefined ? {} : { thinking }),
    ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
    ...(request.user === undefined ? {} : { metadata: { user_id: request.user } }),
  }
}

function encodeMaxTokens(
  maxTokens: number | undefined,
  target: AnthropicTarget,
  budget: number,
  notes: Notes,
): JsonObject {
  if (maxTokens !== undefined) return { max_tokens: maxTokens }
  if (target.sameDialect === true) return {}
  // Thinking counts against the limit: without room for it there would be none left for the answer.
  const limit = (target.defaultMaxTokens ?? 8192) + budget
  notes.changed('max_tokens', 'The upstream demands a limit and the client set none.')
  return { max_tokens: Math.min(limit, target.maxOutputTokens ?? limit) }
}

function encodeSampling(
  { temperature, topP, topK }: ConversationRequest,
  target: AnthropicTarget,
  thinks: boolean,
  notes: Notes,
): JsonObject {
  const sampling: Record<string, number> = {}
  const isFixed = target.fixedSampling === true
  if (temperature !== undefined) {
    const allowed = Math.min(Math.max(temperature, 0), 1)
    if (isFixed || (thinks && allowed !== 1)) notes.dropped('temperature', 'It is fixed at the upstream.')
    else sampling['temperature'] = allowed
    if (!isFixed && allowed !== temperature) notes.changed('temperature', 'The upstream takes 0 to 1.')
  }
  if (topP !== undefined) {
    if (isFixed || (thinks && topP < 0.95)) notes.dropped('top_p', 'It is fixed at the upstream.')
    else sampling['top_p'] = topP
  }
  if (topK !== undefined) {
    if (isFixed || thinks) notes.dropped('top_k', 'It is fixed at the upstream.')
    else sampling['top_k'] = topK
  }
  return sampling
}

function encodeStops(stopSequences: readonly string[], notes: Notes): JsonObject {
  const stops = stopSequences.filter((stop) => stop.trim() !== '')
  if (stops.length < stopSequences.length)
    notes.dropped('stop', 'The upstream takes no stop of white space alone.')
  return stops.length === 0 ? {} : { stop_sequences: stops }
}

function encodeFormat(format: OutputFormat | undefined, target: AnthropicTarget, notes: Notes): JsonObject {
  if (format === undefined || format.type === 'text') return {}
  if (format.type === 'json-schema') {
    const schema = target.sameDialect === true ? format.schema : closedSchema(format.schema)
    return { format: { type: 'json_schema', schema } }
  }
  notes.dropped('response_format', 'The upstream knows no JSON mode without a schema.')
  return {}
}

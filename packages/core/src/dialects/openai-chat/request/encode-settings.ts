import { nineAlphanumerics } from '../../../ids/digest.ts'
import type {
  ConversationRequest,
  OutputFormat,
  ReasoningRequest,
} from '../../../request/conversation-request.ts'
import type { JsonObject } from '../../../json/objects.ts'
import { commonEffort, effortOfBudget, limitedMaxTokens } from '../../../request/settings.ts'
import type { Notes } from '../../../request/notes.ts'
import type { ChatTarget } from '../../../request/target.ts'
import { originalFor } from '../../../request/original.ts'

export function encodeSettings(
  request: ConversationRequest,
  target: ChatTarget,
  spellsCompletion: boolean,
  notes: Notes,
): JsonObject {
  return {
    ...encodeMaxTokens(request, target, spellsCompletion, notes),
    ...encodeSampling(request, target, notes),
    ...encodeStops(request.stopSequences, notes),
    ...encodeStream(request.stream, target),
    ...encodeEffort(request.reasoning, target, notes),
    ...encodeFormat(request.outputFormat, target),
    ...encodeUser(request.user, target, notes),
  }
}

function encodeMaxTokens(
  request: ConversationRequest,
  target: ChatTarget,
  spellsCompletion: boolean,
  notes: Notes,
): JsonObject {
  const maxTokens = limitedMaxTokens(request, target, notes)
  if (maxTokens === undefined) return {}
  const ownField = spellsCompletion && target.sameDialect === true ? 'max_completion_tokens' : 'max_tokens'
  return { [target.maxTokensField ?? ownField]: maxTokens }
}

function encodeSampling(
  { temperature, topP, topK }: ConversationRequest,
  target: ChatTarget,
  notes: Notes,
): JsonObject {
  const isFree = target.fixedSampling !== true
  const settings = [
    ['temperature', temperature, isFree],
    ['top_p', topP, isFree],
    ['top_k', topK, isFree && target.topK === true],
  ] as const
  const sampling: Record<string, number> = {}
  for (const [field, value, isTaken] of settings) {
    if (value === undefined) continue
    if (isTaken) sampling[field] = value
    else notes.dropped(field, 'The upstream does not take it.')
  }
  return sampling
}

const mostStops = 4

function encodeStops(stopSequences: readonly string[], notes: Notes): JsonObject {
  if (stopSequences.length > mostStops) {
    notes.dropped('stop_sequences', `The upstream takes ${mostStops}; the others are left out.`)
  }
  return stopSequences.length === 0 ? {} : { stop: stopSequences.slice(0, mostStops) }
}

function encodeStream(stream: boolean, { streamUsage }: ChatTarget): JsonObject {
  if (!stream) return {}
  return streamUsage === false ? { stream: true } : { stream: true, stream_options: { include_usage: true } }
}

/** A client of the same dialect knows the words of its upstream; any other gets the three that all have. */
function encodeEffort(reasoning: ReasoningRequest | undefined, target: ChatTarget, notes: Notes): JsonObject {
  if (reasoning === undefined) return {}
  const { mode, effort, budgetTokens } = reasoning
  if (effort !== undefined && target.sameDialect === true) return { reasoning_effort: effort }
  if (effort !== undefined && effort !== 'none') return { reasoning_effort: commonEffort(effort) }
  if (mode === 'on' && budgetTokens !== undefined) return { reasoning_effort: effortOfBudget(budgetTokens) }
  notes.dropped('thinking', 'The upstream decides for itself how much it thinks.')
  return {}
}

function encodeFormat(format: OutputFormat | undefined, target: ChatTarget): JsonObject {
  if (format === undefined) return {}
  const original = originalFor(target, format, 'openai-chat')
  if (original !== undefined) return { response_format: original }
  if (format.type !== 'json-schema') {
    return { response_format: { type: format.type === 'json' ? 'json_object' : 'text' } }
  }
  const { name, schema, strict } = format
  return {
    response_format: {
      type: 'json_schema',
      json_schema: { name, schema, ...(strict === undefined ? {} : { strict }) },
    },
  }
}

const longestUser = 64

function encodeUser(user: string | undefined, target: ChatTarget, notes: Notes): JsonObject {
  if (user === undefined) return {}
  if (user.length <= longestUser || target.sameDialect === true) return { user }
  // The long ones begin alike: cut off, all users of a machine would be one.
  notes.changed('metadata.user_id', `The upstream takes ${longestUser} characters; a digest stands for it.`)
  return { user: `user_${nineAlphanumerics(user)}` }
}

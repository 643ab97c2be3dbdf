import type { FormatId } from '../formats/format-id.ts'

/** Whose templates raise an error unless the user begins and the roles alternate. */
export function alternatesTurns(format: FormatId): boolean {
  return format === 'mistral' || format === 'gemma'
}

/**
 * Who takes several system messages, and in the middle of a conversation. Most templates take one, in front: a second
 * one is an error (Qwen, Mistral), or the model is never shown it (MiniMax, gpt-oss). Where the format says nothing,
 * the client knows better than we do.
 */
export function takesSystemAnywhere(format: FormatId): boolean {
  return systemAnywhere.has(format)
}

const systemAnywhere: ReadonlySet<FormatId> = new Set(['standard', 'anthropic', 'kimi', 'deepseek', 'glm'])

/** Who knows the role `developer`: to the other templates it is an error, or nothing at all. */
export function knowsDeveloper(format: FormatId): boolean {
  return format === 'standard' || format === 'anthropic' || format === 'gpt-oss'
}

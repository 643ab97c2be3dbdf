import { parseToolCalls, type ParsedOutput } from '@dragoman/core'
import type { ParseSettings } from './parse-settings.ts'

/** The text of one answer, pushed piece by piece, and all that it means. */
export function parsePieces(pieces: readonly string[], settings: ParseSettings): ParsedOutput {
  const { format, model, tools, channel, promptOpensReasoning, promptTail, finishReason } = settings
  return parseToolCalls(pieces, {
    ...(format !== undefined && { format }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
    ...(channel !== undefined && { channel }),
    ...(promptOpensReasoning !== undefined && { promptOpensReasoning }),
    ...(promptTail !== undefined && { promptTail }),
    ...(finishReason !== undefined && { finishReason }),
  })
}

import type { TextBlock, ThinkingBlock } from '../conversation.ts'
import type { FormatId } from '../formats/format-id.ts'
import { isMadeHere, readSignature, type ReasoningSource } from './reasoning-signature.ts'
import type { RequestTarget } from './request-target.ts'
import type { RequestDialect } from './written-form.ts'

/** What becomes of reasoning in the history: back into its field, plain text, or nothing. */
export type ReasoningFate = 'native' | 'text' | 'drop'

export function reasoningFate(
  { thought, signature }: ThinkingBlock,
  target: RequestTarget,
  dialect: RequestDialect,
): ReasoningFate {
  const foreignFate = target.foreignReasoning === 'text' && thought !== '' ? 'text' : 'drop'
  const source = readSignature(signature)
  if (dialect === 'anthropic-messages' && checksSignatures(target.format)) {
    if (source === 'foreign' && !isMadeHere(signature)) return 'native'
    return foreignFate
  }
  // Somebody else's signature means reasoning that is proved to Anthropic: it is not for others, in no form.
  if (source === 'foreign') return isMadeHere(signature) ? foreignFate : 'drop'
  if (source === null) return thought === '' ? 'drop' : 'native'
  return isOwn(source, target) ? 'native' : foreignFate
}

export function reasoningAsText(thought: string): TextBlock {
  return { type: 'text', text: `<earlier-reasoning>\n${thought}\n</earlier-reasoning>\n\n` }
}

/** These answer 400 to a message that calls tools and holds no reasoning. */
export function demandsReasoning(format: FormatId): boolean {
  return format === 'kimi' || format === 'deepseek'
}

/** Stands in where a client lost the reasoning. */
export const lostReasoning = 'The reasoning for this step was not kept.'

/** An upstream of the Anthropic dialect with a format of another family runs an open model, which proves nothing. */
function checksSignatures(format: FormatId): boolean {
  return format === 'anthropic' || format === 'standard'
}

function isOwn(source: ReasoningSource, target: RequestTarget): boolean {
  return source.format === target.format || source.model === target.model
}

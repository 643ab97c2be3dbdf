import type { TextBlock, ThinkingBlock } from '../conversation.ts'
import type { FormatId } from '../formats/format-id.ts'
import { templateOf } from '../formats/template.ts'
import { isMadeHere, isOfAnthropic, readSignature, type ReasoningSource } from './reasoning-signature.ts'
import type { RequestTarget } from './target.ts'

/** What becomes of reasoning in the history: back into its field, plain text, or nothing. */
export type ReasoningFate = 'native' | 'text' | 'drop'

export function reasoningFate(
  { thought, signature }: ThinkingBlock,
  target: RequestTarget,
  carried: 'signed' | 'unsigned',
): ReasoningFate {
  const foreignFate = target.foreignReasoning === 'text' && thought !== '' ? 'text' : 'drop'
  const source = readSignature(signature)
  const isForeign = source === 'foreign' && !isMadeHere(signature)
  if (carried === 'signed') {
    if (checksSignatures(target)) return isForeign ? 'native' : foreignFate
    // A server of open models signs as it likes, and may want back what it signed.
    if (isForeign && !isOfAnthropic(signature)) return 'native'
  }
  // Somebody else's signature means reasoning that is proved to Anthropic: it is not for others, in no form.
  if (source === 'foreign') return isForeign ? 'drop' : foreignFate
  if (source === null) return thought === '' ? 'drop' : 'native'
  return isOwn(source, target) ? 'native' : foreignFate
}

export function reasoningAsText(thought: string): TextBlock {
  return { type: 'text', text: `<earlier-reasoning>\n${thought}\n</earlier-reasoning>\n\n` }
}

/** These answer 400 to a message that calls tools and holds no reasoning. */
export function demandsReasoning(format: FormatId): boolean {
  return templateOf(format).reasoning === 'required'
}

/** Stands in where a client lost the reasoning. */
export const lostReasoning = 'The reasoning for this step was not kept.'

/** An upstream of the Anthropic dialect with a format of another family runs an open model, which proves nothing. */
export function checksSignatures({ signatures, format }: RequestTarget): boolean {
  return (signatures ?? templateOf(format).signatures) === 'checked'
}

function isOwn(source: ReasoningSource, target: RequestTarget): boolean {
  if (source.model === target.model) return true
  return source.format === target.format && templateOf(source.format).reasoningOwner === 'family'
}

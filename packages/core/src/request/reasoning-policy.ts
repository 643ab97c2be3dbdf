import type { TextBlock, ThinkingBlock } from '../conversation.ts'
import { templateOf } from '../formats/template.ts'
import {
  callField,
  isMadeHere,
  isOfAnthropic,
  isOfOpenAi,
  readSignature,
  type ReasoningSource,
} from './reasoning-signature.ts'
import type { RequestTarget } from './target.ts'

/** Reasoning in the history goes back into its field, becomes plain text, or is dropped. */
export type ReasoningFate = 'native' | 'text' | 'drop'

export function reasoningFate(
  { thought, signature }: ThinkingBlock,
  target: RequestTarget,
  carried: 'signed' | 'unsigned' | 'encrypted',
): ReasoningFate {
  const foreignFate = target.foreignReasoning === 'text' && thought !== '' ? 'text' : 'drop'
  const source = readSignature(signature)
  if (isOfCall(source)) return carried === 'unsigned' && isOwn(source, target) ? 'native' : 'drop'
  const isForeign = source === 'foreign' && !isMadeHere(signature)
  if (carried === 'encrypted') {
    const { responsesItems, sameDialect } = target
    if (responsesItems === 'openai')
      return isOfOpenAi(encryptedIn(source, signature)) ? 'native' : foreignFate
    // Whoever else speaks the dialect may encrypt reasoning in his own way, and get it back from his own clients.
    const mayBeOwn = sameDialect === true && responsesItems === undefined
    if (isForeign) return mayBeOwn && !isOfAnthropic(signature) ? 'native' : 'drop'
  }
  // Only OpenAI can read it, and takes it back in no other dialect.
  if (isOfOpenAi(signature)) return 'drop'
  if (carried === 'signed') {
    if (checksSignatures(target)) {
      return isForeign || isUnsignedThere(source, target) ? 'native' : foreignFate
    }
    // A server of open models makes signatures of its own kind, and may demand them back.
    if (isForeign && (mayCheckSignatures(target) || !isOfAnthropic(signature))) return 'native'
  }
  // Only Anthropic can check this signature, and the reasoning under it is for Anthropic alone: not even its text
  // goes to another upstream.
  if (source === 'foreign') return isForeign ? 'drop' : foreignFate
  if (source === null) return thought === '' ? 'drop' : 'native'
  return isOwn(source, target) ? 'native' : foreignFate
}

/** What a vendor encrypted: the signature itself, or what stands in one of ours. */
export function encryptedIn(
  source: ReasoningSource | 'foreign' | null,
  signature: string | undefined,
): string | undefined {
  if (source === null) return undefined
  return source === 'foreign' ? signature : source.proof
}

/** What the upstream wants back beside the call that follows, as JSON text; undefined for a block of reasoning. */
export function callProofOf({ signature }: ThinkingBlock): string | undefined {
  const source = readSignature(signature)
  return isOfCall(source) ? source.proof : undefined
}

function isOfCall(
  source: ReasoningSource | 'foreign' | null,
): source is ReasoningSource & { readonly proof: string } {
  if (source === null || source === 'foreign') return false
  return source.field === callField && source.proof !== undefined
}

export function reasoningAsText(thought: string): TextBlock {
  return { type: 'text', text: `<earlier-reasoning>\n${thought}\n</earlier-reasoning>\n\n` }
}

/**
 * Whether the upstream answers 400 to a message that calls tools and holds no reasoning. Vendors do; a server that
 * people run themselves would show the model what we make up in its place.
 */
export function demandsReasoning({
  format,
  demandsReasoning: isDemanded,
}: Pick<RequestTarget, 'format' | 'demandsReasoning'>): boolean {
  return isDemanded !== false && templateOf(format).reasoning === 'required'
}

/** Sent in place of reasoning that is demanded and that the client did not keep. */
export const lostReasoning = 'The reasoning for this step was not kept.'

/** An upstream whose format is that of an open model runs one, and cannot check what Anthropic signed. */
function checksSignatures(target: RequestTarget): boolean {
  return signaturesOf(target) === 'checked'
}

/** Whether the upstream may be Anthropic, as far as anybody knows. */
export function mayCheckSignatures(target: RequestTarget): boolean {
  return signaturesOf(target) !== 'unchecked'
}

function signaturesOf({ signatures, format }: RequestTarget): 'checked' | 'unchecked' | 'unknown' {
  return signatures ?? templateOf(format).signatures
}

/**
 * Whether the upstream itself sent this reasoning without a signature, so that it does not check any. A setting that says
 * it does counts more: the name of the model may have come to mean another upstream.
 */
function isUnsignedThere(source: ReasoningSource | 'foreign' | null, target: RequestTarget): boolean {
  if (source === null || source === 'foreign' || target.signatures !== undefined) return false
  return isUnsigned(source) && source.model === target.model
}

/** Whether our signature says that the reasoning had none, in a dialect that has signatures. */
export function cameUnsigned(signature: string | undefined): boolean {
  const source = readSignature(signature)
  return source !== null && source !== 'foreign' && isUnsigned(source)
}

function isUnsigned({ field, proof }: ReasoningSource): boolean {
  return field === unsignedField && proof === undefined
}

/** The field that a signature of ours names for such reasoning. */
export const unsignedField = 'thinking'

function isOwn(source: ReasoningSource, target: RequestTarget): boolean {
  if (source.model === target.model) return true
  const family = target.family ?? target.format
  return source.format === family && templateOf(source.format).reasoningOwner === 'family'
}

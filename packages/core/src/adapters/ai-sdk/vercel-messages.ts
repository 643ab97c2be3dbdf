import type { Block, Content, MediaBlock, ThinkingBlock, ToolResponseBlock } from '../../conversation.ts'
import { readSignature, isMadeHere } from '../../request/reasoning-signature.ts'
import { resultBlocks, type ResultBlock } from '../../request/tool-result.ts'

/** How ids are written for the model; without these, they stay as the history has them. */
export interface VercelIds {
  readonly resolveToolCallId?: (id: string, name: string) => string
  readonly resolveToolResponseId?: (callId: string, name: string) => string
}

/** A message as `generateText` and `streamText` take it. */
export type VercelMessage =
  | { role: 'user'; content: (VercelText | VercelFile)[] }
  | { role: 'assistant'; content: (VercelText | VercelFile | VercelReasoning | VercelCall)[] }
  | { role: 'tool'; content: VercelResult[] }

interface VercelText {
  type: 'text'
  text: string
}

interface VercelFile {
  type: 'file'
  mediaType: string
  /** Base64 data or an address. */
  data: string
  filename?: string
}

interface VercelReasoning {
  type: 'reasoning'
  text: string
  providerOptions?: { anthropic: { signature: string } }
}

interface VercelCall {
  type: 'tool-call'
  toolCallId: string
  toolName: string
  input: unknown
}

interface VercelResult {
  type: 'tool-result'
  toolCallId: string
  toolName: string
  output: VercelOutput
}

type VercelOutput =
  | { type: 'text' | 'error-text'; value: string }
  | { type: 'content'; value: (VercelText | VercelResultFile)[] }

type VercelResultFile =
  | { type: 'file-data'; data: string; mediaType: string; filename?: string }
  | { type: 'file-url'; url: string; mediaType: string }

/** The canonical history as messages of the AI SDK. */
export function convertToVercelMessages(contents: readonly Content[], ids: VercelIds = {}): VercelMessage[] {
  return contents.flatMap(({ speaker, blocks }): VercelMessage[] => {
    const results = blocks
      .filter((block) => block.type === 'tool_response')
      .map((response) => resultPart(response, ids))
    const tool: VercelMessage[] = results.length === 0 ? [] : [{ role: 'tool', content: results }]
    if (speaker === 'ai') {
      const content = blocks.flatMap((block) => assistantPart(block, ids))
      return content.length === 0 ? tool : [{ role: 'assistant', content }, ...tool]
    }
    const content = blocks.flatMap(userPart)
    return content.length === 0 ? tool : [...tool, { role: 'user', content }]
  })
}

function assistantPart(
  block: Block,
  { resolveToolCallId }: VercelIds,
): (VercelText | VercelFile | VercelReasoning | VercelCall)[] {
  if (block.type === 'thinking') return [reasoningPart(block)]
  if (block.type !== 'tool_call') return userPart(block)
  const { id, name, parameters } = block
  const toolCallId = resolveToolCallId?.(id, name) ?? id
  return [{ type: 'tool-call', toolCallId, toolName: name, input: parameters ?? {} }]
}

/** Anthropic wants its own reasoning back with the proof it gave; ours says nothing to it. */
function reasoningPart({ thought, signature }: ThinkingBlock): VercelReasoning {
  const isProved = readSignature(signature) === 'foreign' && !isMadeHere(signature)
  return {
    type: 'reasoning',
    text: thought,
    ...(isProved && signature !== undefined ? { providerOptions: { anthropic: { signature } } } : {}),
  }
}

function userPart(block: Block): (VercelText | VercelFile)[] {
  if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }]
  if (block.type !== 'media') return []
  const { mimeType, data, filename } = block
  return [{ type: 'file', mediaType: mimeType, data, ...(filename === undefined ? {} : { filename }) }]
}

function resultPart(response: ToolResponseBlock, { resolveToolResponseId }: VercelIds): VercelResult {
  const { callId, toolName, result, isError } = response
  return {
    type: 'tool-result',
    toolCallId: resolveToolResponseId?.(callId, toolName) ?? callId,
    toolName,
    output: outputOf(resultBlocks(result), isError === true),
  }
}

function outputOf(result: readonly ResultBlock[], isError: boolean): VercelOutput {
  const texts = result.filter((block) => block.type === 'text').map(({ text }) => text)
  if (isError || texts.length === result.length) {
    return { type: isError ? 'error-text' : 'text', value: texts.join('\n') }
  }
  return {
    type: 'content',
    value: result.map((block) =>
      block.type === 'text' ? { type: 'text', text: block.text } : resultFile(block),
    ),
  }
}

function resultFile({ mimeType, data, encoding, filename }: MediaBlock): VercelResultFile {
  if (encoding === 'url') return { type: 'file-url', url: data, mediaType: mimeType }
  return {
    type: 'file-data',
    data,
    mediaType: mimeType,
    ...(filename === undefined ? {} : { filename }),
  }
}

import type { Block, Content } from '@dragoman/core'

/** Reads a content from a file, or returns a text that says what is wrong with it. */
export function readStoredContent(value: object): Content | string {
  const { speaker, blocks }: Fields = { ...value }
  if (speaker !== 'human' && speaker !== 'ai' && speaker !== 'tool') {
    return '"speaker" must be human, ai or tool'
  }
  if (!Array.isArray(blocks)) return '"blocks" must be a list'
  const read: Block[] = []
  for (const [at, block] of blocks.entries()) {
    const result = readBlock(block)
    if (result === undefined) return `blocks[${at}] is no block of a conversation`
    read.push(result)
  }
  return { speaker, blocks: read }
}

type Fields = Readonly<Record<string, unknown>>

function readBlock(value: unknown): Block | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fields: Fields = { ...value }
  switch (fields['type']) {
    case 'text': {
      const { text } = fields
      return typeof text === 'string' ? { type: 'text', text } : undefined
    }
    case 'thinking':
      return readThinking(fields)
    case 'tool_call': {
      const { id, name, parameters } = fields
      const isCall = typeof id === 'string' && typeof name === 'string' && 'parameters' in fields
      return isCall ? { type: 'tool_call', id, name, parameters } : undefined
    }
    case 'tool_response':
      return readResponse(fields)
    case 'media':
      return readMedia(fields)
    default:
      return undefined
  }
}

function readThinking({ thought, signature }: Fields): Block | undefined {
  if (typeof thought !== 'string') return undefined
  if (signature === undefined) return { type: 'thinking', thought }
  return typeof signature === 'string' ? { type: 'thinking', thought, signature } : undefined
}

function readResponse({ callId, toolName, result, isError }: Fields): Block | undefined {
  if (typeof callId !== 'string' || typeof toolName !== 'string') return undefined
  const response = { type: 'tool_response', callId, toolName, result } as const
  return typeof isError === 'boolean' ? { ...response, isError } : response
}

function readMedia({ mimeType, data, encoding, filename }: Fields): Block | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string') return undefined
  if (encoding !== 'base64' && encoding !== 'url') return undefined
  const media = { type: 'media', mimeType, data, encoding } as const
  return typeof filename === 'string' ? { ...media, filename } : media
}

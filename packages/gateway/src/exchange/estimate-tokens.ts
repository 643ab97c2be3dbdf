import type { Block, ConversationRequest, MediaBlock } from '@dragoman/core'

/**
 * English and code have more characters per token. The estimate is rather too high, so that clients compact too early
 * rather than too late.
 */
const CHARACTERS_PER_TOKEN = 3.5
/**
 * Letters of other scripts take two or three bytes in UTF-8 and make more tokens; a Chinese character can be one of
 * its own.
 */
const TOKENS_PER_FURTHER_BYTE = 0.2
/** The tokens that templates put around each message and each tool. */
const TOKENS_PER_PART = 8
const TOKENS_PER_IMAGE = 1600
/** For documents in base64: a page has about 75 KB and takes about 2000 tokens. */
const DOCUMENT_CHARACTERS_PER_TOKEN = 50

/** Estimates how many tokens a request takes. The gateway has no tokenizer for every model. */
export function estimateTokens(request: ConversationRequest): number {
  const known = estimates.get(request)
  if (known !== undefined) return known
  const estimate = estimated(request)
  estimates.set(request, estimate)
  return estimate
}

/** A long history takes milliseconds, and several places want to know. */
const estimates = new WeakMap<ConversationRequest, number>()

/** How many of the estimated tokens a prompt usually takes, while no answer of the model has told. */
const USUAL_SCALE = 0.9
/** English prose has the fewest tokens for its length. */
const LEAST_SCALE = 0.7
/** One conversation differs from the next by less than this. */
const LEARNED_MARGIN = 0.03

/**
 * The estimate by what the upstream counted before: `scale` is how many tokens it counted for each that was estimated.
 */
export function likelyTokens(request: ConversationRequest, scale: number | undefined): number {
  return Math.ceil(estimateTokens(request) * (scale === undefined ? USUAL_SCALE : scale + LEARNED_MARGIN))
}

/** No fewer tokens than these. */
export function leastTokens(request: ConversationRequest, scale: number | undefined): number {
  return Math.floor(estimateTokens(request) * (scale === undefined ? LEAST_SCALE : scale - LEARNED_MARGIN))
}

function estimated(request: ConversationRequest): number {
  const system = request.system.map(({ text }) => textTokens(text))
  const tools = request.tools.map(
    ({ name, description, parameters }) =>
      TOKENS_PER_PART + textTokens(name + (description ?? '') + JSON.stringify(parameters)),
  )
  const messages = request.contents.map(({ blocks }) => TOKENS_PER_PART + sum(blocks.map(blockTokens)))
  return TOKENS_PER_PART + Math.ceil(sum(system) + sum(tools) + sum(messages))
}

function blockTokens(block: Block): number {
  switch (block.type) {
    case 'text':
      return textTokens(block.text)
    case 'thinking':
      return textTokens(block.thought)
    case 'tool_call':
      return textTokens(block.name) + valueTokens(block.parameters)
    case 'tool_response':
      return resultTokens(block.result)
    case 'media':
      return mediaTokens(block)
  }
}

/** The base64 of a picture in a result must not be counted as words. */
function resultTokens(result: unknown): number {
  if (!Array.isArray(result)) return valueTokens(result)
  return sum(result.map((part: unknown) => (isMedia(part) ? mediaTokens(part) : valueTokens(part))))
}

function isMedia(value: unknown): value is MediaBlock {
  return typeof value === 'object' && value !== null && 'type' in value && value.type === 'media'
}

function mediaTokens({ mimeType, encoding, data }: MediaBlock): number {
  if (encoding === 'url' || mimeType.startsWith('image/')) return TOKENS_PER_IMAGE
  if (mimeType.startsWith('text/')) return (data.length * 0.75) / CHARACTERS_PER_TOKEN
  return Math.max(TOKENS_PER_IMAGE, data.length / DOCUMENT_CHARACTERS_PER_TOKEN)
}

function valueTokens(value: unknown): number {
  return textTokens(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

function textTokens(text: string): number {
  const furtherBytes = Buffer.byteLength(text) - text.length
  return text.length / CHARACTERS_PER_TOKEN + furtherBytes * TOKENS_PER_FURTHER_BYTE
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

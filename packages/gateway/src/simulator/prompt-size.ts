import type { Sizes } from './imitation.ts'
import type { JsonObject } from './json.ts'

/** Stands for the data of an image, whose length says nothing of its tokens. */
const image = 'x'.repeat(1000)
const charactersOfToken = 4

/**
 * Counts a prompt by a rule that anybody can follow: the JSON of its instructions, messages and tools, four characters
 * to a token.
 */
export function promptSize(body: JsonObject): Pick<Sizes, 'prompt' | 'tools' | 'characters'> {
  const { tools } = body
  const characters = promptFields.reduce((sum, field) => sum + lengthOf(body[field]), 0)
  return { prompt: tokensFor(characters), tools: tokensFor(lengthOf(tools)), characters }
}

/** Where instructions, messages and tools stand, in any dialect. */
const promptFields = [
  'system',
  'messages',
  'instructions',
  'input',
  'systemInstruction',
  'contents',
  'tools',
] as const

/** How many characters a prompt of this many tokens has. */
export function charactersFor(tokens: number): number {
  return tokens * charactersOfToken
}

function tokensFor(characters: number): number {
  return Math.ceil(characters / charactersOfToken)
}

function lengthOf(part: unknown): number {
  return JSON.stringify(part, withoutImages)?.length ?? 0
}

function withoutImages(key: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  const isAddress = key === 'url' || key === 'image_url'
  const isImage = isAddress ? value.startsWith('data:') : key === 'data' && value.length > image.length
  return isImage ? image : value
}

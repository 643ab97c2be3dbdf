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
  const { system, messages, tools } = body
  const characters = lengthOf(system) + lengthOf(messages) + lengthOf(tools)
  return { prompt: tokensFor(characters), tools: tokensFor(lengthOf(tools)), characters }
}

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
  const isImage = key === 'url' ? value.startsWith('data:') : key === 'data' && value.length > image.length
  return isImage ? image : value
}

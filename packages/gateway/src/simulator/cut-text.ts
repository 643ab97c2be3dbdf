import { wholeNumber, type Random } from './random.ts'
import type { Chunking } from './settings.ts'

/** Cuts a text into pieces. No piece ends inside a character. */
export function cutText(text: string, chunking: Chunking, random: Random): string[] {
  switch (chunking) {
    case 'whole':
      return text === '' ? [] : [text]
    case 'char':
      return Array.from(text)
    case 'token':
      return tokensOf(text)
    case 'random':
      return randomPieces(Array.from(text), random)
  }
}

/** Cuts a text roughly as a tokenizer does: a special token is one piece, and a long word several. */
export function tokensOf(text: string): string[] {
  return text.match(/<[|｜][^|｜<>\s]{1,40}[|｜]>|\s?[\p{L}\p{N}]{1,6}|\s+|[^\s\p{L}\p{N}]{1,2}?/gu) ?? []
}

function randomPieces(characters: readonly string[], random: Random): string[] {
  const pieces: string[] = []
  for (let at = 0; at < characters.length;) {
    const length = wholeNumber(random, 1, 16)
    pieces.push(characters.slice(at, at + length).join(''))
    at += length
  }
  return pieces
}

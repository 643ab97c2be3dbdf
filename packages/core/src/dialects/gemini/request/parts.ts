import type { Block, TextBlock } from '../../../conversation.ts'
import { anyText, hasOnly } from '../../../json/fields.ts'
import { isJsonObject, type JsonObject, nonEmptyText } from '../../../json/objects.ts'
import { withOriginal } from '../../../request/original.ts'
import { decodeMedia } from './media.ts'

/** A part, and where it stands in the request. */
export interface PlacedPart {
  readonly part: JsonObject
  readonly path: string
}

/** Reads a part that either side may write: text, media, and what a server's own tools left behind. */
export function decodeShown(part: JsonObject, path: string): Block[] {
  const { text } = part
  if (text !== undefined && text !== null) return decodeText(part, anyText(text, `${path}.text`))
  const media = decodeMedia(part)
  if (media !== null) return [withOriginal(media, 'gemini', part)]
  const run = codeIn(part)
  return [run === null ? unknownElsewhere(part) : withOriginal({ type: 'text', text: run }, 'gemini', part)]
}

function decodeText(part: JsonObject, text: string): Block[] {
  const block: TextBlock = { type: 'text', text }
  if (!hasOnly(part, textField)) return [withOriginal(block, 'gemini', part)]
  return text === '' ? [] : [block]
}

const textField = new Set(['text'])

/** The part means something to Gemini alone. Its text is empty, so that no other dialect is sent any of it. */
export function unknownElsewhere(part: JsonObject): TextBlock {
  return withOriginal({ type: 'text', text: '' }, 'gemini', part)
}

/** Code that the server ran, or what came of it, as other models can read it. */
function codeIn({ executableCode, codeExecutionResult }: JsonObject): string | null {
  if (isJsonObject(executableCode)) {
    const code = nonEmptyText(executableCode['code'])
    const language = nonEmptyText(executableCode['language'])?.toLowerCase() ?? ''
    return code === null ? null : fenced(code, language)
  }
  if (!isJsonObject(codeExecutionResult)) return null
  const output = nonEmptyText(codeExecutionResult['output'])
  return output === null ? null : fenced(output, '')
}

function fenced(text: string, language: string): string {
  return `\n\`\`\`${language}\n${text}${text.endsWith('\n') ? '' : '\n'}\`\`\`\n`
}

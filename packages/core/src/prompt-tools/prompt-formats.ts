import { DragomanError } from '../errors.ts'
import type { FormatId } from '../formats/format-id.ts'
import { hermesPrompt } from './hermes.ts'
import { llamaPrompt } from './llama.ts'
import type { PromptFormat } from './prompt-format.ts'
import { xmlPrompt } from './xml.ts'

/** The formats in which tools can stand in the prompt. */
export const promptFormatIds = ['hermes', 'xml', 'llama'] as const satisfies readonly FormatId[]

export type PromptFormatId = (typeof promptFormatIds)[number]

export function isPromptFormat(format: string): format is PromptFormatId {
  return promptFormatIds.some((id) => id === format)
}

export function getPromptFormat(format: FormatId): PromptFormat {
  if (isPromptFormat(format)) return promptFormats[format]
  const known = promptFormatIds.join(', ')
  throw new DragomanError(
    'invalid-option',
    `Tools cannot stand in the prompt in the format "${format}". They can in: ${known}.`,
  )
}

const promptFormats: Readonly<Record<PromptFormatId, PromptFormat>> = {
  hermes: hermesPrompt,
  xml: xmlPrompt,
  llama: llamaPrompt,
}

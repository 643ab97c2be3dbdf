import type { Content, ConversationRequest } from '@dragoman/core'
import { toolDefinitions } from '../tools/toolbox.ts'

export interface ChatRequestOptions {
  readonly model: string
  readonly contents: readonly Content[]
  readonly usesTools: boolean
  /** The folder in which the tools work. */
  readonly folder: string
}

/** Makes the request to the model: the whole conversation, with the tools of the chat. */
export function chatRequest({ model, contents, usesTools, folder }: ChatRequestOptions): ConversationRequest {
  return {
    model,
    system: usesTools ? [{ text: instructions(folder) }] : [],
    contents,
    tools: usesTools ? toolDefinitions : [],
    toolChoice: undefined,
    parallelToolCalls: undefined,
    stream: true,
    maxTokens: undefined,
    temperature: undefined,
    topP: undefined,
    topK: undefined,
    stopSequences: [],
    reasoning: undefined,
    outputFormat: undefined,
    user: undefined,
    extra: {},
  }
}

function instructions(folder: string): string {
  return [
    `You answer in a terminal. The working folder is ${folder}; your tools read and write in it alone.`,
    'Use them where they help, and say in short what you found or did. The user sees plain text.',
  ].join(' ')
}

import type { ToolCallBlock } from '../conversation.ts'
import type { Tool } from '../request/conversation-request.ts'

/** How tools, calls and results stand in a prompt, for models whose server knows nothing of tools. */
export interface PromptFormat {
  /** What the model is told of the tools, and of how to call them. */
  tools(tools: readonly Tool[]): string
  /** Calls that the model made, as it would have written them. */
  calls(calls: readonly ToolCallBlock[]): string
  /** What the tools answered, in the order of the calls. */
  results(results: readonly PromptResult[]): string
}

export interface PromptResult {
  readonly toolName: string
  readonly text: string
  readonly isError: boolean
}

/** JSON that closes no tag around it: a result is not written by somebody we trust. */
export function jsonInTags(value: unknown): string {
  return JSON.stringify(value).replaceAll('</', String.raw`<\/`)
}

export function toolAsJson({ name, description, parameters }: Tool): object {
  return { name, ...(description === undefined ? {} : { description }), parameters }
}

import {
  type ConversationRequest,
  type FormatId,
  isPromptFormat,
  type ParserOptions,
  promptFormatIds,
  textCallsOf,
  type ToolNames,
} from '@dragoman/core'
import type { Upstream } from '../config/config.ts'
import type { ModelRoute } from '../config/match-model.ts'
import type { Known } from '../upstream/known-upstream.ts'

/** Where the calls of an answer are expected. */
export type ExpectedCalls =
  /** Wherever the upstream puts them: in fields of their own, or left in the text. */
  | { readonly are: 'native' }
  /** In the text, because these fields of the request make the upstream leave them there. */
  | { readonly are: 'in text'; readonly fields: Readonly<Record<string, unknown>> }
  /** In the text, because the upstream is told of the tools only there. */
  | { readonly are: 'in the prompt'; readonly format: FormatId }

export function callsAt(
  route: ModelRoute,
  { parse }: Upstream,
  { server, version, facts, lesson }: Known,
): ExpectedCalls {
  const native = { are: 'native' } as const
  const inPrompt = { are: 'in the prompt', format: promptFormat(route) } as const
  if (route.tools === 'prompt') return inPrompt
  if (parse === 'server') return native
  if (parse === 'ours' && lesson.calls === undefined) {
    const way = textCallsOf(server, version)
    if (way === undefined) return native
    return way.by === 'prompt' ? inPrompt : { are: 'in text', fields: way.fields }
  }
  if (lesson.calls === 'in the prompt' || (lesson.calls === undefined && facts.tools === false))
    return inPrompt
  if (lesson.calls === undefined || server?.textCalls?.by !== 'fields') return native
  return { are: 'in text', fields: server.textCalls.fields }
}

function promptFormat({ format }: ModelRoute): FormatId {
  return isPromptFormat(format) ? format : promptFormatIds[0]
}

export type ParsedCalls = Pick<ParserOptions, 'calls' | 'tools' | 'toolChoice' | 'parallelToolCalls'>

/**
 * Which calls an answer may hold: those of the offered tools, under the names that the upstream knows. Without
 * `names` these are the names of the client.
 */
export function parsedCalls(
  { tools, toolChoice, parallelToolCalls }: ConversationRequest,
  names: ToolNames | undefined,
): ParsedCalls {
  // When calls are only removed, the names of tools are left out: then the parser removes only what is certainly a
  // call.
  if (toolChoice?.type === 'none' && tools.length > 0) return { calls: 'remove', tools: undefined }
  return {
    calls: 'read',
    tools: tools.map(({ name, parameters }) => ({ name: names?.toUpstream(name) ?? name, parameters })),
    parallelToolCalls,
    toolChoice: forcedCalls(toolChoice, names),
  }
}

/** What of the client's choice the parser has to know: a server that forces a call makes the model write JSON alone. */
function forcedCalls(
  choice: ConversationRequest['toolChoice'],
  names: ToolNames | undefined,
): ParserOptions['toolChoice'] {
  if (choice?.type === 'required') return 'required'
  return choice?.type === 'tool' ? { name: names?.toUpstream(choice.name) ?? choice.name } : 'auto'
}

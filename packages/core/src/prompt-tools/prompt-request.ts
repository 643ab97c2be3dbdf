import type { Block, Content, TextBlock, ToolCallBlock } from '../conversation.ts'
import { Notes, type RequestNote } from '../request/notes.ts'
import type { ConversationRequest } from '../request/conversation-request.ts'
import { repairHistory } from '../request/history-repair.ts'
import { resultBlocks } from '../request/tool-result.ts'
import type { FormatId } from '../formats/format-id.ts'
import { getPromptFormat, type PromptFormat, type PromptResult } from './prompt-formats.ts'

export interface PromptedRequest {
  readonly request: ConversationRequest
  readonly notes: readonly RequestNote[]
}

/**
 * The request for an upstream without tool support: tools, earlier calls and results are text in the format, and
 * nothing of them is left in fields of their own.
 */
export function withToolsInPrompt(request: ConversationRequest, format: FormatId): PromptedRequest {
  const prompt = getPromptFormat(format)
  const notes = new Notes()
  const { tools: _, tool_choice: __, ...extra } = request.extra
  if ('tools' in request.extra) notes.dropped('tools', 'Only functions can stand in the prompt.')
  if (request.tools.length > 0) notes.changed('tools', `They stand in the prompt, in the format "${format}".`)
  const instructions = instructionsFor(request, prompt)
  return {
    request: {
      ...request,
      system: instructions === '' ? request.system : [...request.system, { text: instructions }],
      contents: spokenHistory(repairHistory(request.contents, notes), prompt),
      tools: [],
      toolChoice: undefined,
      parallelToolCalls: undefined,
      extra,
    },
    notes: notes.all,
  }
}

/** A model that must not call does not hear of the tools: one that is only asked not to call does so anyway. */
function instructionsFor(
  { tools, toolChoice, parallelToolCalls }: ConversationRequest,
  prompt: PromptFormat,
) {
  if (tools.length === 0 || toolChoice?.type === 'none') return ''
  const choice =
    toolChoice?.type === 'tool'
      ? ['Answer the next message with a call of the tool ' + toolChoice.name + '.']
      : toolChoice?.type === 'required'
        ? ['Answer the next message with a call of one of the tools.']
        : []
  const single = parallelToolCalls === false ? ['Make one call at a time.'] : []
  // A model that is told of one tool alone calls no other.
  const named = tools.filter(({ name }) => toolChoice?.type === 'tool' && toolChoice.name === name)
  return [prompt.tools(named.length === 0 ? tools : named), ...choice, ...single].join('\n\n')
}

/** The results of tools stand in a message of the user, together with what the user says after them. */
function spokenHistory(contents: readonly Content[], prompt: PromptFormat): Content[] {
  const spoken: Content[] = []
  for (const { speaker, blocks } of contents) {
    if (speaker === 'ai') {
      spoken.push({ speaker, blocks: withCallsAsText(blocks, prompt) })
      continue
    }
    const said = speaker === 'tool' ? resultsAsText(blocks, prompt) : blocks
    const last = spoken.at(-1)
    if (last?.speaker === 'human')
      spoken[spoken.length - 1] = { speaker: 'human', blocks: joined(last.blocks, said) }
    else spoken.push({ speaker: 'human', blocks: said })
  }
  return spoken
}

function withCallsAsText(blocks: readonly Block[], prompt: PromptFormat): Block[] {
  const shown: Block[] = []
  let calls: ToolCallBlock[] = []
  const writeCalls = (): void => {
    if (calls.length === 0) return
    const before = shown.at(-1)
    const gap = before?.type === 'text' && !before.text.endsWith('\n') ? '\n' : ''
    shown.push({ type: 'text', text: gap + prompt.calls(calls) })
    calls = []
  }
  for (const block of blocks) {
    if (block.type === 'tool_call') {
      calls.push(block)
    } else {
      writeCalls()
      shown.push(block)
    }
  }
  writeCalls()
  return shown
}

function resultsAsText(blocks: readonly Block[], prompt: PromptFormat): Block[] {
  const responses = blocks.filter((block) => block.type === 'tool_response')
  const results = responses.map(({ toolName, result, isError }): PromptResult => ({
    toolName,
    isError: isError === true,
    text: resultBlocks(result)
      .flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []))
      .join('\n'),
  }))
  const media = responses.flatMap(({ result }) => resultBlocks(result).filter(({ type }) => type === 'media'))
  return [{ type: 'text', text: prompt.results(results) }, ...media]
}

/** Two plain texts become one: a server that knows no tools may know no content in parts either. */
function joined(before: readonly Block[], after: readonly Block[]): Block[] {
  const last = before.at(-1)
  const [first, ...rest] = after
  if (last === undefined || first === undefined || !isPlain(last) || !isPlain(first))
    return [...before, ...after]
  return [...before.slice(0, -1), { type: 'text', text: `${last.text}\n\n${first.text}` }, ...rest]
}

function isPlain(block: Block): block is TextBlock {
  return (
    block.type === 'text' &&
    Object.keys(block.original?.value ?? {}).every((key) => key === 'type' || key === 'text')
  )
}

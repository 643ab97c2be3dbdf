import type { Block, Content, MediaBlock, TextBlock, ToolResponseBlock } from '../conversation.ts'
import { pairToolBlocks, type Exchange } from '../ids/pairing.ts'
import type { Notes } from './request-notes.ts'
import { resultBlocks } from './tool-result.ts'

/**
 * The history as every upstream takes it: `human`, `ai` and `tool` contents, no two of a kind in a row, none empty;
 * and behind the calls of each turn exactly one response to each of them, in their order.
 */
export function repairHistory(contents: readonly Content[], notes: Notes): Content[] {
  const repaired: OpenContent[] = []
  for (const turn of turnsOf(contents, notes)) {
    append(repaired, turn.speaker, turn.blocks)
    if (turn.exchanges.length > 0) {
      append(
        repaired,
        'tool',
        turn.exchanges.map((exchange) => responseTo(exchange, notes)),
      )
    }
  }
  return repaired
}

/** The responses that answer no call of the history. */
export function responsesWithoutCall(contents: readonly Content[]): ToolResponseBlock[] {
  return pairToolBlocks(contents).exchanges.flatMap(({ call, responses }) => (call === null ? responses : []))
}

/** Gives responses the name of the tool where their dialect only says the id of the call. */
export function withToolNames(contents: readonly Content[]): Content[] {
  const exchangeOf = exchangesInOrder(contents)
  return contents.map((content) => ({
    ...content,
    blocks: content.blocks.map((block) => {
      if (block.type === 'tool_call') exchangeOf()
      if (block.type !== 'tool_response') return block
      const { call } = exchangeOf()
      return block.toolName === '' && call !== null ? { ...block, toolName: call.name } : block
    }),
  }))
}

interface Turn {
  readonly speaker: 'human' | 'ai'
  readonly blocks: Block[]
  /** Of the calls in this turn. */
  readonly exchanges: Exchange[]
}

function turnsOf(contents: readonly Content[], notes: Notes): Turn[] {
  const exchangeOf = exchangesInOrder(contents)
  const turns: Turn[] = []
  for (const content of contents) {
    const speaker = content.speaker === 'ai' ? 'ai' : 'human'
    const last = turns.at(-1)
    // Two messages of the model in a row are one turn, with the results of both behind it. A message that only held
    // results leaves an empty turn between them, which keeps them apart.
    const goesOn = last?.speaker === 'ai' && speaker === 'ai'
    const turn: Turn = goesOn ? last : { speaker, blocks: [], exchanges: [] }
    if (!goesOn) turns.push(turn)

    for (const block of content.blocks) {
      if (block.type === 'tool_call') {
        turn.blocks.push(block)
        turn.exchanges.push(exchangeOf())
      } else if (block.type === 'tool_response') {
        if (exchangeOf().call === null) turn.blocks.push(...textOfOrphan(block, notes))
      } else {
        turn.blocks.push(block)
      }
    }
  }
  return turns
}

/** Asked once for each call and response in order: one block object may stand in a history twice. */
function exchangesInOrder(contents: readonly Content[]): () => Exchange {
  const { blocks } = pairToolBlocks(contents)
  let at = 0
  return () => blocks[at++]?.exchange ?? { call: null, responses: [] }
}

interface OpenContent extends Content {
  readonly blocks: Block[]
}

function append(repaired: OpenContent[], speaker: Content['speaker'], blocks: readonly Block[]): void {
  if (blocks.length === 0) return
  const last = repaired.at(-1)
  if (last?.speaker !== speaker) repaired.push({ speaker, blocks: [...blocks] })
  else for (const block of blocks) last.blocks.push(block)
}

function textOfOrphan(response: ToolResponseBlock, notes: Notes): (TextBlock | MediaBlock)[] {
  notes.changed(
    'messages',
    `The result for "${response.callId}" answers no call; it became text of the user.`,
  )
  const tool = response.toolName === '' ? 'an earlier tool call' : `an earlier call of ${response.toolName}`
  return [{ type: 'text', text: `Result of ${tool}:` }, ...resultBlocks(response.result)]
}

function responseTo({ call, responses }: Exchange, notes: Notes): ToolResponseBlock {
  const callId = call?.id ?? ''
  const toolName = call?.name ?? ''
  const first = responses[0]
  const last = responses.at(-1)
  if (first === undefined || last === undefined) {
    notes.changed('messages', `The call "${callId}" has no result; a neutral one was put in its place.`)
    return { type: 'tool_response', callId, toolName, result: unavailable }
  }
  if (first === last || responses.every((response) => sameResult(response, first))) {
    return { ...first, callId, toolName }
  }
  notes.changed('messages', `The call "${callId}" has several results; they became one.`)
  const result = responses.flatMap((response) => resultBlocks(response.result))
  const isError = last.isError === undefined ? {} : { isError: last.isError }
  return { type: 'tool_response', callId, toolName, result, ...isError }
}

// Says nothing about why: a model that reads "cancelled" stops asking, and apologises.
const unavailable = 'The result of this call is not available.'

function sameResult(a: ToolResponseBlock, b: ToolResponseBlock): boolean {
  return a.isError === b.isError && JSON.stringify(a.result) === JSON.stringify(b.result)
}

import type { Block, Content, MediaBlock, Speaker, TextBlock, ToolResponseBlock } from '../conversation.ts'
import { pairToolBlocks, type AnsweredCall } from '../ids/pairing.ts'
import type { Notes } from './notes.ts'
import { resultBlocks } from './tool-result.ts'

/** Whether messages of one speaker that stand in a row become one message, or stay apart. */
export type MessagesInARow = 'join' | 'keep'

/**
 * The history as every upstream takes it: `human`, `ai` and `tool` contents, none of them empty. The calls of a turn
 * are followed by exactly one response to each, in the order of the calls. Two contents of one speaker stand in a row
 * only where `inARow` keeps them.
 */
export function repairHistory(
  contents: readonly Content[],
  notes: Notes,
  inARow: MessagesInARow = 'join',
): Content[] {
  const repaired: OpenContent[] = []
  for (const turn of turnsOf(contents, inARow, notes)) {
    append(repaired, turn, inARow)
    if (turn.answeredCalls.length > 0) {
      repaired.push({
        speaker: 'tool',
        blocks: turn.answeredCalls.map((answeredCall) => responseTo(answeredCall, notes)),
      })
    }
  }
  return repaired
}

/** The responses that answer no call of the history. */
export function responsesWithoutCall(contents: readonly Content[]): ToolResponseBlock[] {
  return pairToolBlocks(contents).answeredCalls.flatMap(({ call, responses }) =>
    call === null ? responses : [],
  )
}

/** Some upstreams refuse a conversation that the model begins. This message of the user is put in front of it. */
export function shortBeginning(notes: Notes): { readonly role: 'user'; readonly content: string } {
  notes.changed('messages', 'The conversation has to begin with the user; a short message was put in front.')
  return { role: 'user', content: 'Go on.' }
}

/** A response without a name gets that of its call, and a call without a name that of its response. */
export function withToolNames(contents: readonly Content[], notes: Notes): Content[] {
  const answeredCallOf = answeredCallsInOrder(contents)
  return contents.map((content: Content) => {
    let isSame = true
    const blocks = content.blocks.map((block) => {
      const named = withToolName(block, answeredCallOf, notes)
      if (named !== block) isSame = false
      return named
    })
    return isSame ? content : contentOf(content, blocks)
  })
}

function withToolName(block: Block, answeredCallOf: () => AnsweredCall, notes: Notes): Block {
  if (block.type === 'tool_call') {
    const answeredCall = answeredCallOf()
    return block.name === '' ? { ...block, name: nameFor(answeredCall, notes) } : block
  }
  if (block.type !== 'tool_response') return block
  const answeredCall = answeredCallOf()
  if (block.toolName !== '' || answeredCall.call === null) return block
  return {
    ...block,
    toolName: answeredCall.call.name === '' ? nameFor(answeredCall, notes) : answeredCall.call.name,
  }
}

function nameFor({ call, responses }: AnsweredCall, notes: Notes): string {
  const name = responses.map(({ toolName }) => toolName).find((told) => told !== '') ?? 'unknown_tool'
  notes.changed('messages', `The call "${call?.id ?? ''}" has no name; it is called ${name}.`)
  return name
}

interface Turn {
  /** The first message of the turn. */
  readonly message: Content
  readonly speaker: 'human' | 'ai'
  readonly blocks: Block[]
  /** One for each call of this turn. */
  readonly answeredCalls: AnsweredCall[]
}

function turnsOf(contents: readonly Content[], inARow: MessagesInARow, notes: Notes): Turn[] {
  const answeredCallOf = answeredCallsInOrder(contents)
  const order = new ResponseOrder(notes)
  const turns: Turn[] = []
  for (const content of contents) {
    const speaker = content.speaker === 'ai' ? 'ai' : 'human'
    const last = turns.at(-1)
    // Two messages of the model in a row are one turn, with the results of both behind it. A message that only held
    // results leaves an empty turn between them, which keeps them apart.
    const mayGoOn = inARow === 'join' || (last?.answeredCalls.length ?? 0) > 0
    const goesOn = last?.speaker === 'ai' && speaker === 'ai' && mayGoOn
    const turn: Turn = goesOn ? last : { message: content, speaker, blocks: [], answeredCalls: [] }
    if (!goesOn) turns.push(turn)

    for (const block of content.blocks) {
      if (block.type === 'tool_call') {
        const answeredCall = answeredCallOf()
        turn.blocks.push(block)
        turn.answeredCalls.push(answeredCall)
        order.call(answeredCall)
      } else if (block.type === 'tool_response') {
        const answeredCall = answeredCallOf()
        if (answeredCall.call === null) turn.blocks.push(...textOfOrphan(block, notes))
        else order.response(answeredCall)
      } else {
        turn.blocks.push(block)
        if (speaker === 'human') order.speech()
      }
    }
  }
  return turns
}

/** Notes each response that the client did not put right behind its call, or not in the order of the calls. */
class ResponseOrder {
  readonly #notes: Notes
  readonly #places = new Map<AnsweredCall, { readonly call: number; readonly speech: number }>()
  #calls = 0
  #speeches = 0
  #lastAnswered = -1

  constructor(notes: Notes) {
    this.#notes = notes
  }

  call(answeredCall: AnsweredCall): void {
    this.#places.set(answeredCall, { call: this.#calls++, speech: this.#speeches })
  }

  speech(): void {
    this.#speeches++
  }

  response(answeredCall: AnsweredCall): void {
    const place = this.#places.get(answeredCall)
    if (place === undefined) return
    if (place.speech < this.#speeches) {
      this.#notes.changed(
        'messages',
        `The result for "${answeredCall.call?.id ?? ''}" was put behind its call.`,
      )
    } else if (place.call < this.#lastAnswered) {
      this.#notes.changed('messages', 'Results were put in the order of their calls.')
    }
    this.#lastAnswered = Math.max(this.#lastAnswered, place.call)
  }
}

/**
 * The caller asks once for each call and each response, in order. Looking a block up by its identity would fail,
 * because one block object may stand in a history twice.
 */
function answeredCallsInOrder(contents: readonly Content[]): () => AnsweredCall {
  const { blocks } = pairToolBlocks(contents)
  let at = 0
  return () => blocks[at++]?.answeredCall ?? { call: null, responses: [] }
}

interface OpenContent extends Content {
  readonly blocks: Block[]
}

function append(repaired: OpenContent[], { message, speaker, blocks }: Turn, inARow: MessagesInARow): void {
  // A message without blocks means something only to the dialect it came in, and only where its original was kept.
  const isKept = message.blocks.length === 0 && message.original !== undefined
  if (blocks.length === 0 && !isKept) return
  const last = repaired.at(-1)
  if (last?.speaker === speaker && inARow === 'join') for (const block of blocks) last.blocks.push(block)
  else repaired.push(contentOf(message, blocks, speaker))
}

/** Most contents have no original. Those get no field for it, so that all of them have one shape for the engine. */
function contentOf(
  { speaker: before, original }: Content,
  blocks: Block[],
  speaker: Speaker = before,
): OpenContent {
  return original === undefined ? { speaker, blocks } : { speaker, blocks, original }
}

function textOfOrphan(response: ToolResponseBlock, notes: Notes): (TextBlock | MediaBlock)[] {
  notes.changed(
    'messages',
    `The result for "${response.callId}" answers no call; it became text of the user.`,
  )
  const tool = response.toolName === '' ? 'an earlier tool call' : `an earlier call of ${response.toolName}`
  return [{ type: 'text', text: `Result of ${tool}:` }, ...resultBlocks(response.result)]
}

function responseTo({ call, responses }: AnsweredCall, notes: Notes): ToolResponseBlock {
  const callId = call?.id ?? ''
  const toolName = call?.name ?? ''
  const first = responses[0]
  const last = responses.at(-1)
  if (first === undefined || last === undefined) {
    notes.changed('messages', `The call "${callId}" has no result; a neutral one was put in its place.`)
    return { type: 'tool_response', callId, toolName, result: unavailable }
  }
  if (first === last) return responseWith(first, callId, toolName)
  if (responses.every((response) => sameResult(response, first))) {
    notes.changed('messages', `The result for "${callId}" came more than once; it is sent once.`)
    return responseWith(first, callId, toolName)
  }
  notes.changed('messages', `The call "${callId}" has several results; they became one.`)
  const result = responses.flatMap((response) => resultBlocks(response.result))
  const isError = last.isError === undefined ? {} : { isError: last.isError }
  return { type: 'tool_response', callId, toolName, result, ...isError }
}

function responseWith(response: ToolResponseBlock, callId: string, toolName: string): ToolResponseBlock {
  const isSame = response.callId === callId && response.toolName === toolName
  return isSame ? response : { ...response, callId, toolName }
}

// The text gives no reason: a model that reads "cancelled" stops calling tools, and apologises.
const unavailable = 'The result of this call is not available.'

function sameResult(a: ToolResponseBlock, b: ToolResponseBlock): boolean {
  return a.isError === b.isError && JSON.stringify(a.result) === JSON.stringify(b.result)
}

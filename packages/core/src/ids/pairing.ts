import type { Content, ToolCallBlock, ToolResponseBlock } from '../conversation.ts'

/** A call and what answered it: no response, one, or several. `call` is null for a response to no known call. */
export interface AnsweredCall {
  readonly call: ToolCallBlock | null
  readonly responses: readonly ToolResponseBlock[]
}

export interface Pairing {
  /** In the order in which they begin: at the call, or at the response that has none. */
  readonly answeredCalls: readonly AnsweredCall[]
  /** Every call and response of the history in order, with the answered call it belongs to. */
  readonly blocks: readonly PairedBlock[]
}

interface PairedBlock {
  readonly block: ToolCallBlock | ToolResponseBlock
  readonly answeredCall: AnsweredCall
}

/**
 * Finds out which response answers which call, where ids may repeat. A response answers a call before it that
 * has its id and no answer yet: first in the newest turn that called with this id, in order within the turn,
 * then in older turns. So a call that was interrupted does not take the answer of a later one. With every such
 * call answered it is a further response to the newest; with no such call it stands alone.
 *
 * Nothing that follows a block decides about it, so a history that grows keeps its pairs.
 */
export function pairToolBlocks(contents: readonly Content[]): Pairing {
  const answeredCalls: OpenCall[] = []
  const blocks: PairedBlock[] = []
  const callsById = new Map<string, CallsOfOneId>()
  let turn = 0

  for (const content of contents) {
    // One turn of a model may come as several contents in a row; only another speaker ends it.
    if (content.speaker !== 'ai') turn++
    for (const block of content.blocks) {
      if (block.type === 'tool_call') {
        const answeredCall: OpenCall = { call: block, responses: [] }
        answeredCalls.push(answeredCall)
        blocks.push({ block, answeredCall })
        callsOf(callsById, block.id).add(answeredCall, turn)
      } else if (block.type === 'tool_response') {
        let answeredCall = callsById.get(block.callId)?.answer()
        if (answeredCall === undefined) {
          answeredCall = { call: null, responses: [] }
          answeredCalls.push(answeredCall)
        }
        answeredCall.responses.push(block)
        blocks.push({ block, answeredCall })
      }
    }
  }
  return { answeredCalls, blocks }
}

interface OpenCall extends AnsweredCall {
  readonly responses: ToolResponseBlock[]
}

function callsOf(callsById: Map<string, CallsOfOneId>, id: string): CallsOfOneId {
  let calls = callsById.get(id)
  if (calls === undefined) {
    calls = new CallsOfOneId()
    callsById.set(id, calls)
  }
  return calls
}

class CallsOfOneId {
  private readonly unansweredTurns: { turn: number; calls: OpenCall[]; answered: number }[] = []
  private newest: OpenCall | undefined

  add(answeredCall: OpenCall, turn: number): void {
    const last = this.unansweredTurns.at(-1)
    if (last?.turn === turn) last.calls.push(answeredCall)
    else this.unansweredTurns.push({ turn, calls: [answeredCall], answered: 0 })
    this.newest = answeredCall
  }

  answer(): OpenCall | undefined {
    const last = this.unansweredTurns.at(-1)
    const next = last?.calls[last.answered]
    if (last === undefined || next === undefined) return this.newest
    last.answered++
    if (last.answered === last.calls.length) this.unansweredTurns.pop()
    return next
  }
}

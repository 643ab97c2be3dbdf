import type { Content } from '../conversation.ts'
import { type AnsweredCall, pairToolBlocks } from './pairing.ts'
import type { ToolIdMapper } from './strategy.ts'

/** Called once for each call, and for each response that has no call, in the order of the history. */
export type MakeId = (id: string, toolName: string) => string

/** All strategies share this: an id is made once for each answeredCall, so a call and its responses cannot differ. */
export function createToolIdMapper(contents: readonly Content[], makeId: MakeId): ToolIdMapper {
  const calls = new OccurrenceIds()
  const responses = new OccurrenceIds()
  const expectedResponses = new OccurrenceIds()

  const made = new Map<AnsweredCall, string>()
  for (const { block, answeredCall } of pairToolBlocks(contents).blocks) {
    if (block.type === 'tool_call') {
      const id = makeId(block.id, block.name)
      made.set(answeredCall, id)
      calls.add(block, id)
      calls.add(block.id, id)
      expectedResponses.add(block.id, id)
    } else {
      const id = made.get(answeredCall) ?? makeId(block.callId, block.toolName)
      responses.add(block, id)
      responses.add(block.callId, id)
    }
  }

  return {
    resolveToolCallId(call) {
      const known = calls.next(call) ?? calls.next(call.id)
      if (known !== undefined) return known
      const id = makeId(call.id, call.name)
      calls.add(call.id, id)
      expectedResponses.add(call.id, id)
      return id
    },
    resolveToolResponseId(response) {
      const { callId } = response
      const known = responses.next(response) ?? responses.next(callId) ?? expectedResponses.next(callId)
      if (known !== undefined) return known
      const id = makeId(callId, response.toolName)
      responses.add(callId, id)
      return id
    },
  }
}

/**
 * The ids made for a block object or for an id as it came in. One object may stand in a history twice, as an
 * id may, and each occurrence has an id of its own; so both kinds of key hold a list that is read in order.
 */
class OccurrenceIds {
  private readonly lists = new Map<object | string, { ids: string[]; asked: number }>()

  add(key: object | string, id: string): void {
    const list = this.lists.get(key)
    if (list === undefined) this.lists.set(key, { ids: [id], asked: 0 })
    else list.ids.push(id)
  }

  next(key: object | string): string | undefined {
    const list = this.lists.get(key)
    if (list === undefined) return undefined
    const id = list.ids[list.asked]
    if (list.asked < list.ids.length - 1) list.asked++
    return id
  }
}

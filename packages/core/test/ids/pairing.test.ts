import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Content } from '../../src/conversation.ts'
import { pairToolBlocks } from '../../src/ids/pairing.ts'
import { anyHistory } from './any-history.ts'
import { ai, call, human, response, tool, toolBlocks } from './history.ts'

/** For each response in order, the position of its call among all calls, or null. */
function answeredCalls(contents: readonly Content[]): (number | null)[] {
  const { answeredCalls: all, blocks } = pairToolBlocks(contents)
  const answered = all.filter((each) => each.call !== null)
  return blocks
    .filter(({ block }) => block.type === 'tool_response')
    .map(({ answeredCall }) => (answeredCall.call === null ? null : answered.indexOf(answeredCall)))
}

describe('pairing calls with responses', () => {
  it('pairs by id when ids are unique, whatever the order of the responses', () => {
    expect(answeredCalls([ai(call('a'), call('b')), tool(response('b'), response('a'))])).toEqual([1, 0])
  })

  it('pairs the k-th response with the k-th call when an id repeats in every turn', () => {
    const turn = [ai(call('t:0')), tool(response('t:0'))]
    expect(answeredCalls([...turn, ...turn, ...turn])).toEqual([0, 1, 2])
  })

  it('pairs in order when an id repeats within one turn', () => {
    expect(answeredCalls([ai(call('a'), call('a')), tool(response('a'), response('a'))])).toEqual([0, 1])
  })

  it('takes neighbouring contents of the model as one turn', () => {
    expect(answeredCalls([ai(call('a')), ai(call('a')), tool(response('a')), tool(response('a'))])).toEqual([
      0, 1,
    ])
  })

  it('does not let an interrupted call take the response of a later turn', () => {
    expect(answeredCalls([ai(call('a')), human(), ai(call('a')), tool(response('a'))])).toEqual([1])
  })

  it('gives a late response to the nearest older turn that still waits', () => {
    const contents = [
      ai(call('a')),
      human(),
      ai(call('a'), call('a')),
      human(),
      ai(call('a')),
      tool(response('a'), response('a'), response('a'), response('a')),
    ]
    expect(answeredCalls(contents)).toEqual([3, 1, 2, 0])
  })

  it('takes a response beyond the last waiting call as one more for the newest call', () => {
    const contents = [ai(call('a')), tool(response('a')), ai(call('a')), tool(response('a'), response('a'))]
    expect(answeredCalls(contents)).toEqual([0, 1, 1])
  })

  it('never pairs a response with a call that comes after it', () => {
    expect(answeredCalls([tool(response('a')), ai(call('a')), tool(response('a'))])).toEqual([null, 0])
  })

  it('leaves every response without a call alone, even two with one id', () => {
    const contents = [tool(response('a'), response('a'))]
    expect(answeredCalls(contents)).toEqual([null, null])
    expect(
      pairToolBlocks(contents).answeredCalls.map((answeredCall) => answeredCall.responses.length),
    ).toEqual([1, 1])
  })

  it('lists each answeredCall with its call and all its responses in the order in which they begin', () => {
    const [first, second, orphan] = [call('a'), call('b'), response('lost')]
    const [answer, again] = [response('a'), response('a')]
    expect(pairToolBlocks([ai(first), tool(orphan), ai(second), tool(answer, again)]).answeredCalls).toEqual([
      { call: first, responses: [answer, again] },
      { call: null, responses: [orphan] },
      { call: second, responses: [] },
    ])
  })

  it('lists every block once, in order', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        expect(pairToolBlocks(contents).blocks.map(({ block }) => block)).toEqual(toolBlocks(contents))
      }),
    )
  })

  it('agrees with the rule applied by searching the whole history for each response', () => {
    fc.assert(
      fc.property(anyHistory, (contents) => {
        expect(answeredCalls(contents)).toEqual(answeredCallsBySearch(contents))
      }),
      { numRuns: 3_000 },
    )
  })
})

function answeredCallsBySearch(contents: readonly Content[]): (number | null)[] {
  const calls: { id: string; turn: number; position: number; answered: boolean }[] = []
  const answers: (number | null)[] = []
  for (const [at, content] of contents.entries()) {
    const turn = contents.slice(0, at + 1).filter((earlier) => earlier.speaker !== 'ai').length
    for (const block of content.blocks) {
      if (block.type === 'tool_call') {
        calls.push({ id: block.id, turn, position: calls.length, answered: false })
      } else if (block.type === 'tool_response') {
        const candidates = calls.filter((candidate) => candidate.id === block.callId)
        const waiting = candidates.filter((candidate) => !candidate.answered)
        const newestTurn = Math.max(...waiting.map((candidate) => candidate.turn))
        const chosen = waiting.find((candidate) => candidate.turn === newestTurn) ?? candidates.at(-1)
        if (chosen !== undefined) chosen.answered = true
        answers.push(chosen?.position ?? null)
      }
    }
  }
  return answers
}

import { type Answer, argumentsText, callsIn, type FinishWord } from './answer.ts'
import { normalArguments, type View } from './view.ts'

/** What a client has to see of an answer without a fault, in whose text there are no calls. */
export function saidBy(answer: Answer): View {
  const calls = callsIn(answer).map((call) => ({
    name: call.name ?? '',
    arguments: normalArguments(argumentsText(call)),
  }))
  return {
    text: joined(answer, 'text'),
    reasoning: joined(answer, 'reasoning'),
    calls,
    finish: finishOf(answer, calls.length > 0),
    failure: null,
  }
}

function joined({ items }: Answer, kind: 'text' | 'reasoning'): string {
  return items.flatMap((item) => (item.is === kind ? item.pieces : [])).join('')
}

/** Calls end an answer whatever the server says, unless the model was stopped. */
function finishOf({ finish: { says } }: Answer, hasCalls: boolean): FinishWord {
  if (says === 'length' || says === 'content-filter' || says === 'pause') return says
  if (hasCalls) return 'tool-calls'
  return says === 'stop-sequence' ? says : 'stop'
}

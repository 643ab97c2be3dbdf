import type { ModelEvent } from './events.ts'
import type { ProblemCode, RepairCode } from './problems.ts'

export interface ParsedToolCall {
  /** The id the model wrote, or null. */
  readonly id: string | null
  readonly name: string
  /** A JSON string. */
  readonly arguments: string
}

export interface ParsedOutput {
  readonly content: string
  readonly reasoning: string
  /** Complete calls only. */
  readonly toolCalls: readonly ParsedToolCall[]
  readonly problems: readonly { code: ProblemCode; message: string; source: string }[]
  readonly repairs: readonly { code: RepairCode; message: string }[]
}

/** What a whole stream of events amounts to. */
export function assemble(events: readonly ModelEvent[]): ParsedOutput {
  const text: string[] = []
  const thoughts: string[] = []
  const calls = new Map<number, { id: string | null; name: string; json: string[]; complete: boolean }>()
  const problems: ParsedOutput['problems'][number][] = []
  const repairs: ParsedOutput['repairs'][number][] = []
  for (const event of events) {
    switch (event.type) {
      case 'text':
        text.push(event.text)
        break
      case 'reasoning':
        thoughts.push(event.text)
        break
      case 'call-start':
        calls.set(event.index, { id: event.id, name: event.name, json: [], complete: false })
        break
      case 'call-delta':
        calls.get(event.index)?.json.push(event.json)
        break
      case 'call-end': {
        const call = calls.get(event.index)
        if (call !== undefined) call.complete = event.complete
        break
      }
      case 'problem':
        problems.push({ code: event.code, message: event.message, source: event.source })
        break
      case 'repair':
        repairs.push({ code: event.code, message: event.message })
    }
  }
  const toolCalls = [...calls.values()]
    .filter((call) => call.complete)
    .map(({ id, name, json }) => ({ id, name, arguments: json.join('') }))
  return { content: text.join(''), reasoning: thoughts.join(''), toolCalls, problems, repairs }
}

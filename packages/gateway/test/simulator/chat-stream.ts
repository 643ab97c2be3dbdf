import { createSseDecoder } from '@dragoman/core'

export interface Received {
  readonly status: number
  readonly contentType: string | null
  readonly comments: number
  /** The data of each event, parsed where it is JSON. */
  readonly events: readonly unknown[]
  /** The text of each delta, with the field it came in. */
  readonly pieces: readonly { readonly field: string; readonly text: string }[]
  readonly finishReason: unknown
  readonly isDone: boolean
}

/** Reads a whole event stream. */
export async function readStream(response: Response): Promise<Received> {
  const decoder = createSseDecoder()
  const bytes = new Uint8Array(await response.arrayBuffer())
  const items = [...decoder.push(bytes), ...decoder.end()]
  const data = items.filter((item) => item.kind === 'event').map((event) => event.data)
  const events: unknown[] = data.map(parsed)
  const choices = events.map(choiceOf).filter((choice) => choice !== undefined)
  return {
    status: response.status,
    contentType: response.headers.get('content-type'),
    comments: items.filter((item) => item.kind === 'comment').length,
    events,
    pieces: choices.flatMap(({ delta }) =>
      Object.entries(delta)
        .filter(([field, text]) => field !== 'role' && typeof text === 'string' && text !== '')
        .map(([field, text]) => ({ field, text: String(text) })),
    ),
    finishReason: choices.map((choice) => choice.finish_reason).findLast((reason) => reason !== null),
    isDone: data.at(-1) === '[DONE]',
  }
}

interface Choice {
  readonly delta: Readonly<Record<string, unknown>>
  readonly finish_reason: unknown
}

function choiceOf(event: unknown): Choice | undefined {
  const hasChoices = typeof event === 'object' && event !== null && 'choices' in event
  return hasChoices && Array.isArray(event.choices) ? event.choices[0] : undefined
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch {
    return data
  }
}

/** What a worker tells the process above it. */
export type FromWorker =
  | { readonly dragoman: 'listening'; readonly address: string }
  | { readonly dragoman: 'metrics-wanted'; readonly id: number }

/** What a worker is told. */
export type ToWorker =
  | { readonly dragoman: 'reload' }
  | { readonly dragoman: 'drain' }
  | { readonly dragoman: 'dropped'; readonly lines: number }
  | { readonly dragoman: 'metrics'; readonly id: number; readonly text: string | null }

/** Other messages travel the same way: those of the library that gathers metrics are not ours. */
export function fromWorker(message: unknown): FromWorker | undefined {
  const { dragoman, address, id }: Record<string, unknown> = Object(message)
  if (dragoman === 'listening' && typeof address === 'string') return { dragoman, address }
  if (dragoman === 'metrics-wanted' && typeof id === 'number') return { dragoman, id }
  return undefined
}

export function toWorker(message: unknown): ToWorker | undefined {
  const { dragoman, id, text, lines }: Record<string, unknown> = Object(message)
  if (dragoman === 'reload' || dragoman === 'drain') return { dragoman }
  if (dragoman === 'dropped' && typeof lines === 'number') return { dragoman, lines }
  if (dragoman === 'metrics' && typeof id === 'number') {
    return { dragoman, id, text: typeof text === 'string' ? text : null }
  }
  return undefined
}

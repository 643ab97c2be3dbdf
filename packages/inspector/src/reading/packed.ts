import type { BothReadings, Delivered, OutputTrace, Reading, SourceSpan } from './protocol.ts'

/**
 * A reading as it comes from the worker. A browser takes long to hand over hundreds of thousands of small objects one by one,
 * and the page stands still meanwhile: as rows of numbers and as one text they are there at once.
 */
export interface PackedReading extends Omit<Reading, 'trace'> {
  readonly trace: Pick<OutputTrace, 'format' | 'held'> & {
    readonly events: string
    readonly places: Int32Array
    readonly spans: Int32Array
  }
}

export interface PackedBoth extends Pick<BothReadings, 'saidTexts' | 'gotTexts'> {
  readonly said: PackedReading
  readonly delivered: Int32Array
}

export function packedReading({ trace, ...reading }: Reading): PackedReading {
  const { format, held, events, places, spans } = trace
  return {
    ...reading,
    trace: {
      format,
      held,
      events: JSON.stringify(events),
      places: rowsOf(places, 2, ({ from, to }) => [from, to]),
      spans: rowsOf(spans, 5, ({ from, to, kind, call, event }) => [
        from,
        to,
        kinds.indexOf(kind),
        call ?? NONE,
        event ?? NONE,
      ]),
    },
  }
}

/** Opened piece by piece, so that the page can answer in between. */
export async function openedReading({ trace, ...reading }: PackedReading): Promise<Reading> {
  const { format, held } = trace
  // It was written by our own worker.
  const events: OutputTrace['events'] = JSON.parse(trace.events)
  await nextTask()
  const places = openedRows(trace.places, 2, (from, to) => ({ from, to }))
  await nextTask()
  const spans = openedRows(trace.spans, 5, (from, to, kind, call, event) => ({
    from,
    to,
    kind: kinds[kind] ?? 'text',
    call: call === NONE ? null : call,
    event: event === NONE ? null : event,
  }))
  await nextTask()
  return { ...reading, trace: { format, held, events, places, spans } }
}

export function packedBoth({ said, delivered, saidTexts, gotTexts }: BothReadings): PackedBoth {
  return {
    said: packedReading(said),
    delivered: rowsOf(delivered, 4, ({ from, to, kind, event }) => [
      from,
      to,
      deliveredKinds.indexOf(kind),
      event ?? NONE,
    ]),
    saidTexts,
    gotTexts,
  }
}

export async function openedBoth({ said, delivered, ...texts }: PackedBoth): Promise<BothReadings> {
  const reading = await openedReading(said)
  const stretches = openedRows(delivered, 4, (from, to, kind, event) => ({
    from,
    to,
    kind: deliveredKinds[kind] ?? 'text',
    event: event === NONE ? null : event,
  }))
  await nextTask()
  return { said: reading, delivered: stretches, ...texts }
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}

const NONE = -1

const deliveredKinds: readonly Delivered['kind'][] = ['text', 'reasoning', 'name', 'arguments']
const kinds: readonly SourceSpan['kind'][] = [...deliveredKinds, 'markup', 'repaired', 'removed', 'held']

function rowsOf<Item>(
  items: readonly Item[],
  width: number,
  row: (item: Item) => readonly number[],
): Int32Array {
  const rows = new Int32Array(items.length * width)
  for (const [index, item] of items.entries()) rows.set(row(item), index * width)
  return rows
}

function openedRows<Item>(
  rows: Int32Array,
  width: number,
  item: (a: number, b: number, c: number, d: number, e: number) => Item,
): Item[] {
  const at = (index: number): number => rows[index] ?? 0
  const items: Item[] = []
  for (let row = 0; row < rows.length; row += width) {
    items.push(item(at(row), at(row + 1), at(row + 2), at(row + 3), at(row + 4)))
  }
  return items
}

import type { ExchangeDetails, ExchangeSummary, StageId, StagePart } from './api-types.ts'

/** Where the inspector has exchanges from: the memory of this process, or files. Nothing that it gives holds a secret. */
export interface ExchangeSource {
  /** All its exchanges that come behind this place, newest first. All that there are where it is null. */
  listedAfter(place: Place | null): Promise<readonly ListedExchange[]>
  /** Undefined where it has no such exchange, or has it no more. */
  find(id: string): Promise<ShownExchange | undefined>
}

/** Where an exchange stands in the list. */
export interface Place {
  readonly time: string
  readonly id: string
}

/** An exchange in the list, which is looked at only where it is shown. */
export interface ListedExchange extends Place {
  /** Undefined where it is gone by now, or turns out to be none. */
  look(): Promise<ShownExchange | undefined>
}

/** One exchange, of which each part is made when somebody looks at it. */
export interface ShownExchange {
  summary(): ExchangeSummary
  details(): ExchangeDetails
  /** `from` is 0, or the `next` of the part before. */
  stage(stage: StageId, from: number): Promise<StagePart>
  /** The exchange as a recording, in pieces. */
  recording(): AsyncIterable<string | Buffer>
  /** What the client sent and where to, or undefined where it is not whole or longer than `most` bytes. */
  request(most: number): Promise<RepeatableRequest | undefined>
}

export interface RepeatableRequest {
  readonly path: string
  readonly body: string | Buffer
}

/** The order of the list: newest first. */
export function byPlace(one: Place, other: Place): number {
  if (one.time !== other.time) return one.time < other.time ? 1 : -1
  return one.id < other.id ? 1 : one.id > other.id ? -1 : 0
}

/** What is in memory, and the files behind it. Of an exchange that both have, the memory knows more, unless it is an outline there. */
export function withRecordings(
  live: ExchangeSource & { has(id: string): boolean },
  recorded: ExchangeSource,
): ExchangeSource {
  return {
    listedAfter: async (place) => {
      const files = await recorded.listedAfter(place)
      const inMemory = await live.listedAfter(place)
      return [...inMemory, ...files.filter(({ id }) => !live.has(id))].toSorted(byPlace)
    },
    find: async (id) => {
      const inMemory = await live.find(id)
      const isWhole = inMemory?.details().keeps === 'everything'
      return isWhole ? inMemory : ((await recorded.find(id)) ?? inMemory)
    },
  }
}

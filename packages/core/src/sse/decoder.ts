import type { SseItem } from './items.ts'
import { SseReader } from './reader.ts'

export interface SseDecoderOptions {
  readonly limits?: {
    /** The longest line or event, in bytes of UTF-8. Default 8 388 608. */
    readonly maxEventBytes?: number
  }
}

export interface SseDecoder {
  push(chunk: string | Uint8Array): SseItem[]
  end(): SseItem[]
}

/** Reads an event stream (`text/event-stream`) in pieces of any size, cut anywhere. */
export function createSseDecoder(options: SseDecoderOptions = {}): SseDecoder {
  return new CollectingDecoder(options.limits?.maxEventBytes)
}

class CollectingDecoder implements SseDecoder {
  private items: SseItem[] = []
  private readonly reader: SseReader

  constructor(maxEventBytes: number | undefined) {
    this.reader = new SseReader({ item: (item) => this.items.push(item) }, maxEventBytes)
  }

  push(chunk: string | Uint8Array): SseItem[] {
    this.reader.push(chunk)
    return this.take()
  }

  end(): SseItem[] {
    this.reader.end()
    return this.take()
  }

  private take(): SseItem[] {
    const { items } = this
    this.items = []
    return items
  }
}

import type { SseItem } from '../../sse/items.ts'
import { SseReader } from '../../sse/reader.ts'
import type { StreamFraming } from '../dialect.ts'

/** The chunks of a stream as the elements of one JSON array, for clients that do not ask for events. */
export function createArrayFraming(): StreamFraming {
  return new ArrayFraming()
}

class ArrayFraming implements StreamFraming {
  readonly contentType = 'application/json; charset=utf-8'
  private readonly sse = new SseReader({ item: (item) => this.take(item) }, Number.MAX_SAFE_INTEGER)
  private elements: string[] = []
  private at: 'start' | 'elements' = 'start'

  write(events: string): string {
    this.sse.push(events)
    const { elements } = this
    this.elements = []
    // White space is all that may stand between elements: this is what is sent while a client waits.
    if (elements.length === 0) return events.trim() === '' ? events : ''
    const before = this.at === 'start' ? '[' : ',\r\n'
    this.at = 'elements'
    return before + elements.join(',\r\n')
  }

  end(): string {
    return this.at === 'start' ? '[]' : ']'
  }

  failure(body: object): unknown {
    return [body]
  }

  private take(item: SseItem): void {
    if (item.kind === 'event') this.elements.push(item.data)
  }
}

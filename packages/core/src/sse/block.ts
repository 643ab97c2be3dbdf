import type { SseEvent, SseField, SseFields } from './items.ts'

const SPACE = 0x20
const noFields: readonly SseField[] = Object.freeze([])

/** The fields read since the last blank line. */
export class SseBlock {
  isOpen = false
  private data: string | undefined
  private furtherData: string[] | undefined
  private event: string | undefined
  private id: string | undefined
  private retry: number | undefined
  private otherFields: SseField[] | undefined

  /** Takes the line `text[start, end)`, which is neither blank nor a comment. */
  readLine(text: string, start: number, end: number): void {
    this.isOpen = true
    if (text.startsWith('data:', start)) {
      this.readData(text.slice(valueStart(text, start + 4), end))
      return
    }
    // Looking for the colon in `text` would run on to the end of the chunk for each line without one,
    // and a chunk of many such lines would cost the square of its length.
    const line = text.slice(start, end)
    const colon = line.indexOf(':')
    if (colon === -1) this.readField(line, '')
    else this.readField(line.slice(0, colon), line.slice(valueStart(line, colon)))
  }

  close(source: string, terminated: boolean): SseEvent | SseFields {
    const { event, id, retry, otherFields = noFields } = this
    const data = this.joinedData()
    this.clear()
    return data === undefined
      ? { kind: 'fields', event, id, retry, otherFields, terminated, source }
      : { kind: 'event', event, data, id, retry, otherFields, terminated, source }
  }

  clear(): void {
    this.isOpen = false
    this.data = undefined
    this.furtherData = undefined
    this.event = undefined
    this.id = undefined
    this.retry = undefined
    this.otherFields = undefined
  }

  private readField(name: string, value: string): void {
    switch (name) {
      case 'data':
        this.readData(value)
        break
      case 'event':
        this.event = value === '' ? undefined : value
        break
      case 'id':
        if (!value.includes('\0')) this.id = value
        break
      case 'retry':
        this.retry = milliseconds(value) ?? this.retry
        break
      default:
        this.otherFields ??= []
        this.otherFields.push({ name, value })
    }
  }

  private readData(value: string): void {
    if (this.data === undefined) this.data = value
    else if (this.furtherData === undefined) this.furtherData = [value]
    else this.furtherData.push(value)
  }

  private joinedData(): string | undefined {
    if (this.data === undefined || this.furtherData === undefined) return this.data
    return `${this.data}\n${this.furtherData.join('\n')}`
  }
}

/** Where the value after `colon` starts: one space is punctuation, a second one belongs to the value. */
export function valueStart(text: string, colon: number): number {
  return text.charCodeAt(colon + 1) === SPACE ? colon + 2 : colon + 1
}

function milliseconds(digits: string): number | undefined {
  for (let at = 0; at < digits.length; at++) {
    const code = digits.charCodeAt(at)
    if (code < 0x30 || code > 0x39) return undefined
  }
  const value = Number(digits)
  return digits !== '' && Number.isSafeInteger(value) ? value : undefined
}

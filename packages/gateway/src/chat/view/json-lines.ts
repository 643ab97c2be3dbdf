import type { Output } from '../../terminal/output.ts'
import type { ChatEvent, ChatView } from '../chat-event.ts'

/** Shows a chat to programs: each event is a line of JSON. */
export class JsonLines implements ChatView {
  private readonly output: Output
  private readonly onBroken: () => void
  private broken: unknown

  /** `onBroken` is called when the reader has left. */
  constructor(output: Output, onBroken: () => void) {
    this.output = output
    this.onBroken = onBroken
  }

  show(event: ChatEvent): void {
    this.output.line(withoutControls(JSON.stringify(event))).catch((error: unknown) => {
      if (this.broken === undefined) this.onBroken()
      this.broken ??= error
    })
  }

  print(text: string): void {
    this.show({ type: 'note', message: text })
  }

  async flush(): Promise<void> {
    if (this.broken !== undefined) throw this.broken
  }
}

/**
 * JSON escapes the control characters below U+0020. Those from U+0080 on are escaped here, as a terminal would obey
 * them.
 */
function withoutControls(json: string): string {
  return json.replaceAll(/[\u007f-\u009f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`)
}

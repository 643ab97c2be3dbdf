/** Stands for a line end in an input that is shown as one line. The first that is not in the input itself is taken. */
const marks = ['↵', '⏎', '␤'] as const

export type LineEndMark = (typeof marks)[number]

/** Longer inputs are not brought back: readline takes long to show them. */
const LONGEST = 65_536

const KEPT = 1000

/**
 * The inputs that the arrow keys bring back. Readline knows single lines alone and remembers each of them, so that a
 * pasted block would come back line by line. Here an input of several lines is one entry, folded into one line.
 */
export class RecalledInputs {
  /** What readline goes through, the latest first. */
  lines: string[]
  private readonly folds = new Map<string, LineEndMark>()
  private entries: string[]

  /** `inputs` are earlier inputs, the latest first. */
  constructor(inputs: readonly string[]) {
    this.entries = inputs.flatMap((input) => this.fold(input))
    this.lines = [...this.entries]
  }

  /** Takes out of readline's list what it has added by itself. */
  restore(lines: string[]): void {
    lines.splice(0, lines.length, ...this.entries)
    this.lines = lines
  }

  add(input: string): void {
    const added = this.fold(input)
    this.entries = [...added, ...this.entries.filter((entry) => !added.includes(entry))].slice(0, KEPT)
    this.restore(this.lines)
  }

  /** The mark that stands for the line ends of this line, if it is one that was folded. */
  markIn(line: string): LineEndMark | null {
    return this.folds.get(line) ?? null
  }

  private fold(input: string): string[] {
    if (input.trim() === '' || input.length > LONGEST) return []
    if (!input.includes('\n')) return [input]
    const mark = marks.find((each) => !input.includes(each))
    if (mark === undefined) return []
    const line = input.replaceAll('\n', mark)
    this.folds.set(line, mark)
    return [line]
  }
}

import type { FormatId } from '../../formats/format-id.ts'
import type { Grammar } from '../../formats/format.ts'
import type { Heading } from '../lexicon/heading.ts'
import { isUnmarkedJson, type Opening } from '../lexicon/opening.ts'

/** What the stream has shown its format to be. From then on markers of others are text. */
export class Commitment {
  format: FormatId | undefined
  /** The client demanded a call: a server may have made the model write it as JSON, whatever its syntax is. */
  readonly isForced: boolean
  /** The answer is made of messages: then a plain-text call outside of one is text too. */
  hasHeaders = false
  /** The grammars in which a message that is addressed to nobody may hold calls all the same. */
  unaddressed: readonly Grammar[] = []
  /** The tool that the header at hand names, for a call behind it that names none. */
  private addressee: string | undefined
  private grammars: readonly Grammar[] = []
  /** How messages to tools are written. */
  private calls: readonly Grammar[] = []

  constructor(isForced: boolean) {
    this.isForced = isForced
  }

  toOpening(opening: Opening): void {
    if (this.hasHeaders || this.isDemanded(opening)) return
    this.format = opening.format
    this.grammars = [opening.grammar]
  }

  toFormat(format: FormatId, grammars: readonly Grammar[]): void {
    if (this.format !== undefined) return
    this.format = format
    this.grammars = grammars
  }

  toHeading({ format, grammars, channels }: Heading): void {
    this.format = format
    this.grammars = grammars
    this.calls = channels.calls
    this.hasHeaders = true
  }

  /** The header at hand names this tool, or none. */
  address(tool: string | undefined): void {
    this.addressee = tool
  }

  /** It counts for the next call only. */
  takeAddressee(): string | undefined {
    const tool = this.addressee
    this.addressee = undefined
    return tool
  }

  /** A message is over: what comes without a header is addressed to nobody. */
  endMessage(): void {
    this.unaddressed = this.calls
  }

  allows(opening: Opening): boolean {
    const { format, grammar } = opening
    if (this.format === undefined || this.isDemanded(opening)) return true
    if (format !== this.format) return false
    return !this.hasHeaders || grammar.isSpecial || this.unaddressed.includes(grammar)
  }

  isForeign(owners: ReadonlySet<FormatId>): boolean {
    return this.format !== undefined && !owners.has(this.format)
  }

  owns(grammars: readonly Grammar[]): boolean {
    return this.format === undefined || grammars.some((each) => this.grammars.includes(each))
  }

  private isDemanded(opening: Opening): boolean {
    return this.isForced && isUnmarkedJson(opening)
  }
}

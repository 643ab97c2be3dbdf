import type { FormatId } from '../formats/format-id.ts'

/** A new id for a call, none of those taken; `std` for a call that came structured. */
export type MintId = (format: FormatId | 'std', taken: ReadonlySet<string>) => string

/** The tool ids of one answer: none is given out twice, nor one that the conversation holds. */
export class AnswerIds {
  private readonly seen: Set<string>
  private readonly mintId: MintId
  private readonly isLegal: (id: string) => boolean
  private readonly familyOf: (id: string) => FormatId | null

  /**
   * `isLegal`: whether the client takes an id that an upstream made. `familyOf`: which family of models such an id proves.
   */
  constructor(
    mintId: MintId,
    conversation: ReadonlySet<string> = new Set(),
    isLegal: (id: string) => boolean = () => true,
    familyOf: (id: string) => FormatId | null = () => null,
  ) {
    this.mintId = mintId
    this.isLegal = isLegal
    this.familyOf = familyOf
    this.seen = new Set(conversation)
  }

  mint(format: FormatId | 'std'): string {
    const id = this.mintId(format, this.seen)
    this.seen.add(id)
    return id
  }

  /** The upstream's own id where the client takes it and it is new, else a minted one that tells what the id told. */
  keep(upstreamId: string | null): string {
    if (upstreamId === null) return this.mint('std')
    if (!this.isLegal(upstreamId) || this.seen.has(upstreamId)) {
      return this.mint(this.familyOf(upstreamId) ?? 'std')
    }
    this.seen.add(upstreamId)
    return upstreamId
  }
}

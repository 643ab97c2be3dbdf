import { repairEvent } from '../../../events.ts'
import { declaredName, type DeclaredTools } from '../../../answer/calls/declared-tools.ts'
import { isJsonObject, nonEmptyText } from '../../../json/objects.ts'
import { cutName, withoutTokens } from '../../../answer/calls/structured-call.ts'
import type { ChoiceReaderOptions } from './choice-reader.ts'
import type { Piece } from './delta.ts'

/** Names the tools of calls as the client knows them. */
export class ClientNames {
  private readonly options: ChoiceReaderOptions

  constructor(options: ChoiceReaderOptions) {
    this.options = options
  }

  /** The pieces with the names the client knows; the very arrays where no name has to change. */
  inPieces(pieces: readonly Piece[]): Piece[] {
    return pieces.map((piece) => {
      if (piece.type !== 'calls') return piece
      const calls = piece.calls.map((entry) => this.named(entry))
      return calls.every((call, at) => call === piece.calls[at]) ? piece : { type: 'calls', calls }
    })
  }

  private named(entry: unknown): unknown {
    const fn = isJsonObject(entry) ? entry['function'] : undefined
    const name = isJsonObject(fn) ? nonEmptyText(fn['name']) : null
    if (name === null || !isJsonObject(entry) || !isJsonObject(fn)) return entry
    const clean = withoutTokens(name)
    if (clean !== name) this.options.warn(cutName)
    const declared = this.declared(clean, this.options.declaredTools?.())
    const known = this.options.clientToolName?.(declared) ?? declared
    this.options.onCall?.(known)
    return known === name ? entry : { ...entry, function: { ...fn, name: known } }
  }

  private declared(name: string, tools: DeclaredTools | undefined): string {
    const declared = tools === undefined ? name : declaredName(name, tools)
    if (declared !== name) this.options.record(repairEvent('namespace'))
    return declared
  }
}

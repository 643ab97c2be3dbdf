import { mintId, type NewIdOptions } from '../ids/mint.ts'
import { type DialectId, dialects } from './index.ts'

export interface MintOptions extends Omit<NewIdOptions, 'prefix'> {
  /** The client's dialect. */
  readonly dialect: DialectId
}

/** A tool id for a client, in the style of its dialect: `call_kimi_…`, `toolu_std_…`. */
export function mintToolId({ dialect, ...options }: MintOptions): string {
  return mintId({ prefix: dialects[dialect].request.messages.idPrefix, ...options })
}

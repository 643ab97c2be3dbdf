import { mintId, type NewIdOptions } from '../ids/mint.ts'
import type { DialectId } from '../request/dialect-id.ts'
import { requestDialects } from './requests.ts'

export interface MintOptions extends Omit<NewIdOptions, 'prefix'> {
  /** The client's dialect. */
  readonly dialect: DialectId
}

/** A tool id for a client, in the style of its dialect: `call_kimi_…`, `toolu_std_…`. */
export function mintToolId({ dialect, ...options }: MintOptions): string {
  return mintId({ prefix: requestDialects[dialect].messages.idPrefix, ...options })
}

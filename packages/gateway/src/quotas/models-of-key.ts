import type { ClientKey } from '../config/config.ts'
import { matchesName } from '../config/match-model.ts'

/** Whether a key may ask for this model. Undefined: there are no keys. */
export function mayUse(key: ClientKey | undefined, model: string): boolean {
  return key?.models?.some((pattern) => matchesName(model, pattern)) ?? true
}

import { isThorough } from '../thorough.ts'
import type { Combination } from './combinations.ts'

/**
 * So many combinations of each model, others with each, so that all models together try every one. `from` makes two shares of
 * the same list differ.
 */
export function share(list: readonly Combination[], ofEach: number, from: number): readonly Combination[] {
  if (isThorough) return list
  const byModel = new Map<string, Combination[]>()
  for (const each of list) {
    const name = each.model.replace(/\+.*/, '')
    byModel.set(name, [...(byModel.get(name) ?? []), each])
  }
  // Seven divides no number of combinations, so that its multiples begin everywhere.
  return [...byModel.values()].flatMap((all, nth) =>
    all.filter((_, at) => (at + 7 * nth + from) % Math.ceil(all.length / ofEach) === 0),
  )
}

/** For `it.each`. */
export function titled(list: readonly Combination[]): [string, Combination][] {
  return list.map((each) => [`${each.model} ${each.isStream ? 'as a stream' : 'in one piece'}`, each])
}

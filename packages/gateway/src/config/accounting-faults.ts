import { patternsMeet } from './match-model.ts'
import { type ConfigIssue, describePath, type Path } from './origin.ts'
import { issueAt, itemsAt, keyOriginAt, keysAt, type SettingTree, textAt, treeAt } from './setting-tree.ts'
import { modelsAskedFor } from './upstream-order.ts'

/** What keys, prices and the store say that cannot be meant. */
export function accountingFaults(settings: SettingTree): ConfigIssue[] {
  return [...uselessPatterns(settings), ...unpricedBudgets(settings), ...uselessPrices(settings)]
}

/** What is valid, but counts less than was meant. */
export function accountingCautions(settings: SettingTree): ConfigIssue[] {
  const prices = keysAt(settings, ['prices'])
  const isBudgeted = itemsAt(settings, ['keys']).some((key) => treeAt(key, ['budget']) !== undefined)
  if (!isBudgeted || prices.length === 0) return []
  return itemsAt(settings, ['models']).flatMap((rule, at) => {
    const free = modelsAskedFor(rule).find((model) => !prices.some((price) => patternsMeet(price, model)))
    const message = `"${free}" has no price: no budget is spent on it. Add it under prices, with 0 if it is free`
    return free === undefined ? [] : [issueAt(settings, ['models', at], message)]
  })
}

/** A key that may use only what there is not may use nothing. */
function uselessPatterns(settings: SettingTree): ConfigIssue[] {
  const names = ruleNames(settings)
  if (names === undefined) return []
  return itemsAt(settings, ['keys']).flatMap((key, at) =>
    itemsAt(key, ['models']).flatMap((pattern, place) => {
      const text = textAt(pattern, [])
      if (text === undefined || names.some((name) => patternsMeet(name, text))) return []
      const message = `no rule under models answers for "${text}". There are rules for: ${names.join(', ')}`
      return [issueAt(settings, ['keys', at, 'models', place], message)]
    }),
  )
}

function unpricedBudgets(settings: SettingTree): ConfigIssue[] {
  if (keysAt(settings, ['prices']).length > 0) return []
  const message =
    'a budget needs prices, else nothing is ever spent: add prices: { "MODEL": { input: 0.6, output: 2.5 } }'
  return itemsAt(settings, ['keys']).flatMap((key, at) =>
    treeAt(key, ['budget']) === undefined ? [] : [issueAt(settings, ['keys', at, 'budget'], message)],
  )
}

/** The price of a model that no upstream is asked for. */
function uselessPrices(settings: SettingTree): ConfigIssue[] {
  const rules = itemsAt(settings, ['models'])
  if (rules.length === 0) return []
  const models = [...new Set(rules.flatMap(modelsAskedFor))]
  return keysAt(settings, ['prices']).flatMap((price) => {
    if (models.some((model) => patternsMeet(model, price))) return []
    const message = `is the price of no model: upstreams are asked for ${models.join(', ')}`
    const path: Path = ['prices', price]
    return [{ origin: keyOriginAt(settings, ['prices'], price), path: describePath(path), message }]
  })
}

/** The names that the rules match; undefined where there are no rules, so that every name goes to the only upstream. */
function ruleNames(settings: SettingTree): string[] | undefined {
  const rules = itemsAt(settings, ['models'])
  return rules.length === 0 ? undefined : rules.flatMap((rule) => textAt(rule, ['match']) ?? [])
}

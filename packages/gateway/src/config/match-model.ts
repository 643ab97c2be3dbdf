import type { GatewayConfig, ModelRule, RuleTarget, Upstream } from './config.ts'

/** Where a request goes, and how the answer is read. */
export interface ModelRoute extends Omit<RuleTarget, 'upstream' | 'model'> {
  readonly upstream: Upstream | 'simulator'
  /** What the upstream calls the model. */
  readonly model: string
}

/** The first rule that matches the name a client asked for, or undefined where there is no such model. */
export function ruleFor(name: string, { models }: Pick<GatewayConfig, 'models'>): ModelRule | undefined {
  return models.find(({ match }) => matchesName(name, match))
}

/** The first place that a request for this name may go to. */
export function matchModel(config: GatewayConfig, name: string): ModelRoute | undefined {
  const rule = ruleFor(name, config)
  return rule === undefined ? undefined : routeTo(rule, name, config)
}

/** All places that requests of a rule may go to: pools, in the order in which they are tried. */
export function routesOf(rule: ModelRule, name: string, config: GatewayConfig): ModelRoute[][] {
  const { order } = rule
  return (order ?? [[rule]]).map((pool) => pool.flatMap((target) => routeTo(target, name, config) ?? []))
}

function routeTo(target: RuleTarget, name: string, { upstreams }: GatewayConfig): ModelRoute | undefined {
  const upstream = upstreams === 'simulator' ? upstreams : upstreams.get(target.upstream)
  if (upstream === undefined) return undefined
  const { model, format, tools, startsInReasoning, window, maxTokens, thinking, timeouts } = target
  return {
    upstream,
    model: model ?? name,
    format,
    tools,
    startsInReasoning,
    window,
    maxTokens,
    thinking,
    timeouts,
  }
}

/** A name that this rule matches, or undefined where the rule matches any name and means none. */
export function exampleName({ match, model }: ModelRule): string | undefined {
  if (!match.includes('*')) return match
  if (match === '*') return model ?? undefined
  return model === null ? undefined : match.replaceAll('*', '')
}

// Each part of the pattern is matched where it first occurs, which leaves the most room for the next ones, so that no
// step has to be taken back. A regular expression would try every split of a name that somebody made to be slow.
export function matchesName(name: string, pattern: string): boolean {
  const text = name.toLowerCase()
  const [head = '', ...parts] = pattern.toLowerCase().split('*')
  const tail = parts.pop()
  if (tail === undefined) return text === head
  if (!text.startsWith(head) || !text.endsWith(tail)) return false

  let at = head.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return at <= text.length - tail.length
}

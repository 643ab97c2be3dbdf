import type { ConversationRequest } from '@dragoman/core'
import type { Upstream } from '../config/config.ts'

/**
 * What an upstream accepts in a request, as far as its host tells. Other hosts of the same models are less strict.
 */
export interface HostHabits {
  readonly maxTokensField?: 'max_completion_tokens'
  readonly fixedSampling?: true
  readonly prefill?: 'partial' | 'prefix'
}

export function habitsOf(upstream: Upstream, model: string): HostHabits {
  return habitsAt(upstream).find(({ models }) => models.test(model))?.takes ?? none
}

const none: HostHabits = {}

const known = new WeakMap<Upstream, readonly Habit[]>()

/** Is looked up once for each upstream and not for each request. */
function habitsAt(upstream: Upstream): readonly Habit[] {
  let found = known.get(upstream)
  if (found === undefined) {
    const { hostname } = new URL(upstream.url)
    found = habits.filter(({ host }) => host.test(hostname))
    known.set(upstream, found)
  }
  return found
}

interface Habit {
  readonly host: RegExp
  readonly models: RegExp
  readonly takes: HostHabits
}

/** The first entry that fits counts. */
const habits: readonly Habit[] = [
  // For these models OpenAI answers 400 to fields that it accepts for all older ones.
  {
    host: /^api\.openai\.com$|\.openai\.azure\.com$/,
    models: /^(?:o\d|gpt-5)/,
    takes: { maxTokensField: 'max_completion_tokens', fixedSampling: true },
  },
  {
    host: /(?:^|\.)moonshot\.(?:ai|cn)$/,
    models: /^kimi-k(?:2\.[5-9]|[3-9])/,
    takes: { fixedSampling: true, prefill: 'partial' },
  },
  { host: /(?:^|\.)moonshot\.(?:ai|cn)$/, models: /./, takes: { prefill: 'partial' } },
  { host: /^api\.mistral\.ai$/, models: /./, takes: { prefill: 'prefix' } },
]

/**
 * How an upstream is made to call a tool. Moonshot answers 400 to a forced call, and so does DeepSeek while the model
 * thinks. Other hosts of the same models can force a call by restricting what the model writes.
 */
export function forcedChoice(
  { url }: Upstream,
  model: string,
  { reasoning, toolChoice }: ConversationRequest,
): 'send' | 'nudge' {
  if (toolChoice?.type !== 'required' && toolChoice?.type !== 'tool') return 'send'
  const { hostname } = new URL(url)
  if (/(?:^|\.)moonshot\.(?:ai|cn)$/.test(hostname)) return 'nudge'
  const isThinking = reasoning?.mode === 'on' || model.includes('reasoner')
  return hostname === 'api.deepseek.com' && isThinking ? 'nudge' : 'send'
}

/**
 * Whether an upstream refuses reasoning that it did not sign, where neither the configuration nor the model's name tells
 * its family. Anthropic does. Models called after Claude run elsewhere too, behind a proxy or as the alias of another
 * model: undefined, so that nothing goes there that Anthropic would refuse. Under any other name a server is most likely
 * one of open models, but nobody can be sure.
 */
export function signaturesAt({ url }: Upstream, model: string): 'checked' | 'unknown' | undefined {
  const { hostname } = new URL(url)
  if (signingHosts.test(hostname)) return 'checked'
  return signingModels.test(model) ? undefined : 'unknown'
}

const signingHosts = /(?:^|\.)anthropic\.com$/
const signingModels = /claude/i

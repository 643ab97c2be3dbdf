import type { ConversationRequest } from '@dragoman/core'
import type { Upstream } from '../config/config.ts'

/** What an upstream takes of a request, where its host tells. Others that serve the same models are not so strict. */
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

/** Looked up once for each upstream and not for each request. */
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

/** The first that fits is the one. */
const habits: readonly Habit[] = [
  // Answers 400 to the fields that it took of all models before these.
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
 * How an upstream is made to call a tool. These two answer 400 where a call is forced, the second only while the model
 * thinks; others that serve the same models force it by what they let the model write.
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

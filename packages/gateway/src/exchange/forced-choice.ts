import type { ConversationRequest } from '@dragoman/core'
import type { Upstream } from '../config/config.ts'

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

import type { Tool } from './conversation-request.ts'
import type { Notes } from './notes.ts'
import type { RequestTarget } from './target.ts'

/** As many of the tools as the upstream takes. */
export function offeredTools(
  tools: readonly Tool[],
  { maxTools }: RequestTarget,
  notes: Notes,
): readonly Tool[] {
  if (maxTools === undefined || tools.length <= maxTools) return tools
  notes.dropped(
    'tools',
    `The upstream takes ${maxTools} tools; the last ${tools.length - maxTools} are left out.`,
  )
  return tools.slice(0, maxTools)
}

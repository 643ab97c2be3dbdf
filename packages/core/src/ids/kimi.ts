import { createToolIdMapper } from './mapper.ts'
import type { ToolIdStrategy } from './strategy.ts'

/**
 * Kimi's template shows the model the id and not the name of the tool: `functions.{name}:{n}`, n counting from 0
 * over the whole conversation. Among ids of another style the model loses the name and copies that style, so every
 * id is made anew. A response without a call takes the number at its place, as the call it lacks would have.
 */
export const kimiIds: ToolIdStrategy = {
  name: 'kimi',
  createMapper(contents) {
    let count = 0
    return createToolIdMapper(contents, (_id, toolName) => `functions.${toolName || 'unknown'}:${count++}`)
  },
}

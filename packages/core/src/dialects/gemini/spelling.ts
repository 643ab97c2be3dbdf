import type { JsonObject } from '../../json/objects.ts'

/**
 * The object with its fields as the dialect writes them. Its servers take `system_instruction` for `systemInstruction`, and
 * so do we. Only the object itself is looked at: what stands inside may be arguments or names, which are nobody's to change.
 */
export function camelCased(object: JsonObject): JsonObject {
  const isSpelled = Object.keys(object).every((key) => !snake.test(key))
  if (isSpelled) return object
  const named = new Map<string, unknown>()
  for (const [key, value] of Object.entries(object)) {
    const name = key.replaceAll(snakes, (_, letter: string) => letter.toUpperCase())
    // Where both spellings stand in one object, the dialect's own counts.
    if (name === key || !Object.hasOwn(object, name)) named.set(name, value)
  }
  return Object.fromEntries(named)
}

const snake = /[a-z\d]_[a-z\d]/
const snakes = /(?<=[a-z\d])_([a-z\d])/g

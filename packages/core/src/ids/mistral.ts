import { withoutRawPrefix } from './legal-id.ts'
import { createToolIdMapper } from './mapper.ts'
import type { ToolIdStrategy } from './strategy.ts'
import { UniqueIds } from './unique-ids.ts'

/** Mistral refuses any id that is not exactly nine letters and digits. */
export const mistralIds: ToolIdStrategy = {
  name: 'mistral',
  createMapper(contents) {
    const unique = new UniqueIds('')
    return createToolIdMapper(contents, (id) => {
      const wanted = withoutRawPrefix(id)
      return unique.take(id, /^[a-zA-Z0-9]{9}$/.test(wanted) ? wanted : null)
    })
  },
}

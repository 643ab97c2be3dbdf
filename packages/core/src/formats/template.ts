import type { FormatId } from './format-id.ts'
import type { Template } from './format.ts'
import { formats } from './registry.ts'

/** With what a record leaves out. */
export type WholeTemplate = Required<Template>

/** What models of a format want of a conversation that is sent to them. */
export function templateOf(format: FormatId): WholeTemplate {
  return templates.get(format) ?? usualTemplate
}

/** What most templates want, and so what is done for a family that nothing else is known of. */
const usualTemplate: WholeTemplate = {
  turns: 'any',
  afterTool: 'anyone',
  system: 'first',
  developerRole: false,
  nullFields: 'drop',
  reasoning: 'optional',
  reasoningOwner: 'family',
  signatures: 'unchecked',
  ids: 'standard',
  tools: 'function',
  callsProveFamily: false,
  provingIds: null,
}

const templates: ReadonlyMap<FormatId, WholeTemplate> = new Map(
  formats.map(({ id, template }) => [id, { ...usualTemplate, ...template }]),
)

/** The family whose models write ids of this form; null where the id says nothing. */
export function familyOfId(id: string): FormatId | null {
  return proving.find(({ form }) => form.test(id))?.family ?? null
}

const proving = [...templates].flatMap(([family, { provingIds }]) =>
  provingIds === null ? [] : [{ family, form: provingIds }],
)

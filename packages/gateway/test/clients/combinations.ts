import { fields, type Field } from '../../src/simulator/settings.ts'
import { writings } from '../../src/simulator/writings.ts'

/** How the simulated model writes, and how the client asks. */
export interface Combination {
  /** What the client asks for: the name of the model, and the words that tell the simulator how to write. */
  readonly model: string
  readonly isStructured: boolean
  readonly field: Field
  readonly thinks: boolean
  readonly isStream: boolean
}

/** Every model that the simulator lists: each way of writing calls, and each family that has it. */
const models = writings.flatMap(({ kind, models: names }) =>
  names.map((name) => ({ name, isStructured: kind === 'structured', thinks: /thinking|-r1/.test(name) })),
)

const chunkings = ['token', 'char', 'random']

/** Every model × field × chunking × {stream, not}. */
export const combinations: readonly Combination[] = models.flatMap(({ name, isStructured, thinks }) =>
  fields
    // These tags also stand in what models think about, so in a reasoning field they are read only
    // where the configuration names the format.
    .filter((field) => name !== 'xml' || field === 'content')
    .flatMap((field) =>
      chunkings.flatMap((chunk) =>
        [true, false].map((isStream) => ({
          model: `${name}+${field}+${chunk}`,
          isStructured,
          field,
          // A model that writes calls into its reasoning has some.
          thinks: thinks || field !== 'content',
          isStream,
        })),
      ),
    ),
)

/** Every model × {stream, not}, in the content and by token. */
export const plainCombinations: readonly Combination[] = models.flatMap(({ name, isStructured, thinks }) =>
  [true, false].map((isStream) => ({ model: name, isStructured, field: 'content', thinks, isStream })),
)

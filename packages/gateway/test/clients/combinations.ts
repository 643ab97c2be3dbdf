import { fields, type Field } from '../../src/simulator/settings.ts'
import { writings } from '../../src/simulator/writings.ts'

/** How the simulated model writes, and how the client asks. */
export interface Combination {
  /** What the client asks for: the name of the model, and the words that tell the simulator how to write. */
  readonly model: string
  readonly isStructured: boolean
  readonly field: Field
  readonly isStream: boolean
}

/** One model for each way of writing calls. */
const models = writings.flatMap(({ id, kind, models: [name = id] }) => ({ name, isStructured: kind === 'structured' }))

const chunkings = ['token', 'char', 'random']

/** Every format × field × chunking × {stream, not}. */
export const combinations: readonly Combination[] = models.flatMap(({ name, isStructured }) =>
  fields
    // These tags also stand in what models think about, so in a reasoning field they are read only
    // where the configuration names the format.
    .filter((field) => name !== 'xml' || field === 'content')
    .flatMap((field) =>
      chunkings.flatMap((chunk) =>
        [true, false].map((isStream) => ({ model: `${name}+${field}+${chunk}`, isStructured, field, isStream })),
      ),
    ),
)

/** Every format × {stream, not}, in the content and by token. */
export const plainCombinations: readonly Combination[] = models.flatMap(({ name, isStructured }) =>
  [true, false].map((isStream) => ({ model: name, isStructured, field: 'content', isStream })),
)

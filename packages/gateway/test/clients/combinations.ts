import { fields, type Field } from '../../src/simulator/settings.ts'
import { writings } from '../../src/simulator/writings.ts'

/** How the simulated model writes, and how the client asks. */
export interface Combination {
  /** What the client asks for: the name of the model, and the words that tell the simulator how to write. */
  readonly model: string
  readonly isStructured: boolean
  /** The calls are the whole answer, with no text before them. */
  readonly isBare: boolean
  readonly field: Field
  readonly thinks: boolean
  readonly isStream: boolean
}

/** Every model that the simulator lists: each way of writing calls, and each family that has it. */
const models = writings.flatMap((writing) =>
  writing.models.map((name) => ({
    name,
    isStructured: writing.kind === 'structured',
    isBare: writing.kind === 'text' && writing.isBare === true,
    thinks: /think|-r1/.test(name),
  })),
)

const chunkings = ['token', 'char', 'random']

/** Every model × field × chunking × {stream, not}. */
export const combinations: readonly Combination[] = models.flatMap(({ name, isStructured, isBare, thinks }) =>
  fields
    // The tags of `xml`, and calls without any marker, also stand in what models think about: in a reasoning
    // field the first are read only where the configuration names the format, the others never.
    .filter((field) => field === 'content' || (name !== 'xml' && !isBare))
    .flatMap((field) =>
      chunkings.flatMap((chunk) =>
        [true, false].map((isStream) => ({
          model: `${name}+${field}+${chunk}`,
          isStructured,
          isBare,
          field,
          // A model that writes calls into its reasoning has some.
          thinks: thinks || field !== 'content',
          isStream,
        })),
      ),
    ),
)

/** Every model × {stream, not}, in the content and by token. */
export const plainCombinations: readonly Combination[] = models.flatMap(
  ({ name, isStructured, isBare, thinks }) =>
    [true, false].map((isStream) => ({
      model: name,
      isStructured,
      isBare,
      field: 'content',
      thinks,
      isStream,
    })),
)

/** One of each style of ids and of each kind of syntax. */
export const families: readonly string[] = [
  'standard',
  'kimi-k2',
  'kimi-k2-thinking',
  'qwen3',
  'deepseek-v3',
  'deepseek-r1',
  'mistral-nemo',
]

/** For a client whose dialect another one has tried with every model: the families alone. */
export const familyCombinations: readonly Combination[] = combinations.filter(isOfFamily)

export const plainFamilyCombinations: readonly Combination[] = plainCombinations.filter(isOfFamily)

function isOfFamily({ model }: Combination): boolean {
  return families.includes(model.replace(/\+.*/, ''))
}

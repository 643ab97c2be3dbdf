import { formats } from '../../src/formats/registry.ts'
import { spelled } from '../../src/text/marker.ts'
import type { Options } from './run-parser.ts'

/** One way to read a stream: an explicit format, or auto with nothing known. */
export interface Mode {
  readonly title: string
  readonly options: Options
  /** What a model of this format writes; in auto mode, of every format. */
  readonly samples: readonly string[]
  /** Words that an answer may begin with and that are markup there. */
  readonly firstWords: readonly string[]
  /** Answers are made of messages: white space in front of the first header belongs to it. */
  readonly hasHeaders: boolean
}

/** A format that reads nothing in-band has no sample. */
export const everySample = formats.map((format) => format.sample).filter((sample) => sample !== '')

/** Every format and auto mode, so that a new format is under every law without a new line of test. */
export const modes: readonly Mode[] = [
  ...formats.map(({ id, sample, channels, reasoning }) => ({
    title: id,
    options: { format: id },
    samples: sample === '' ? [] : [sample],
    firstWords: [
      ...(channels?.stripped?.first ?? []),
      ...reasoning.filter(({ plain }) => plain !== undefined).map(({ begin }) => spelled(begin)),
    ],
    hasHeaders: channels !== undefined,
  })),
  { title: 'auto', options: {}, samples: everySample, firstWords: [], hasHeaders: false },
  {
    title: 'auto, told the model',
    options: { model: 'kimi-k2' },
    samples: everySample,
    firstWords: [],
    hasHeaders: false,
  },
]

/** The tool that the samples call, so that salvage, which wants declared names, is tried too. */
export const sampleTools: NonNullable<Options['tools']> = [
  {
    type: 'function',
    function: {
      name: 'get_weather',
      parameters: { type: 'object', properties: { city: { type: 'string' }, days: { type: 'integer' } } },
    },
  },
]

import type { Block, Content, ConversationRequest, Tool, ToolChoice } from '@dragoman/core'

/** What the upstream is asked, before it is written in a dialect. */
export interface Question {
  readonly delivery: 'stream' | 'whole'
  readonly contents: readonly Content[]
  readonly tools: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly reasoning?: ConversationRequest['reasoning']
  readonly maxTokens: number
}

/** A model that thinks needs some tokens before it says anything. */
const USUAL_TOKENS = 300

/** Some servers take no smaller budget for thinking than 1024 tokens. The question itself needs few. */
export const lowEffort = { reasoning: { mode: 'on', effort: 'low' }, maxTokens: 2048 } as const

const schemaOf = (name: string): Tool['parameters'] => ({
  type: 'object',
  properties: { [name]: { type: 'string' } },
  required: [name],
})

export const weather: Tool = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: schemaOf('city'),
}

export const time: Tool = {
  name: 'get_time',
  description: 'The time in a city.',
  parameters: schemaOf('city'),
}

const writeNote: Tool = {
  name: 'save_note',
  description: 'Keeps a text.',
  parameters: schemaOf('text'),
}

const longText =
  'Rain fell on the old harbour all night, and in the morning the boats lay low in grey water while the gulls walked ' +
  'up and down the empty pier as if they had lost something there long ago and could not say what it had been.'

/** A word that no model says of itself: an answer with it has read the result. */
export const codeWord = 'heron'

const call: Block = {
  type: 'tool_call',
  id: 'hist_tool_1',
  name: weather.name,
  parameters: { city: 'Paris' },
}

const result: Content = {
  speaker: 'tool',
  blocks: [
    {
      type: 'tool_response',
      callId: 'hist_tool_1',
      toolName: weather.name,
      result: `18 degrees, light rain. The code word is ${codeWord}.`,
    },
  ],
}

const askForWeather = says('Call the tool get_weather for Paris.')
const askForCodeWord = says(
  'Call the tool get_weather for Paris. Then tell me its answer in one sentence, with the code word.',
)

/** A PNG of 64 by 64 red pixels, in base64. Some models refuse images that are smaller than a patch. */
const redSquare =
  'iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAS0lEQVR42u3PQQkAAAgAsetfWiP4FgYrsKZeS0BAQEBAQEBAQEBA' +
  'QEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEDgsqnc8OJg6Ln3AAAAAElFTkSuQmCC'

/** The questions, by name. Each is a real request with few tokens. */
export const questions = {
  plain: whole({ delivery: 'stream', contents: [says('Count from 1 to 12, in words. Say nothing else.')] }),
  // More than any model may write. A server that refuses it tells how much it takes; any other says two letters.
  tooMuch: whole({ contents: [says('Say hi.')], maxTokens: 100_000_000 }),
  call: whole({ delivery: 'stream', contents: [askForWeather], tools: [weather] }),
  wholeCall: whole({ contents: [askForWeather], tools: [weather] }),
  twoCalls: whole({
    delivery: 'stream',
    contents: [says('Call both tools at once, in one answer: get_weather for Paris and get_time for Tokyo.')],
    tools: [weather, time],
  }),
  required: whole({ contents: [says('Hello.')], tools: [weather], toolChoice: { type: 'required' } }),
  named: whole({
    contents: [says('Hello. I live in Oslo.')],
    tools: [weather, time],
    toolChoice: { type: 'tool', name: time.name },
  }),
  result: whole({
    contents: [askForCodeWord, { speaker: 'ai', blocks: [call] }, result],
    tools: [weather],
  }),
  cutCall: whole({
    delivery: 'stream',
    contents: [says(`Call save_note with exactly this text: "${longText}"`)],
    tools: [writeNote],
    maxTokens: 24,
  }),
  image: whole({
    contents: [
      {
        speaker: 'human',
        blocks: [
          { type: 'text', text: 'Which colour does this image have? Answer with one word.' },
          { type: 'media', mimeType: 'image/png', data: redSquare, encoding: 'base64' },
        ],
      },
    ],
  }),
  effort: whole({ contents: [says('What is 3 times 7?')], ...lowEffort }),
  noThinking: whole({ contents: [askForWeather], tools: [weather], reasoning: { mode: 'off' } }),
} as const satisfies Readonly<Record<string, Question>>

export type QuestionName = keyof typeof questions

/** The result of a call whose reasoning goes back with it. */
export function withThought(thought: string, signature: string): Question {
  const thinking: Block = { type: 'thinking', thought, signature }
  return {
    ...questions.result,
    contents: [askForCodeWord, { speaker: 'ai', blocks: [thinking, call] }, result],
  }
}

function whole(given: Partial<Question> & Pick<Question, 'contents'>): Question {
  return { delivery: 'whole', tools: [], maxTokens: USUAL_TOKENS, ...given }
}

function says(text: string): Content {
  return { speaker: 'human', blocks: [{ type: 'text', text }] }
}

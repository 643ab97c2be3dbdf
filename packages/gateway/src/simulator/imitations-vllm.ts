import { enveloped, flat, nested, notFoundInPython } from './error-shapes.ts'
import type { Asked, ErrorShape, ImitatedError, Imitation, Place, Refusal, Sizes } from './imitation.ts'
import { isJsonObject } from './json.ts'
import { countMessages, hasImages, hasTools, threeDialects } from './local-server.ts'

/** What differs between the versions of vLLM that are played. */
interface VllmVersion extends Pick<Imitation, 'reasoningIn' | 'readsReasoning' | 'choiceNone' | 'tooLong'> {
  /** The name is `vllm-` and the first two numbers of this. */
  readonly version: string
  readonly efforts: readonly string[]
  readonly shape: ErrorShape
  readonly speaksMessages: boolean
  readonly countsMessages: boolean
  readonly takesEmptyTools: boolean
}

const both = ['reasoning', 'reasoning_content'] as const
const firstEfforts = ['low', 'medium', 'high']
const allEfforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']

const versions: readonly VllmVersion[] = [
  {
    version: '0.9.2',
    shape: flat,
    efforts: firstEfforts,
    tooLong: inMessagesAndCompletion,
    reasoningIn: ['reasoning_content'],
    readsReasoning: both,
    choiceNone: 'text without special tokens',
    speaksMessages: false,
    countsMessages: false,
    takesEmptyTools: true,
  },
  {
    version: '0.12.0',
    shape: nested,
    efforts: firstEfforts,
    tooLong: tooLarge,
    reasoningIn: both,
    readsReasoning: both,
    choiceNone: 'text without special tokens',
    speaksMessages: true,
    countsMessages: false,
    takesEmptyTools: true,
  },
  {
    version: '0.17.1',
    shape: nested,
    efforts: firstEfforts,
    tooLong: lengthIsOnly,
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning'],
    choiceNone: 'text without special tokens',
    speaksMessages: true,
    countsMessages: true,
    takesEmptyTools: true,
  },
  {
    version: '0.21.0',
    shape: nested,
    efforts: allEfforts,
    tooLong: containsAtLeast,
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning'],
    choiceNone: 'text without special tokens',
    speaksMessages: true,
    countsMessages: true,
    takesEmptyTools: false,
  },
  {
    version: '0.27.0',
    shape: nested,
    efforts: allEfforts,
    tooLong: containsAtLeast,
    reasoningIn: ['reasoning'],
    readsReasoning: both,
    choiceNone: 'swallowed',
    speaksMessages: true,
    countsMessages: true,
    takesEmptyTools: false,
  },
]

export const vllmImitations: readonly Imitation[] = versions.map(imitationOf)

function imitationOf(played: VllmVersion): Imitation {
  return {
    name: `vllm-${played.version.split('.').slice(0, 2).join('.')}`,
    routes: {
      'GET /v1/models': modelList,
      'GET /version': () => ({ version: played.version }),
      'GET /health': () => '',
      'POST /tokenize': ({ tokens, window }) => ({
        count: tokens,
        max_model_len: window,
        tokens: Array.from({ length: tokens }, (_, index) => index),
        token_strs: null,
      }),
      ...(played.countsMessages && {
        'POST /v1/messages/count_tokens': countMessages,
      }),
    },
    ...(played.speaksMessages && { answersAt: threeDialects }),
    missing: notFoundInPython,
    shape: played.shape,
    messagesShape: enveloped,
    tooLong: played.tooLong,
    refuses: [
      ...(played.takesEmptyTools ? [] : [emptyTools]),
      streamOptionsAlone,
      effortBut(played.efforts),
      imagesForText,
    ],
    refusesResponses: [encryptedReasoning, imagesForText],
    responses: { reasoningPart: 'response.reasoning_part', incomplete: 'in-completed' },
    reasoningIn: played.reasoningIn,
    readsReasoning: played.readsReasoning,
    choiceNone: played.choiceNone,
    withoutParser: choiceWithoutParser,
    broken: ({ isStream }) => (isStream ? 'cut' : 'text'),
  }
}

function modelList({ models, window }: Place): unknown {
  return {
    object: 'list',
    data: models.map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: 'vllm',
      root: id,
      parent: null,
      max_model_len: window,
      permission: [],
    })),
  }
}

function inMessagesAndCompletion({ prompt, output, window }: Sizes): ImitatedError | undefined {
  const limit = `This model's maximum context length is ${window} tokens.`
  if (output === undefined) {
    if (prompt < window) return undefined
    return bad(
      `${limit} However, you requested ${prompt} tokens in the messages, Please reduce the length of the messages.`,
    )
  }
  if (prompt + output <= window) return undefined
  return bad(
    `${limit} However, you requested ${prompt + output} tokens (${prompt} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`,
  )
}

function tooLarge({ prompt, output, window }: Sizes): ImitatedError | undefined {
  const limit = `This model's maximum context length is ${window} tokens`
  if (prompt >= window) {
    return bad(
      `${limit}. However, your request has ${prompt} input tokens. Please reduce the length of the input messages.`,
    )
  }
  if (output === undefined || prompt + output <= window) return undefined
  return bad(
    `'max_tokens' or 'max_completion_tokens' is too large: ${output}. ${limit} and your request has ${prompt} input tokens (${output} > ${window} - ${prompt}).`,
  )
}

function lengthIsOnly(sizes: Sizes): ImitatedError | undefined {
  const { prompt, output = 0, window } = sizes
  const early = answerAloneTooLong(sizes)
  if (early !== undefined) return early
  if (prompt + output > window) {
    return badInput(
      `You passed ${prompt} input tokens and requested ${output} output tokens. However, the model's context length is only ${window} tokens, resulting in a maximum input length of ${window - output} tokens. Please reduce the length of the input prompt.`,
      prompt,
    )
  }
  return promptFillsAll(sizes)
}

/** How many characters a token has at most, by the rule of vLLM. */
const longestToken = 64

/** These versions stop counting one token after the limit, so the length of the prompt that they tell is too small. */
function containsAtLeast(sizes: Sizes): ImitatedError | undefined {
  const { prompt, characters, output = 0, window } = sizes
  const early = answerAloneTooLong(sizes)
  if (early !== undefined) return early
  const room = window - output
  const most = room * longestToken
  const asked = `This model's maximum context length is ${window} tokens. However, you requested ${output} output tokens and your prompt contains`
  const advice = 'Please reduce the length of the input prompt or the number of requested output tokens.'
  if (characters > most) {
    return badInput(
      `${asked} ${characters} characters (more than ${most} characters, which is the upper bound for ${room} input tokens). ${advice}`,
      characters,
    )
  }
  if (prompt > room) {
    return badInput(
      `${asked} at least ${room + 1} input tokens, for a total of at least ${window + 1} tokens. ${advice}`,
      room + 1,
    )
  }
  return promptFillsAll(sizes)
}

function answerAloneTooLong({ output, window }: Sizes): ImitatedError | undefined {
  if (output === undefined || output <= window) return undefined
  return bad(
    `max_tokens=${output} cannot be greater than max_model_len=max_total_tokens=${window}. Please request fewer output tokens. (parameter=max_tokens, value=${output})`,
    'max_tokens',
  )
}

function promptFillsAll({ prompt, window }: Sizes): ImitatedError | undefined {
  if (prompt < window) return undefined
  return bad(
    `The decoder prompt (length ${prompt}) plus the number of requested output tokens (at least 1) is longer than the maximum model length of ${window}. Make sure that \`max_model_len\` is no smaller than the number of text tokens (prompt + requested output tokens).`,
  )
}

function emptyTools({ body }: Asked): ImitatedError | undefined {
  const { tools } = body
  if (!Array.isArray(tools) || tools.length > 0) return undefined
  return invalid(
    'tools must not be an empty array. Either provide at least one tool or omit the field entirely.',
  )
}

function streamOptionsAlone({ body }: Asked): ImitatedError | undefined {
  if (!isJsonObject(body['stream_options']) || body['stream'] === true) return undefined
  return invalid('Stream options can only be defined when `stream=True`.')
}

function effortBut(efforts: readonly string[]): Refusal {
  const quoted = efforts.map((effort) => `'${effort}'`)
  const expected = `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
  return ({ body: { reasoning_effort: effort } }) => {
    if (typeof effort !== 'string' || efforts.includes(effort)) return undefined
    return {
      ...bad(
        `1 validation error:\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': "Input should be ${expected}", 'input': '${effort}', 'ctx': {'expected': "${expected}"}}`,
      ),
      type: 'Bad Request',
    }
  }
}

function imagesForText(asked: Asked): ImitatedError | undefined {
  if (!hasImages(asked) || asked.abilities.includes('vision')) return undefined
  return bad(`${asked.model} is not a multimodal model`)
}

function encryptedReasoning({ body: { input } }: Asked): ImitatedError | undefined {
  const items: readonly unknown[] = Array.isArray(input) ? input : []
  return items.some((item) => isJsonObject(item) && item['encrypted_content'] !== undefined)
    ? bad('Encrypted reasoning content is not supported.', 'input')
    : undefined
}

function choiceWithoutParser(asked: Asked): ImitatedError | undefined {
  const { tool_choice: choice } = asked.body
  if (!hasTools(asked)) return undefined
  const { type: word } = isJsonObject(choice) ? choice : { type: choice ?? 'auto' }
  switch (word) {
    case 'none':
      return undefined
    case 'auto':
      return bad(
        '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set',
        'tools',
      )
    case 'required':
    case 'any':
      return bad('tool_choice="required" requires --tool-call-parser to be set', 'tool_choice')
    default:
      return bad(`tool_choice=${JSON.stringify(choice)} requires --tool-call-parser to be set`, 'tool_choice')
  }
}

function invalid(message: string): ImitatedError {
  return {
    ...bad(
      `1 validation error:\n  {'type': 'value_error', 'loc': ('body',), 'msg': 'Value error, ${message}'}`,
    ),
    type: 'Bad Request',
  }
}

function badInput(message: string, value: number): ImitatedError {
  return bad(`${message} (parameter=input_tokens, value=${value})`, 'input_tokens')
}

function bad(message: string, param?: string): ImitatedError {
  return { status: 400, message, type: 'BadRequestError', ...(param !== undefined && { param }) }
}

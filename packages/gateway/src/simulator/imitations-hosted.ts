import { nestedWithoutStatus } from './error-shapes.ts'
import type { Asked, ErrorShape, ImitatedError, Imitation, Place, Sizes } from './imitation.ts'
import { isJsonObject } from './json.ts'
import { threeDialects } from './local-server.ts'

/** What most hosts have in common. A record says what is different. */
const host = {
  missing: () => ({
    status: 404,
    body: { error: { message: 'Not Found', type: 'invalid_request_error', param: null, code: null } },
  }),
  shape: nestedWithoutStatus,
  reasoningIn: ['reasoning_content'],
  readsReasoning: ['reasoning_content'],
  choiceNone: 'no calls',
} as const satisfies Partial<Imitation>

/** OpenRouter's errors have no type, and say who failed. */
const routerShape: ErrorShape = ({ status, message, more }) => ({
  error: { message, code: status, ...more },
})

/** Google's errors have a word for their status. */
const googleShape: ErrorShape = ({ status, message }) => ({
  error: { code: status, message, status: status === 404 ? 'NOT_FOUND' : 'INVALID_ARGUMENT' },
})

const google: Imitation = {
  name: 'google',
  routes: {
    'GET /v1beta/models': (place) => ({ models: place.models.map((name) => googleModel(name, place)) }),
    'POST /v1beta/models/{model}:countTokens': ({ tokens }) => ({ totalTokens: tokens }),
  },
  answersAt: ['/v1beta/models/{model}:generateContent', '/v1beta/models/{model}:streamGenerateContent'],
  missing: () => ({
    status: 404,
    body: googleShape({ status: 404, message: 'Requested entity was not found.' }),
  }),
  shape: googleShape,
  tooLong: ({ prompt, window }) =>
    prompt <= window
      ? undefined
      : {
          status: 400,
          message: `The input token count (${prompt}) exceeds the maximum number of tokens allowed (${window}).`,
        },
  reasoningIn: [],
  readsReasoning: [],
  choiceNone: 'no calls',
}

function googleModel(name: string, { window }: Place): object {
  return {
    name: `models/${name}`,
    version: '001',
    displayName: name,
    inputTokenLimit: window,
    outputTokenLimit: Math.min(window, 65_536),
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    thinking: true,
  }
}

export const hostedImitations: readonly Imitation[] = [
  {
    ...host,
    name: 'openai',
    routes: {
      'GET /v1/models': listing('openai'),
      'POST /v1/responses/input_tokens': ({ tokens }) => ({
        object: 'response.input_tokens',
        input_tokens: tokens,
      }),
    },
    answersAt: ['/v1/chat/completions', '/v1/responses'],
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: ({ prompt, window }) =>
        `This model's maximum context length is ${window} tokens. However, your messages resulted in ${prompt} tokens. Please reduce the length of the messages.`,
      code: 'context_length_exceeded',
      param: 'messages',
    }),
    responses: { reasoning: 'summary' },
    // What its models think is shown in responses alone.
    reasoningIn: [],
    readsReasoning: [],
  },
  google,
  router('openrouter', ({ prompt, tools, output, window }) => {
    const parts = [
      `${prompt - tools} of text input`,
      ...(tools > 0 ? [`${tools} of tool input`] : []),
      ...(output === undefined ? [] : [`${output} in the output`]),
    ]
    return {
      status: 400,
      message: `This endpoint's maximum context length is ${window} tokens. However, you requested about ${prompt + (output ?? 0)} tokens (${parts.join(', ')}). Please reduce the length of either one, or use the context-compression plugin to compress your prompt automatically.`,
      more: { metadata: { provider_name: null } },
    }
  }),
  // The host behind it finds the request too long, and its words come as a text inside the error.
  router('openrouter-provider', (sizes) => ({
    status: 400,
    message: 'Provider returned error',
    more: {
      metadata: {
        raw: JSON.stringify(nestedWithoutStatus({ status: 400, message: inMessagesAndCompletion(sizes) })),
        provider_name: 'Simulated',
      },
    },
  })),
  {
    ...host,
    name: 'groq',
    routes: {
      'GET /v1/models': listing('Simulated', ({ window }) => ({
        active: true,
        context_window: window,
        max_completion_tokens: window,
      })),
    },
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: () => 'Please reduce the length of the messages or completion.',
      code: 'context_length_exceeded',
      param: 'messages',
    }),
    refuses: [
      ({ body: { reasoning_effort: effort } }) =>
        typeof effort !== 'string' || ['none', 'default', 'low', 'medium', 'high'].includes(effort)
          ? undefined
          : {
              status: 400,
              message: '`reasoning_effort` must be one of `none`, `default`, `low`, `medium`, or `high`',
              param: 'reasoning_effort',
            },
    ],
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning', 'reasoning_content'],
    broken: ({ written }) => ({
      status: 400,
      message:
        "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
      code: 'tool_use_failed',
      more: { failed_generation: written },
      inStream: { event: 'error' },
    }),
  },
  {
    ...host,
    name: 'cerebras',
    routes: { 'GET /v1/models': listing('Cerebras') },
    shape: ({ message, type, code, param }) => ({
      message,
      type: type ?? 'invalid_request_error',
      param: param ?? null,
      code: code ?? null,
    }),
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: (sizes) =>
        `Please reduce the length of the messages or completion. Current length is ${sum(sizes)} while limit is ${sizes.window}`,
      code: 'context_length_exceeded',
      param: 'messages',
    }),
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning', 'reasoning_content'],
  },
  {
    ...host,
    name: 'deepseek',
    alsoWithoutPrefix: true,
    routes: { 'GET /v1/models': listing('deepseek') },
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: inMessagesAndCompletion,
      code: 'invalid_request_error',
    }),
    refuses: [
      (asked) =>
        thinks(asked) && isForced(asked)
          ? { status: 400, message: 'Thinking mode does not support this tool_choice', code: invalidCode }
          : undefined,
      (asked) =>
        thinks(asked) && firstWithoutReasoning(asked) !== undefined
          ? {
              status: 400,
              message: 'The reasoning_content in the thinking mode must be passed back to the API.',
              code: invalidCode,
            }
          : undefined,
    ],
  },
  {
    ...host,
    name: 'moonshot',
    routes: { 'GET /v1/models': listing('moonshot', ({ window }) => ({ context_length: window })) },
    shape: ({ message, type }) => ({ error: { message, type: type ?? 'invalid_request_error' } }),
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: (sizes) =>
        `Invalid request: Your request exceeded model token limit: ${sizes.window} (requested: ${sum(sizes)})`,
    }),
    refuses: [
      (asked) => {
        const index = thinks(asked) ? firstWithoutReasoning(asked) : undefined
        if (index === undefined) return undefined
        const message = `thinking is enabled but reasoning_content is missing in assistant tool call message at index ${index}`
        return { status: 400, message }
      },
    ],
  },
  {
    ...host,
    name: 'dashscope',
    routes: { 'GET /v1/models': listing('system') },
    tooLong: wherever(({ prompt, window }) => prompt >= window, {
      message: ({ window }) =>
        `<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, ${window}]`,
      code: 'invalid_parameter_error',
    }),
  },
  {
    ...host,
    name: 'zai',
    routes: { 'GET /v1/models': listing('z-ai') },
    shape: ({ message, code }) => ({ error: { code: String(code ?? '1210'), message } }),
    limitFields: ['max_tokens'],
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: () => 'Prompt exceeds max length',
      code: '1261',
    }),
  },
  {
    ...host,
    name: 'minimax',
    routes: { 'GET /v1/models': listing('minimax') },
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: () => 'invalid params, context window exceeds limit (2013)',
      type: 'bad_request_error',
      code: '2013',
    }),
    readsReasoning: ['reasoning_details', 'reasoning_content'],
  },
  {
    ...host,
    name: 'siliconflow',
    routes: { 'GET /v1/models': listing('') },
    shape: ({ message }) => ({ code: 20015, message, data: null }),
    tooLong: ({ prompt, output = 0, window }) => {
      if (prompt >= window) {
        return bad(`length of prompt_tokens (${prompt}) must be less than max_seq_len (${window}).`)
      }
      if (prompt + output <= window) return undefined
      return bad(
        `max_total_tokens (${prompt + output}) must be less than or equal to max_seq_len (${window})`,
      )
    },
  },
  {
    ...host,
    name: 'fireworks',
    routes: { 'GET /v1/models': listing('fireworks', ({ window }) => ({ context_length: window })) },
    tooLong: wherever(({ prompt, window }) => prompt >= window, {
      message: ({ prompt, window }) =>
        `The prompt is too long: ${prompt}, model maximum context length: ${window}`,
    }),
  },
  {
    ...host,
    name: 'mistral',
    routes: {
      'GET /v1/models': listing('mistralai', ({ window, abilities }) => ({
        max_context_length: window,
        capabilities: {
          completion_chat: true,
          function_calling: abilities.includes('tools'),
          vision: abilities.includes('vision'),
        },
      })),
    },
    shape: ({ message, type, code, more }) => ({
      object: 'error',
      message,
      type: type ?? 'invalid_request_error',
      param: null,
      code: code ?? null,
      ...more,
    }),
    tooLong: wherever((sizes) => sum(sizes) > sizes.window, {
      message: ({ prompt, window }) =>
        `Prompt contains ${prompt} tokens and 0 draft tokens, too large for model with ${window} maximum context length`,
      code: '3051',
    }),
    refuses: [foreignReasoning],
    readsReasoning: [],
  },
]

const invalidCode = 'invalid_request_error'

function router(name: string, tooLong: (sizes: Sizes) => ImitatedError): Imitation {
  return {
    ...host,
    name,
    routes: {
      'GET /v1/models': ({ models, window }) => ({
        data: models.map((id) => ({
          id,
          name: id,
          // The list tells the longest window of any provider; the one that answers may hold less.
          context_length: window * 2,
          top_provider: { context_length: window, max_completion_tokens: window },
          supported_parameters: ['max_tokens', 'reasoning', 'tools', 'tool_choice'],
        })),
      }),
    },
    answersAt: threeDialects,
    shape: routerShape,
    tooLong: (sizes) => (sum(sizes) > sizes.window ? tooLong(sizes) : undefined),
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning_details', 'reasoning'],
    commentsInStreams: true,
  }
}

function listing(owner: string, more: (place: Place) => object = () => ({})): (place: Place) => unknown {
  return (place) => ({
    object: 'list',
    data: place.models.map((id) => ({
      id,
      object: 'model',
      created: 0,
      owned_by: owner,
      ...more(place),
    })),
  })
}

/** The tokens that a request needs: its prompt, and the answer or at least one token of it. */
function sum({ prompt, output = 1 }: Sizes): number {
  return prompt + output
}

interface Wording extends Omit<ImitatedError, 'status' | 'message'> {
  readonly message: (sizes: Sizes) => string
}

function wherever(isTooLong: (sizes: Sizes) => boolean, { message, ...more }: Wording): Imitation['tooLong'] {
  return (sizes) => (isTooLong(sizes) ? { status: 400, message: message(sizes), ...more } : undefined)
}

function inMessagesAndCompletion({ prompt, output = 0, window }: Sizes): string {
  return `This model's maximum context length is ${window} tokens. However, you requested ${prompt + output} tokens (${prompt} in the messages, ${output} in the completion). Please reduce the length of the messages or completion.`
}

function bad(message: string): ImitatedError {
  return { status: 400, message }
}

function thinks({ body: { thinking, reasoning_effort: effort } }: Asked): boolean {
  if (isJsonObject(thinking)) return thinking['type'] === 'enabled'
  return typeof effort === 'string' && effort !== 'none'
}

function isForced({ body: { tool_choice: choice } }: Asked): boolean {
  return choice === 'required' || isJsonObject(choice)
}

/** Where a message with calls stands that came without the thoughts that led to them. */
function firstWithoutReasoning({ body: { messages } }: Asked): number | undefined {
  if (!Array.isArray(messages)) return undefined
  const index = messages.findIndex(
    (message: unknown) =>
      isJsonObject(message) &&
      Array.isArray(message['tool_calls']) &&
      (typeof message['reasoning_content'] !== 'string' || message['reasoning_content'] === ''),
  )
  return index === -1 ? undefined : index
}

function foreignReasoning({ body: { messages } }: Asked): ImitatedError | undefined {
  if (!Array.isArray(messages)) return undefined
  const detail = messages.flatMap((message: unknown, index) =>
    isJsonObject(message) && 'reasoning_content' in message
      ? [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', index, 'assistant', 'reasoning_content'],
            msg: 'Extra inputs are not permitted',
            input: message['reasoning_content'],
          },
        ]
      : [],
  )
  if (detail.length === 0) return undefined
  return { status: 422, message: '', more: { message: { detail } } }
}

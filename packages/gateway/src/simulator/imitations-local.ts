import { enveloped, flat, notFoundInPython, text } from './error-shapes.ts'
import type { Asked, ErrorShape, ImitatedError, Imitation } from './imitation.ts'
import { isJsonObject } from './json.ts'
import { threeDialects, countMessages, hasImages, hasTools, trainedWindow } from './local-server.ts'

/** llama.cpp puts the code before the message, and has no parameter. */
const llamaShape: ErrorShape = ({ status, message, type, more }) => ({
  error: { code: status, message, type: type ?? 'invalid_request_error', ...more },
})

/** The servers for one model at a time, beside vLLM. */
export const localImitations: readonly Imitation[] = [
  {
    name: 'sglang',
    routes: {
      'GET /v1/models': ({ models, window }) => ({
        object: 'list',
        data: models.map((id) => ({
          id,
          object: 'model',
          created: 0,
          owned_by: 'sglang',
          root: id,
          parent: null,
          max_model_len: window,
        })),
      }),
      'GET /model_info': ({ models, parser, abilities }) => ({
        model_path: models[0],
        tokenizer_path: models[0],
        is_generation: true,
        weight_version: 'default',
        has_image_understanding: abilities.includes('vision'),
        tool_call_parser: parser === 'none' ? null : 'qwen',
        reasoning_parser: abilities.includes('thinking') ? 'qwen3' : null,
      }),
      'GET /health': () => '',
      'POST /v1/messages/count_tokens': countMessages,
    },
    answersAt: threeDialects,
    missing: notFoundInPython,
    shape: flat,
    messagesShape: enveloped,
    tooLong: ({ prompt, output, window }) => {
      const type = { status: 400, type: 'BadRequestError' }
      if (prompt >= window) {
        return {
          ...type,
          message: `The input (${prompt} tokens) is longer than the model's context length (${window} tokens).`,
        }
      }
      if (output === undefined || prompt + output <= window) return undefined
      return {
        ...type,
        message: `Requested token count exceeds the model's maximum context length of ${window} tokens. You requested a total of ${prompt + output} tokens: ${prompt} tokens from the input messages and ${output} tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.`,
      }
    },
    reasoningIn: ['reasoning_content'],
    inlineReasoning: { separate_reasoning: false },
    responses: { incomplete: 'in-completed' },
    readsReasoning: ['reasoning_content'],
    choiceNone: 'no calls',
  },
  {
    name: 'llama.cpp',
    routes: {
      'GET /v1/models': ({ models, window }) => ({
        object: 'list',
        data: models.map((id) => ({
          id,
          object: 'model',
          created: 0,
          owned_by: 'llamacpp',
          meta: { vocab_type: 2, n_vocab: 151_936, n_ctx: window, n_ctx_train: trainedWindow(window) },
        })),
      }),
      'GET /props': ({ models, window, abilities }) => ({
        default_generation_settings: { n_ctx: window, params: { n_predict: -1 } },
        total_slots: 1,
        model_path: models[0],
        modalities: { vision: abilities.includes('vision'), audio: false },
        chat_template_caps: { supports_tools: abilities.includes('tools') },
        build_info: 'b9700-0a1b2c3d4',
      }),
      'GET /health': () => ({ status: 'ok' }),
      'POST /v1/messages/count_tokens': countMessages,
      'POST /v1/chat/completions/input_tokens': ({ tokens }) => ({
        object: 'response.input_tokens',
        input_tokens: tokens,
      }),
    },
    answersAt: threeDialects,
    alsoWithoutPrefix: true,
    missing: () => ({
      status: 404,
      body: { error: { code: 404, message: 'File Not Found', type: 'not_found_error' } },
    }),
    shape: llamaShape,
    // The answer ends where the window does, so only the prompt has to fit.
    tooLong: ({ prompt, window }) =>
      prompt < window
        ? undefined
        : {
            status: 400,
            type: 'exceed_context_size_error',
            message: `request (${prompt} tokens) exceeds the available context size (${window} tokens), try increasing it`,
            more: { n_prompt_tokens: prompt, n_ctx: window },
          },
    refuses: [
      (asked) =>
        hasImages(asked) && !asked.abilities.includes('vision')
          ? {
              status: 500,
              type: 'server_error',
              message:
                'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj',
            }
          : undefined,
    ],
    reasoningIn: ['reasoning_content'],
    inlineReasoning: { reasoning_format: 'none' },
    refusesResponses: [reasoningWithoutContent],
    responses: {
      lacks: ['output_index', 'sequence_number'],
      itemsDone: 'at-the-end',
      incomplete: 'in-completed',
    },
    readsReasoning: ['reasoning_content'],
    commentsInStreams: true,
    choiceNone: 'text',
    namedChoice: 'ignored',
    withoutParser: (asked) =>
      hasTools(asked)
        ? { status: 500, type: 'server_error', message: 'tools param requires --jinja flag' }
        : undefined,
    broken: ({ lead, written, parser }) => ({
      status: 500,
      type: 'server_error',
      message:
        parser === 'broken'
          ? `Failed to parse input at pos ${lead.length}: ${written}`
          : 'The model produced output that does not match the expected peg-native format',
      inStream: {},
    }),
  },
  {
    name: 'tgi',
    routes: {
      'GET /v1/models': ({ models }) => ({
        object: 'list',
        data: models.slice(0, 1).map((id) => ({ id, object: 'model', created: 0, owned_by: id })),
      }),
      'GET /info': ({ models, window }) => ({
        model_id: models[0],
        model_sha: null,
        model_pipeline_tag: 'text-generation',
        max_concurrent_requests: 128,
        max_best_of: 2,
        max_stop_sequences: 4,
        max_input_tokens: window - 1,
        max_total_tokens: window,
        validation_workers: 2,
        max_client_batch_size: 4,
        router: 'text-generation-router',
        version: '3.3.7',
        sha: null,
        docker_label: null,
      }),
      'GET /health': () => '',
    },
    missing: () => ({ status: 404, body: '' }),
    shape: text,
    tooLong: ({ prompt, output, window }) => {
      if (prompt + (output ?? 0) > window) {
        return unprocessable(
          `\`inputs\` tokens + \`max_new_tokens\` must be <= ${window}. Given: ${prompt} \`inputs\` tokens and ${output ?? 0} \`max_new_tokens\``,
        )
      }
      return prompt < window
        ? undefined
        : unprocessable(`\`inputs\` must have less than ${window - 1} tokens. Given: ${prompt}`)
    },
    reasoningIn: ['reasoning_content'],
    readsReasoning: [],
    choiceNone: 'no calls',
  },
  {
    name: 'mlx-lm',
    routes: {
      'GET /v1/models': ({ models }) => ({
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', created: 0 })),
      }),
      'GET /health': () => ({ status: 'ok' }),
    },
    missing: () => ({ status: 404, body: 'Not Found' }),
    shape: text,
    tooLong: ({ prompt, window }) =>
      prompt < window
        ? undefined
        : {
            status: 404,
            message: `Prompt exceeds max prompt token limit: prompt_tokens=${prompt}, max_prompt_tokens=${window}`,
          },
    withoutLimit: 512,
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning', 'reasoning_content'],
    commentsInStreams: true,
    choiceNone: 'ignored',
  },
  {
    name: 'tensorrt-llm',
    routes: {
      'GET /v1/models': ({ models }) => ({
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'tensorrt_llm' })),
      }),
      'GET /version': () => ({ version: '1.2.0' }),
      'GET /health': () => '',
    },
    missing: notFoundInPython,
    shape: flat,
    tooLong: ({ prompt, output = 1, window }) =>
      prompt + output <= window
        ? undefined
        : {
            status: 400,
            type: 'BadRequestError',
            message: `The sum of prompt length (${prompt}) and query length (0) max_tokens (${output}) should not exceed max_seq_len (${window})`,
          },
    reasoningIn: ['reasoning_content'],
    readsReasoning: ['reasoning_content'],
    choiceNone: 'no calls',
  },
]

/** llama.cpp shows a model the content of reasoning, and takes no summary for it. */
function reasoningWithoutContent({ body: { input } }: Asked): ImitatedError | undefined {
  const items: readonly unknown[] = Array.isArray(input) ? input : []
  return items
    .filter(isJsonObject)
    .some(({ type, content }) => type === 'reasoning' && !Array.isArray(content))
    ? { status: 400, message: "item['content'] is not an array", type: 'invalid_request_error' }
    : undefined
}

/** How TGI refuses what its validation finds. */
function unprocessable(message: string): ImitatedError {
  return {
    status: 422,
    message: `Input validation error: ${message}`,
    more: { error_type: 'validation' },
  }
}

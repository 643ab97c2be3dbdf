import type { Overflow } from '../../../src/answer/overflow/overflow.ts'

/** An error response as a server sends it, and what it says is too long. */
export interface OverflowBody {
  readonly server: string
  readonly status: number
  readonly body: unknown
  readonly overflow: Overflow
}

/** vLLM's chat endpoint from 0.10 on. */
function vllm(message: string, param: string | null = null): object {
  return { error: { message, type: 'BadRequestError', param, code: 400 } }
}

/** vLLM up to 0.9, and the chat endpoint of SGLang. */
function flat(message: string): object {
  return { object: 'error', message, type: 'BadRequestError', param: null, code: 400 }
}

function openAi(message: string, code: string | null = null): object {
  return { error: { message, type: 'invalid_request_error', param: null, code } }
}

function openRouter(message: string): object {
  return { error: { message, code: 400, metadata: { provider_name: null } }, user_id: 'user_2x' }
}

function tgi(message: string): object {
  return { error: `Input validation error: ${message}`, error_type: 'validation' }
}

export const overflowBodies: readonly OverflowBody[] = [
  {
    server: 'vLLM 0.18, a clipped prompt and output',
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains at least 24577 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=24577)",
      'input_tokens',
    ),
    overflow: { what: 'sum', outputTokens: 8192, window: 32_768 },
  },
  {
    server: 'vLLM 0.18, a prompt that alone is too long',
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, you requested 1024 output tokens and your prompt contains 40000 input tokens, for a total of 41024 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=40000)",
      'input_tokens',
    ),
    overflow: { what: 'prompt', promptTokens: 40_000, outputTokens: 1024, window: 32_768 },
  },
  {
    server: 'vLLM 0.18, an exact sum',
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, you requested 8192 output tokens and your prompt contains 30000 input tokens, for a total of 38192 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=30000)",
      'input_tokens',
    ),
    overflow: { what: 'sum', promptTokens: 30_000, outputTokens: 8192, window: 32_768 },
  },
  {
    server: 'vLLM 0.18, no output asked for',
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=32769)",
      'input_tokens',
    ),
    overflow: { what: 'prompt', outputTokens: 0, window: 32_768 },
  },
  {
    server: 'vLLM 0.18, many characters',
    status: 400,
    body: vllm(
      "This model's maximum context length is 6144 tokens. However, you requested 500 output tokens and your prompt contains 2290998 characters (more than 722432 characters, which is the upper bound for 5644 input tokens). Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_text, value=2290998)",
      'input_text',
    ),
    overflow: { what: 'prompt', outputTokens: 500, window: 6144 },
  },
  {
    server: 'vLLM 0.18, few characters and no room that the output leaves',
    status: 400,
    body: vllm(
      "This model's maximum context length is 32768 tokens. However, you requested 32768 output tokens and your prompt contains 31800 characters (more than 0 characters, which is the upper bound for 0 input tokens). Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_text, value=31800)",
      'input_text',
    ),
    overflow: { what: 'sum', outputTokens: 32_768, window: 32_768 },
  },
  {
    server: 'vLLM 0.18 /v1/messages',
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'BadRequestError',
        message:
          "This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens.",
      },
    },
    overflow: { what: 'sum', outputTokens: 32_000, window: 32_768 },
  },
  {
    server: 'vLLM 0.17, a prompt of which only the first tokens were counted',
    status: 400,
    body: vllm(
      "You passed 67073 input tokens and requested 64000 output tokens. However, the model's context length is only 131072 tokens, resulting in a maximum input length of 67072 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=67073)",
      'input_tokens',
    ),
    overflow: { what: 'sum', outputTokens: 64_000, window: 131_072 },
  },
  {
    server: 'vLLM 0.17, no output asked for',
    status: 400,
    body: vllm(
      "You passed 262145 input tokens and requested 0 output tokens. However, the model's context length is only 262144 tokens, resulting in a maximum input length of 262144 tokens. Please reduce the length of the input prompt. (parameter=input_tokens, value=262145)",
      'input_tokens',
    ),
    overflow: { what: 'prompt', outputTokens: 0, window: 262_144 },
  },
  {
    server: 'vLLM 0.17, characters',
    status: 400,
    body: vllm(
      "You passed 5290998 input characters and requested 1024 output tokens. However, the model's context length is only 32768 tokens, resulting in a maximum input length of 31744 tokens (at most 4063232 characters). Please reduce the length of the input prompt. (parameter=input_text, value=5290998)",
      'input_text',
    ),
    overflow: { what: 'prompt', outputTokens: 1024, window: 32_768 },
  },
  {
    server: 'vLLM 0.12',
    status: 400,
    body: vllm(
      "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 40960 tokens and your request has 12345 input tokens (32000 > 40960 - 12345).",
    ),
    overflow: { what: 'sum', promptTokens: 12_345, outputTokens: 32_000, window: 40_960 },
  },
  {
    server: 'vLLM 0.8, a sum',
    status: 400,
    body: flat(
      "This model's maximum context length is 32768 tokens. However, you requested 41000 tokens (30000 in the messages, 11000 in the completion). Please reduce the length of the messages or completion.",
    ),
    overflow: { what: 'sum', promptTokens: 30_000, outputTokens: 11_000, window: 32_768 },
  },
  {
    server: 'vLLM 0.8, a prompt',
    status: 400,
    body: flat(
      "This model's maximum context length is 131072 tokens. However, you requested 140000 tokens (135000 in the messages, 5000 in the completion). Please reduce the length of the messages or completion.",
    ),
    overflow: { what: 'prompt', promptTokens: 135_000, outputTokens: 5000, window: 131_072 },
  },
  {
    server: 'vLLM engine, an output longer than the window',
    status: 400,
    body: vllm(
      'max_tokens=200000 cannot be greater than max_model_len=max_total_tokens=131072. Please request fewer output tokens. (parameter=max_tokens, value=200000)',
      'max_tokens',
    ),
    overflow: { what: 'output', outputTokens: 200_000, window: 131_072, mostOutput: 131_072 },
  },
  {
    server: 'vLLM engine, a decoder prompt',
    status: 400,
    body: vllm(
      'The decoder prompt (length 50123) is longer than the maximum model length of 32768. Make sure that `max_model_len` is no smaller than the number of text tokens.',
    ),
    overflow: { what: 'prompt', promptTokens: 50_123, window: 32_768 },
  },
  {
    server: 'vLLM, the front end in Rust',
    status: 400,
    body: openAi(
      "this model's maximum context length is 4096 tokens, but the prompt contains 5000 input tokens",
    ),
    overflow: { what: 'prompt', promptTokens: 5000, window: 4096 },
  },
  {
    server: 'SGLang, a prompt',
    status: 400,
    body: flat("The input (263000 tokens) is longer than the model's context length (262144 tokens)."),
    overflow: { what: 'prompt', promptTokens: 263_000, window: 262_144 },
  },
  {
    server: 'SGLang, a sum',
    status: 400,
    body: flat(
      "Requested token count exceeds the model's maximum context length of 131072 tokens. You requested a total of 150000 tokens: 118000 tokens from the input messages and 32000 tokens for the completion. Please reduce the number of tokens in the input messages or the completion to fit within the limit.",
    ),
    overflow: { what: 'sum', promptTokens: 118_000, outputTokens: 32_000, window: 131_072 },
  },
  {
    server: 'SGLang, its scheduler',
    status: 400,
    body: flat(
      'Input length (70000 tokens) exceeds the maximum allowed length (65530 tokens). Use a shorter input or enable --allow-auto-truncate.',
    ),
    overflow: { what: 'prompt', promptTokens: 70_000, window: 65_530 },
  },
  {
    server: 'llama.cpp, with the numbers in the message and in fields',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'request (41533 tokens) exceeds the available context size (32768 tokens), try increasing it',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 41_533,
        n_ctx: 32_768,
      },
    },
    overflow: { what: 'prompt', promptTokens: 41_533, window: 32_768 },
  },
  {
    server: 'llama.cpp, older, with the numbers in fields alone',
    status: 400,
    body: {
      error: {
        code: 400,
        message:
          'the request exceeds the available context size. try increasing the context size or enable context shift',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5024,
        n_ctx: 4096,
      },
    },
    overflow: { what: 'prompt', promptTokens: 5024, window: 4096 },
  },
  {
    server: 'Ollama with llama-server behind it',
    status: 400,
    body: {
      error: JSON.stringify({
        error: {
          code: 400,
          message:
            'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 9000,
          n_ctx: 8192,
        },
      }),
    },
    overflow: { what: 'prompt', promptTokens: 9000, window: 8192 },
  },
  {
    server: 'Ollama from 0.30 on',
    status: 400,
    body: {
      error: {
        message: 'the prompt is longer than the context length currently available to the model',
        type: 'invalid_request_error',
        param: null,
        code: null,
      },
    },
    overflow: { what: 'prompt' },
  },
  {
    server: 'Ollama before 0.30',
    status: 400,
    body: { error: 'the input length exceeds the context length' },
    overflow: { what: 'prompt' },
  },
  {
    server: 'LM Studio',
    status: 400,
    body: {
      error:
        'The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 18432>= n_ctx: 4096). Try to load the model with a larger context length, or provide a shorter input.',
    },
    overflow: { what: 'prompt', promptTokens: 18_432, window: 4096 },
  },
  {
    server: 'LM Studio, older',
    status: 400,
    body: {
      error:
        'Trying to keep the first 12022 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input',
    },
    overflow: { what: 'prompt', promptTokens: 12_022, window: 4096 },
  },
  {
    server: 'LM Studio, in the middle of an answer',
    status: 400,
    body: {
      error:
        'Reached context length of 4096 tokens with model (arch: gpt-oss) that does not currently support mid-generation context overflow. Try reloading with a larger context length or shortening the prompt/chat.',
    },
    overflow: { what: 'sum', window: 4096 },
  },
  {
    server: 'a server like MLX-LM, whose every failure is a 404 with a text',
    status: 404,
    body: { error: 'Prompt exceeds maximum length' },
    overflow: { what: 'prompt' },
  },
  {
    server: 'TGI, a sum',
    status: 422,
    body: tgi(
      '`inputs` tokens + `max_new_tokens` must be <= 8192. Given: 6000 `inputs` tokens and 4096 `max_new_tokens`',
    ),
    overflow: { what: 'sum', promptTokens: 6000, outputTokens: 4096, window: 8192 },
  },
  {
    server: 'TGI, a prompt',
    status: 422,
    body: tgi('`inputs` must have less than 8191 tokens. Given: 9000'),
    overflow: { what: 'prompt', promptTokens: 9000, window: 8191 },
  },
  {
    server: 'TensorRT-LLM',
    status: 400,
    body: flat(
      'The sum of prompt length (4000) and query length (0) max_tokens (2048) should not exceed max_seq_len (4096)',
    ),
    overflow: { what: 'sum', promptTokens: 4000, outputTokens: 2048, window: 4096 },
  },
  {
    server: 'TensorRT-LLM, with a query beside the prompt',
    status: 400,
    body: flat(
      'The sum of prompt length (45.0), query length (5) max_tokens (8192) should not exceed max_seq_len (8192)',
    ),
    overflow: { what: 'sum', promptTokens: 50, outputTokens: 8192, window: 8192 },
  },
  {
    server: 'OpenRouter, a sum of parts',
    status: 400,
    body: openRouter(
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 140000 tokens (100000 of text input, 8000 of tool input, 32000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    ),
    overflow: { what: 'sum', promptTokens: 108_000, outputTokens: 32_000, window: 131_072 },
  },
  {
    server: 'OpenRouter, a prompt alone',
    status: 400,
    body: openRouter(
      'This endpoint\'s maximum context length is 131072 tokens. However, you requested about 140000 tokens (140000 of text input). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.',
    ),
    overflow: { what: 'prompt', promptTokens: 140_000, window: 131_072 },
  },
  {
    server: "OpenRouter, with the host's own error beside its own",
    status: 400,
    body: {
      error: {
        message: 'Provider returned error',
        code: 400,
        metadata: {
          raw: JSON.stringify(
            vllm("The input (263000 tokens) is longer than the model's context length (262144 tokens)."),
          ),
          provider_name: 'Novita',
        },
      },
    },
    overflow: { what: 'prompt', promptTokens: 263_000, window: 262_144 },
  },
  {
    server: 'Moonshot',
    status: 400,
    body: openAi('Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)'),
    overflow: { what: 'sum', totalTokens: 291_351, window: 262_144 },
  },
  {
    server: 'DashScope, the input',
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter_error',
        param: null,
        message: '<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]',
        type: 'invalid_request_error',
      },
      request_id: '8f0a',
    },
    overflow: { what: 'prompt', window: 98_304 },
  },
  {
    server: 'DashScope, the output',
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter_error',
        param: null,
        message: '<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 65536]',
        type: 'invalid_request_error',
      },
      request_id: '8f0b',
    },
    overflow: { what: 'output', mostOutput: 65_536 },
  },
  {
    server: 'Z.ai',
    status: 400,
    body: { error: { code: '1261', message: 'Prompt exceeds max length' } },
    overflow: { what: 'prompt' },
  },
  {
    server: 'Z.ai, in Chinese',
    status: 400,
    body: { error: { code: '1261', message: 'Prompt 超长' } },
    overflow: { what: 'prompt' },
  },
  {
    server: 'Z.ai /api/anthropic',
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: '[1261][prompt is too long][20260801120000abcdef]' },
      request_id: '20260801120000abcdef',
    },
    overflow: { what: 'prompt' },
  },
  {
    server: 'MiniMax',
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'bad_request_error',
        message: 'invalid params, context window exceeds limit (2013)',
        http_code: '400',
      },
      request_id: '05d2',
    },
    overflow: { what: 'prompt' },
  },
  {
    server: 'DeepSeek, a sum',
    status: 400,
    body: openAi(
      "This model's maximum context length is 131072 tokens. However, you requested 133000 tokens (125000 in the messages, 8000 in the completion). Please reduce the length of the messages or completion.",
      'invalid_request_error',
    ),
    overflow: { what: 'sum', promptTokens: 125_000, outputTokens: 8000, window: 131_072 },
  },
  {
    server: 'DeepSeek, the output',
    status: 400,
    body: openAi(
      'Invalid max_tokens value, the valid range of max_tokens is [1, 8192]',
      'invalid_request_error',
    ),
    overflow: { what: 'output', mostOutput: 8192 },
  },
  {
    server: 'Groq, without numbers',
    status: 400,
    body: openAi('Please reduce the length of the messages or completion.', 'context_length_exceeded'),
    overflow: { what: 'sum' },
  },
  {
    server: 'Groq, the output',
    status: 400,
    body: openAi(
      '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    ),
    overflow: { what: 'output', mostOutput: 8192 },
  },
  {
    server: 'Cerebras',
    status: 400,
    body: {
      message:
        'Please reduce the length of the messages or completion. Current length is 68308 while limit is 65536',
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
    overflow: { what: 'prompt', promptTokens: 68_308, window: 65_536 },
  },
  {
    server: 'SiliconFlow, a prompt',
    status: 400,
    body: {
      code: 20_015,
      message: 'length of prompt_tokens (140001) must be less than max_seq_len (131072).',
      data: null,
    },
    overflow: { what: 'prompt', promptTokens: 140_001, window: 131_072 },
  },
  {
    server: 'SiliconFlow, a sum',
    status: 400,
    body: {
      code: 20_015,
      message: 'max_total_tokens (140001) must be less than or equal to max_seq_len (131072).',
      data: null,
    },
    overflow: { what: 'sum', totalTokens: 140_001, window: 131_072 },
  },
  {
    server: 'Fireworks',
    status: 400,
    body: openAi('The prompt is too long: 140001, model maximum context length: 131072'),
    overflow: { what: 'prompt', promptTokens: 140_001, window: 131_072 },
  },
  {
    server: 'OpenAI, the messages',
    status: 400,
    body: openAi(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 130,500 tokens. Please reduce the length of the messages.",
      'context_length_exceeded',
    ),
    overflow: { what: 'prompt', promptTokens: 130_500, window: 128_000 },
  },
  {
    server: 'OpenAI, the configured limit',
    status: 400,
    body: openAi(
      'Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 280012 tokens. Please reduce the length of the messages.',
      'context_length_exceeded',
    ),
    overflow: { what: 'prompt', promptTokens: 280_012, window: 272_000 },
  },
  {
    server: 'OpenAI, the output',
    status: 400,
    body: openAi(
      'max_tokens is too large: 20000. This model supports at most 16384 completion tokens, whereas you provided 20000.',
      'invalid_value',
    ),
    overflow: { what: 'output', outputTokens: 20_000, mostOutput: 16_384 },
  },
  {
    server: 'xAI',
    status: 400,
    body: {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 140001 tokens.",
    },
    overflow: { what: 'prompt', promptTokens: 140_001, window: 131_072 },
  },
  {
    server: 'Copilot',
    status: 400,
    body: openAi(
      'prompt token count of 140001 exceeds the limit of 128000',
      'model_max_prompt_tokens_exceeded',
    ),
    overflow: { what: 'prompt', promptTokens: 140_001, window: 128_000 },
  },
  {
    server: 'Bedrock',
    status: 400,
    body: { message: 'Input is too long for requested model.' },
    overflow: { what: 'prompt' },
  },
  {
    server: 'Doubao',
    status: 400,
    body: {
      error: {
        code: 'InvalidParameter',
        message: 'length of input_ids is `140001` and exceed max_sequence_length: `131072`',
        param: '',
        type: 'BadRequest',
      },
    },
    overflow: { what: 'prompt', promptTokens: 140_001, window: 131_072 },
  },
  {
    server: 'Gemini',
    status: 400,
    body: [
      {
        error: {
          code: 400,
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
          status: 'INVALID_ARGUMENT',
        },
      },
    ],
    overflow: { what: 'prompt', promptTokens: 1_200_000, window: 1_048_576 },
  },
  {
    server: 'Mistral',
    status: 400,
    body: {
      object: 'error',
      message:
        'Prompt contains 140001 tokens and 0 draft tokens, too large for model with 131072 maximum context length',
      type: 'invalid_request_prompt',
      code: '3051',
    },
    overflow: { what: 'prompt', promptTokens: 140_001, window: 131_072 },
  },
  {
    server: 'Anthropic, a prompt',
    status: 400,
    body: {
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 208310 tokens > 200000 maximum' },
    },
    overflow: { what: 'prompt', promptTokens: 208_310, window: 200_000 },
  },
  {
    server: 'Anthropic, a sum',
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, decrease input length or `max_tokens` and try again',
      },
    },
    overflow: { what: 'sum', promptTokens: 190_000, outputTokens: 32_000, window: 200_000 },
  },
  {
    server: 'Anthropic, the output',
    status: 400,
    body: {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'max_tokens: 100000 > 64000, which is the maximum allowed number of output tokens for claude-sonnet-4-5',
      },
    },
    overflow: { what: 'output', outputTokens: 100_000, mostOutput: 64_000 },
  },
  {
    server: 'a server of which only the code is known',
    status: 500,
    body: openAi('too many tokens', 'context_length_exceeded'),
    overflow: { what: 'prompt' },
  },
]

import { describe, expect, it } from 'vitest'
import { lastingRefusal, refusedThinkingField } from '../../src/request/refused-thinking.ts'

describe('which field about thinking an upstream refuses', () => {
  it.each([
    [
      'Ollama',
      '{"error":{"message":"\\"llama3.2:3b\\" does not support thinking","type":"invalid_request_error","param":null,"code":null}}',
      ['reasoning_effort', 'reasoning', 'thinking'],
    ],
    [
      'vLLM, a word that it does not know',
      `{"error":{"message":"[{'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \\"Input should be 'low', 'medium' or 'high'\\", 'input': 'max'}]","type":"Bad Request","param":null,"code":400}}`,
      ['reasoning_effort'],
    ],
    [
      'vLLM, a field that it does not know',
      `{"object":"error","message":"[{'type': 'extra_forbidden', 'loc': ('body', 'thinking_token_budget'), 'msg': 'Extra inputs are not permitted', 'input': 500}]","type":"BadRequestError","code":400}`,
      ['thinking_token_budget'],
    ],
    [
      'vLLM, a tokenizer of Mistral',
      '{"error":{"message":"chat_template is not supported for Mistral tokenizers.","type":"BadRequestError","param":null,"code":400}}',
      ['chat_template_kwargs'],
    ],
    [
      'vLLM, an effort at a tokenizer of Mistral',
      "Kwargs ['reasoning_effort'] are not supported by `MistralCommonTokenizer.apply_chat_template`.",
      ['reasoning_effort'],
    ],
    [
      'SGLang',
      `{"object":"error","message":"1 validation error:\\n  {'type': 'literal_error', 'loc': ('body', 'reasoning_effort'), 'msg': \\"Input should be 'low', 'medium' or 'high'\\", 'input': 'xhigh'}","type":"Bad Request","code":400}`,
      ['reasoning_effort'],
    ],
    [
      'SGLang, Messages, without a parser',
      '{"type":"error","error":{"type":"invalid_request_error","message":"Anthropic thinking is not supported for models without a reasoning parser"}}',
      ['thinking'],
    ],
    [
      'SGLang, Messages, a model that always thinks',
      `{"type":"error","error":{"type":"invalid_request_error","message":"Reasoning parser 'kimi_k2' is always-on and cannot be disabled via Anthropic thinking"}}`,
      ['thinking'],
    ],
    [
      'vLLM, a budget without a parser',
      '{"error":{"message":"thinking_token_budget is set but reasoning_config is not configured. Please set --reasoning-parser and/or --reasoning-config to use thinking_token_budget.","type":"BadRequestError","code":400}}',
      ['thinking_token_budget'],
    ],
    [
      'llama.cpp',
      '{"error":{"code":400,"message":"invalid type for \\"enable_thinking\\" (expected boolean, got string)","type":"invalid_request_error"}}',
      ['chat_template_kwargs', 'enable_thinking'],
    ],
    [
      'LM Studio',
      `{"error":{"message":"Model 'qwen3-vl-8b' does not expose reasoning configuration.","type":"invalid_request","param":"reasoning","code":"invalid_value"}}`,
      ['reasoning_effort', 'reasoning'],
    ],
    [
      'Groq, a model that does not think',
      '{"error":{"message":"reasoning_effort is not supported with this model","type":"invalid_request_error","param":"reasoning_effort"}}',
      ['reasoning_effort'],
    ],
    [
      'Groq, a wrong word',
      '{"error":{"message":"`reasoning_effort` must be one of `none` or `default`","type":"invalid_request_error"}}',
      ['reasoning_effort'],
    ],
    [
      'Cerebras',
      `{"message":"body.enable_thinking: property 'enable_thinking' is unsupported","type":"invalid_request_error","param":"validation_error","code":"wrong_api_format"}`,
      ['enable_thinking'],
    ],
    [
      'OpenAI, an older model',
      '{"error":{"message":"Unrecognized request argument supplied: reasoning_effort","type":"invalid_request_error","param":null,"code":null}}',
      ['reasoning_effort'],
    ],
    [
      'OpenAI',
      `{"error":{"message":"Unsupported parameter: 'reasoning_effort' is not supported with this model.","type":"invalid_request_error","param":"reasoning_effort","code":"unsupported_parameter"}}`,
      ['reasoning_effort'],
    ],
    [
      'OpenAI, a field of another API',
      `{"error":{"message":"Unknown parameter: 'thinking'.","type":"invalid_request_error","param":"thinking","code":"unknown_parameter"}}`,
      ['thinking'],
    ],
    [
      'DashScope, not streamed',
      '{"error":{"code":"invalid_parameter_error","message":"parameter.enable_thinking must be set to false for non-streaming calls","param":null,"type":"invalid_request_error"}}',
      ['enable_thinking'],
    ],
    [
      'DashScope, a budget',
      '<400> InternalError.Algo.InvalidParameter: The thinking_budget parameter must be a positive integer and not greater than 38912',
      ['thinking_budget'],
    ],
    [
      'Mistral',
      '{"object":"Error","detail":[{"type":"extra_forbidden","loc":["body","reasoning_effort"],"msg":"Extra inputs are not permitted","input":"high"}],"type":"invalid_request_error","code":3001}',
      ['reasoning_effort'],
    ],
    [
      'OpenRouter',
      '{"error":{"message":"Reasoning is mandatory for this endpoint and cannot be disabled.","code":400}}',
      ['reasoning', 'reasoning_effort'],
    ],
    [
      'xAI',
      '{"code":"invalid-argument","error":"Model grok-4-latest does not support parameter reasoningEffort."}',
      ['reasoning_effort', 'reasoning'],
    ],
    [
      'Anthropic, an effort',
      '{"type":"error","error":{"type":"invalid_request_error","message":"This model does not support the effort parameter."}}',
      ['output_config'],
    ],
    ...[
      'thinking_config is not supported.',
      'Thinking is not enabled for models/gemini-2.0-flash',
      'Unable to submit request because thinking is not supported by this model. Learn more: …',
      'Unable to submit request because Thinking_config.include_thoughts is only enabled when thinking is enabled.',
      'Thinking level is not supported for this model.',
      'Unable to submit request because thinking_level MEDIUM is not supported by this model.',
      'Budget 0 is invalid. This model only works in thinking mode.',
      `Invalid JSON payload received. Unknown name "thinkingConfig" at 'generation_config': Cannot find field.`,
    ].map((message): [string, string, string[]] => [
      `Google: ${message}`,
      JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }),
      ['generationConfig.thinkingConfig'],
    ]),
  ])('%s', (_, body, fields) => {
    expect(refusedThinkingField(body)).toEqual(fields)
  })

  it.each([
    ['too long', "This model's maximum context length is 32768 tokens. However, you requested 40000 tokens."],
    [
      'reasoning that is missing',
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
    ],
    [
      'a tool choice',
      'The tool_choice parameter does not support being set to required or object in thinking mode',
    ],
    [
      'another field, with the request behind it',
      `[{'type': 'list_type', 'loc': ('body', 'messages'), 'msg': 'Input should be a valid list', 'input': {'reasoning_effort': 'high'}}]`,
    ],
    [
      'a limit, with a hint at an effort',
      '{"error":{"type":"invalid_request_error","message":"max_tokens is too small for reasoning_effort high"}}',
    ],
    ['nothing', ''],
  ])('none is, where it is about %s', (_, body) => {
    expect(refusedThinkingField(body)).toBeNull()
  })
})

describe('whether the field is refused whatever its value is', () => {
  it.each([
    ['thinking_config is not supported.', true],
    ['Thinking level is not supported for this model.', true],
    ['thinking_level MEDIUM is not supported by this model.', false],
    ['Budget 0 is invalid. This model only works in thinking mode.', false],
    ['Unsupported parameter: reasoning_effort', true],
    ['`reasoning_effort` must be one of `none` or `default`', false],
  ])('%s: %s', (message, isLasting) => {
    expect(lastingRefusal(message)).toBe(isLasting)
  })
})

import { describe, expect, it } from 'vitest'
import { retryFor, textInError } from '../../src/answer/text-in-error.ts'
import { type DialectId, dialectIds, dialects } from '../../src/dialects/index.ts'
import { isJsonObject, type JsonObject, objectIn } from '../../src/json/objects.ts'
import { translateAnswer } from '../../src/translate.ts'

const groq = {
  message: "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
  type: 'invalid_request_error',
  code: 'tool_use_failed',
}

function body(error: unknown): string {
  return JSON.stringify({ error })
}

function llamaCpp(message: string): string {
  return body({ code: 500, message, type: 'server_error' })
}

function textIn(status: number, text: string): string | undefined {
  return textInError({ status, body: text })?.text
}

describe('the text of the model in an error of an upstream', () => {
  it('stands in a field of its own at Groq', () => {
    const failed_generation = '<function=brave_search>{"query": "Hello!"}</function>'
    expect(textIn(400, body({ ...groq, failed_generation }))).toBe(failed_generation)
  })

  it('is found in a stream that has only an error', () => {
    const data = body({ ...groq, failed_generation: '<function=ls>{}</function>', status_code: 400 })
    expect(textIn(200, `event: error\ndata: ${data}\n\n`)).toBe('<function=ls>{}</function>')
    expect(textIn(200, `event: error\ndata: ${data}`)).toBe('<function=ls>{}</function>')
  })

  it('is found behind a router that has the error of the server as text', () => {
    const raw = body({ ...groq, failed_generation: '<function=ls>{}</function>' })
    const routed = { message: 'Provider returned error', code: 400, metadata: { raw, provider_name: 'Groq' } }
    expect(textIn(400, body(routed))).toBe('<function=ls>{}</function>')
  })

  it.each(['', 'Tool use failed: JSON does not match the expected schema for tool calls'])(
    'is not what Groq itself says there: "%s"',
    (failed_generation) => {
      expect(textIn(400, body({ ...groq, failed_generation }))).toBeUndefined()
    },
  )

  it('stands between quotes at Ollama, whatever quotes the model wrote', () => {
    const plain = String.raw`{"cmd":"echo 'a', err=1"}]`
    const message = `error parsing tool call: raw='${plain}', err=invalid character ']' after top-level value`
    expect(textIn(500, body(message))).toBe(plain)
    expect(textIn(500, body({ message, type: 'api_error', param: null, code: null }))).toBe(plain)
  })

  it('is unquoted where it stands as Go quotes it', () => {
    const message = String.raw`error parsing tool call: raw="{\"path\":\"a\\nb\",\"x\":\"\u00e9\x07\t\"", err=unexpected end of JSON input`
    expect(textIn(500, body(message))).toBe('{"path":"a\\nb","x":"é\u0007\t"')
  })

  it('is not taken where Ollama tells no end of it', () => {
    expect(textIn(500, body(`error parsing tool call: raw='{"input":"*** Begin`))).toBeUndefined()
    expect(textIn(500, body('error parsing tool call: unexpected end of JSON input'))).toBeUndefined()
  })

  it('is all that llama.cpp did not read', () => {
    const rest =
      '<tool_call>\n<function=bash>\n<parameter=command>\nls\n</parameter>\n</function>\n</tool_call>'
    expect(textIn(500, llamaCpp(`Failed to parse input at pos 60: ${rest}`))).toBe(rest)
    expect(textIn(200, `data: ${llamaCpp(`Failed to parse input at pos 0: ${rest}`)}\n\n`)).toBe(rest)
    expect(textIn(400, body(`Failed to parse input at pos 13: ${rest}`))).toBe(rest)
  })

  it.each([
    ['an error about something else', 400, llamaCpp('request (9 tokens) exceeds the available context size')],
    ['a parser that stopped at the end', 500, llamaCpp('Failed to parse input at pos 12: \n')],
    ['a page', 502, '<html>Bad Gateway</html>'],
    ['nothing', 500, ''],
    ['JSON that is no object', 500, 'null'],
  ])('is none in %s', (_, status, text) => {
    expect(textInError({ status, body: text })).toBeNull()
  })
})

describe('the request that may succeed where one has failed', () => {
  const auto = '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'
  it.each([
    [500, llamaCpp('The model produced output that does not match the expected peg-native format')],
    [500, llamaCpp('The model produced output that does not match the expected peg-gemma4 format')],
    [
      200,
      `data: ${llamaCpp('The model produced output that does not match the expected peg-native format')}`,
    ],
    [500, llamaCpp('Failed to parse input at pos 12: </tool_call>')],
    [500, llamaCpp("Invalid diff: 'a' not found at start of 'b'")],
    [
      400,
      JSON.stringify({ object: 'error', message: auto, type: 'BadRequestError', param: null, code: 400 }),
    ],
    [400, body({ message: auto, type: 'BadRequestError', param: null, code: 400 })],
    [400, body({ message: 'tool_choice="required" requires --tool-call-parser to be set', code: 400 })],
  ])('lets the calls come as text after %d %s', (status, text) => {
    expect(retryFor({ status, body: text })?.helps).toBe('calls in text')
  })

  it.each([
    [500, llamaCpp('tools param requires --jinja flag')],
    [
      400,
      body({ message: 'registry.ollama.ai/library/gemma3:4b does not support tools', type: 'api_error' }),
    ],
    [500, body('XML syntax error on line 7: expected element name after <')],
    [
      200,
      `data: ${body('failed to parse XML: XML syntax error on line 1: element <tool_call> closed by </arg_value>')}`,
    ],
    [500, body('expected element type <function> but have <parameter>')],
    [
      500,
      body(
        "error parsing tool call: raw='ls -R\n', err=invalid character 'l' looking for beginning of value",
      ),
    ],
    [500, '{"error":"EOF"}'],
    [
      404,
      body({ message: 'No endpoints found that support tool use. To learn more, visit the docs', code: 404 }),
    ],
    [400, body({ ...groq, failed_generation: '' })],
  ])('tells of the tools in the prompt after %d %s', (status, text) => {
    expect(retryFor({ status, body: text })?.helps).toBe('tools in prompt')
  })

  it.each([
    [502, '{"error":"EOF"}'],
    [401, body({ message: 'Invalid API key', code: 'invalid_api_key' })],
    [400, body({ message: 'messages: at least one message is required' })],
    [429, body({ message: 'Rate limit reached', code: 'rate_limit_exceeded' })],
    [500, ''],
  ])('is not known after %d %s', (status, text) => {
    expect(retryFor({ status, body: text })).toBeNull()
  })
})

describe('a failure because of calls', () => {
  it.each([
    ['what the server was started without', llamaCpp('tools param requires --jinja flag'), true],
    ['an answer that the server could not read', llamaCpp('Failed to parse input at pos 3: x'), false],
  ])('lasts or not: %s', (_what, text, lasts) => {
    expect(retryFor({ status: 500, body: text })?.lasts).toBe(lasts)
  })
})

describe('an answer made of text', () => {
  const written = 'On it.\n<tool_call>\n{"name": "bash", "arguments": {"command": "ls"}}\n</tool_call>'
  const tools = [
    { name: 'bash', parameters: { type: 'object', properties: { command: { type: 'string' } } } },
  ]

  function translated(from: (typeof dialectIds)[number], to: (typeof dialectIds)[number]): JsonObject {
    const translation = translateAnswer({
      from,
      to,
      delivered: 'whole',
      wants: 'whole',
      includeUsage: false,
      parser: { format: 'hermes', tools },
      mint: () => 'call_1',
      encoding: () => ({ id: 'a', model: 'm', created: 1, inputTokens: () => 0, signature: () => '' }),
    })
    const text = translation.push(dialects[from].answer.whole.ofText(written)) + translation.end()
    expect(translation.failure).toBeNull()
    const answer: unknown = JSON.parse(text)
    if (!isJsonObject(answer)) throw new Error('no object')
    return answer
  }

  it.each(dialectIds)('gives a chat client the calls in it, from %s', (from) => {
    const { choices } = translated(from, 'openai-chat')
    const choice: unknown = Array.isArray(choices) ? choices[0] : undefined
    if (!isJsonObject(choice)) throw new Error('no choice')
    expect(choice['finish_reason']).toBe('tool_calls')
    expect(objectIn(choice, 'message')['tool_calls']).toEqual([
      { id: 'call_1', type: 'function', function: { name: 'bash', arguments: '{"command": "ls"}' } },
    ])
  })

  it.each(dialectIds)('gives an Anthropic client the calls in it, from %s', (from) => {
    const { content, stop_reason } = translated(from, 'anthropic-messages')
    expect(stop_reason).toBe('tool_use')
    expect(content).toContainEqual({ type: 'tool_use', id: 'call_1', name: 'bash', input: { command: 'ls' } })
  })

  const ordinaryEnd: Readonly<Record<DialectId, string>> = {
    'openai-chat': '"finish_reason":"stop"',
    'anthropic-messages': '"stop_reason":"end_turn"',
    'openai-responses': '"status":"completed"',
    gemini: '"finishReason":"STOP"',
  }

  it.each(dialectIds)('is an ordinary end in %s where the text has no calls', (id) => {
    const json = dialects[id].answer.whole.ofText('Hello.')
    expect('events' in dialects[id].answer.whole.toEvents(json)).toBe(true)
    expect(json).toContain(ordinaryEnd[id])
  })
})

import { isJsonObject, spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'
import { channelWritings } from './writings-channels.ts'
import { jsonWritings } from './writings-json.ts'
import { pythonWritings } from './writings-python.ts'
import { pairWritings } from './writings-pairs.ts'
import { tagWritings } from './writings-tags.ts'

/** Everything that the simulator can write. A new format is one more entry. */
export const writings: readonly Writing[] = [
  {
    kind: 'structured',
    id: 'standard',
    formats: ['standard', 'anthropic'],
    models: ['standard'],
    title: 'structured tool_calls, no text',
  },
  {
    kind: 'text',
    id: 'kimi-k2',
    formats: ['kimi'],
    models: ['kimi-k2', 'kimi-k2-thinking'],
    title: 'Kimi K2',
    grammar: 'kimi-k2',
    gap: '',
    thinking: thinkInline,
    calls: (calls, startIndex) =>
      wrap('<|tool_calls_section_begin|>', '<|tool_calls_section_end|>', calls, '', (call, index) =>
        [
          '<|tool_call_begin|>',
          `functions.${call.name}:${startIndex + index}`,
          '<|tool_call_argument_begin|>',
          spacedJson(call.arguments),
          '<|tool_call_end|>',
        ].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'kimi-k3',
    formats: ['kimi'],
    models: ['kimi-k3'],
    title: 'Kimi K3',
    grammar: 'kimi-k3',
    gap: '',
    thinking: (thought) => `<|open|>think<|sep|>${thought}<|close|>think<|sep|>`,
    text: (text) => `<|open|>response<|sep|>${text}<|close|>response<|sep|>`,
    end: '<|close|>message<|sep|>',
    calls: (calls) =>
      wrap('<|open|>tools<|sep|>', '<|close|>tools<|sep|>', calls, '', (call, index) =>
        [
          `<|open|>call tool="${attribute(call.name)}" index="${index + 1}"<|sep|>`,
          ...parameters(
            call,
            (key, value) =>
              `<|open|>argument key="${attribute(key)}" type="${typeName(value)}"<|sep|>${raw(value)}<|close|>argument<|sep|>`,
          ),
          '<|close|>call<|sep|>',
        ].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'qwen3-coder-xml',
    formats: ['qwen'],
    models: ['qwen3-coder'],
    title: 'Qwen3-Coder',
    grammar: 'qwen3-coder-xml',
    gap: '\n\n',
    thinking: thinkOnLines,
    calls: (calls) =>
      wrap('', '', calls, '\n', (call) =>
        [
          '<tool_call>',
          `<function=${call.name}>`,
          ...parameters(call, (key, value) => `<parameter=${key}>\n${pythonRaw(value)}\n</parameter>`),
          '</function>',
          '</tool_call>',
        ].join('\n'),
      ),
  },
  {
    kind: 'text',
    id: 'hermes-json',
    formats: ['hermes', 'qwen'],
    models: ['qwen3', 'hermes-4'],
    title: 'Hermes, Qwen2.5 and Qwen3',
    grammar: 'hermes-json',
    gap: '\n',
    thinking: thinkOnLines,
    calls: (calls) =>
      wrap('', '', calls, '\n', (call) => {
        const envelope = { name: call.name, arguments: call.arguments }
        return `<tool_call>\n${spacedJson(envelope)}\n</tool_call>`
      }),
  },
  {
    kind: 'text',
    id: 'deepseek-v3.2',
    formats: ['deepseek'],
    models: ['deepseek-v3.2'],
    title: 'DeepSeek V3.2',
    grammar: 'deepseek-dsml',
    gap: '\n\n',
    thinking: thinkInline,
    calls: (calls) => dsml('function_calls', calls, ''),
  },
  {
    kind: 'text',
    id: 'deepseek-v4',
    formats: ['deepseek'],
    models: ['deepseek-v4'],
    title: 'DeepSeek V4',
    grammar: 'deepseek-dsml',
    releases: /v-?[4-9]/i,
    gap: '\n\n',
    thinking: thinkInline,
    calls: (calls) => dsml('tool_calls', calls, '\n'),
  },
  {
    kind: 'text',
    id: 'deepseek-v4.1',
    formats: ['deepseek'],
    models: ['deepseek-v4.1-flash'],
    title: 'DeepSeek V4.1',
    grammar: 'deepseek-v4.1',
    gap: '\n\n',
    thinking: thinkInline,
    calls: (calls) => dsml(' calls', calls, '\n', ' '),
  },
  {
    kind: 'text',
    id: 'deepseek-v3',
    formats: ['deepseek'],
    models: ['deepseek-v3', 'deepseek-r1'],
    title: 'DeepSeek V3 and R1',
    grammar: 'deepseek-v3',
    gap: '',
    thinking: thinkInline,
    calls: (calls) =>
      wrap('<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', calls, '\n', (call) =>
        [
          `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${call.name}`,
          '```json',
          spacedJson(call.arguments),
          '```<｜tool▁call▁end｜>',
        ].join('\n'),
      ),
  },
  {
    kind: 'text',
    id: 'deepseek-v3.1',
    formats: ['deepseek'],
    models: ['deepseek-v3.1'],
    title: 'DeepSeek V3.1',
    grammar: 'deepseek-v3.1',
    gap: '',
    thinking: thinkInline,
    calls: (calls) =>
      wrap('<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>', calls, '', (call) =>
        [
          `<｜tool▁call▁begin｜>${call.name}<｜tool▁sep｜>`,
          spacedJson(call.arguments),
          '<｜tool▁call▁end｜>',
        ].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'claude-invoke',
    formats: ['xml'],
    models: ['xml'],
    title: 'Claude-like tags',
    grammar: 'claude-invoke',
    gap: '\n\n',
    thinking: thinkOnLines,
    calls: (calls) =>
      wrap('<function_calls>\n', '\n</function_calls>', calls, '\n', (call) =>
        [
          `<invoke name="${call.name}">`,
          ...parameters(call, (key, value) => `<parameter name="${key}">${raw(value)}</parameter>`),
          '</invoke>',
        ].join('\n'),
      ),
  },
  ...tagWritings,
  ...pairWritings,
  ...jsonWritings,
  {
    kind: 'text',
    id: 'gigachat-gcml',
    formats: ['gigachat'],
    models: ['gigachat-3.5'],
    title: 'GigaChat 3.5',
    grammar: 'gigachat3.5',
    gap: '\n\n',
    thinking: (thought) => `<think>${thought}</think>\n\n`,
    calls: (calls) => dsml('tool_calls', calls, '', '', 'GCML'),
  },
  ...pythonWritings,
  ...channelWritings,
]

function wrap(
  begin: string,
  end: string,
  calls: readonly WrittenCall[],
  between: string,
  write: (call: WrittenCall, index: number) => string,
): string {
  return calls.length === 0 ? '' : `${begin}${calls.map(write).join(between)}${end}`
}

/** `blank` stands behind the token in every tag. */
function dsml(
  section: string,
  calls: readonly WrittenCall[],
  noParameters: string,
  blank = '',
  word = 'DSML',
): string {
  const token = `｜${word}｜`
  return wrap(`<${token}${section}>\n`, `\n</${token}${section}>`, calls, '\n', (call) => {
    const lines = parameters(
      call,
      (key, value) =>
        `<${token}${blank}parameter name="${key}" string="${typeof value === 'string'}">${raw(value)}</${token}${blank}parameter>\n`,
    )
    const body = lines.length === 0 ? noParameters : lines.join('')
    return `<${token}${blank}invoke name="${call.name}">\n${body}</${token}${blank}invoke>`
  })
}

function parameters(call: WrittenCall, write: (key: string, value: unknown) => string): string[] {
  return Object.entries(call.arguments).map(([key, value]) => write(key, value))
}

function raw(value: unknown): string {
  return typeof value === 'string' ? value : spacedJson(value)
}

/** Writes a value as Qwen's template does: one that is neither text nor a collection becomes text as in Python. */
function pythonRaw(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value !== 'boolean') return raw(value)
  return value ? 'True' : 'False'
}

function attribute(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
}

function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return isJsonObject(value) ? 'object' : typeof value
}

function thinkInline(thought: string): string {
  return `<think>${thought}</think>`
}

function thinkOnLines(thought: string): string {
  return `<think>\n${thought}\n</think>\n\n`
}

import type { FormatId } from '@dragoman/core'
import { spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'

/** The families that write their calls as JSON. */
export const jsonWritings: readonly Writing[] = [
  json('mistral-args', 'mistral', 'Mistral from Small 3.2 on, Devstral, Magistral', {
    models: ['devstral-small', 'magistral-medium'],
    between: '',
    thinking: (thought) => `[THINK]${thought}[/THINK]`,
    each: (call) => `[TOOL_CALLS]${call.name}[ARGS]${spacedJson(call.arguments)}`,
  }),
  json('mistral-array', 'mistral', 'Mistral up to 2024', {
    models: ['mistral-nemo'],
    begin: '[TOOL_CALLS] [',
    end: ']',
    each: (call, index) => spacedJson({ ...usual(call), id: String(index).padStart(9, '0') }),
  }),
  json('llama3-json', 'llama', 'Llama 3.1 to 3.3', {
    models: ['llama-3.3-70b'],
    isBare: true,
    between: '; ',
    each: (call) => spacedJson({ name: call.name, parameters: call.arguments }),
  }),
  json('granite-array', 'granite', 'Granite 3', {
    models: ['granite-3.3'],
    begin: '<|tool_call|>[\n',
    between: ',\n',
    end: '\n]',
    each: (call) => indented(JSON.stringify(usual(call), undefined, 4)),
  }),
  json('granite-4', 'granite', 'Granite 4', {
    models: ['granite-4'],
    grammar: 'hermes-json',
    releases: /granite/i,
    between: '\n',
    each: (call) => `<tool_call>\n${spacedJson(usual(call))}\n</tool_call>`,
  }),
  json('granite-20b-fc', 'granite', 'Granite 20B Function Calling', {
    models: ['granite-20b-functioncalling'],
    gap: '\n',
    between: '\n',
    each: (call) => `<function_call> ${spacedJson(usual(call))}`,
  }),
  json('apertus', 'apertus', 'Apertus', {
    models: ['apertus-70b'],
    begin: '<|tools_prefix|>[',
    end: ']<|tools_suffix|>',
    thinking: (thought) => `<|inner_prefix|>${thought}<|inner_suffix|>`,
    each: (call) => `{${JSON.stringify(call.name)}: ${spacedJson(call.arguments)}}`,
  }),
  json('apriel', 'apriel', 'Apriel', {
    models: ['apriel-1.6'],
    gap: '\n',
    begin: '<tool_calls>[',
    end: ']</tool_calls>',
    thinking: (thought) => `Here are my reasoning steps:\n${thought}\n[BEGIN FINAL RESPONSE]\n`,
  }),
  json('jamba', 'jamba', 'Jamba', {
    models: ['jamba-1.7'],
    grammar: 'apriel',
    releases: /jamba/i,
    begin: '<tool_calls>[\n',
    between: ',\n',
    end: '\n]</tool_calls>',
  }),
  json('hunyuan-a13b', 'hunyuan', 'Hunyuan A13B', {
    models: ['hunyuan-a13b'],
    grammar: 'apriel',
    releases: /hunyuan/i,
    begin: '<tool_calls>[',
    end: ']</tool_calls>',
    thinking: thinkOnLines,
  }),
  json('minimax-m1-jsonl', 'minimax', 'MiniMax-M1', {
    models: ['minimax-m1'],
    begin: '<tool_calls>\n',
    between: '\n',
    end: '\n</tool_calls>',
    thinking: thinkOnLines,
  }),
  json('nemotron-toolcall', 'nemotron', 'Nemotron Nano v2, Llama Nemotron', {
    models: ['nemotron-nano-v2'],
    begin: '<TOOLCALL>[',
    end: ']</TOOLCALL>',
    thinking: thinkOnLines,
  }),
  json('functools', 'phi', 'Phi-4 mini, Firefunction', {
    models: ['phi-4-mini', 'firefunction-v2'],
    gap: ' ',
    begin: 'functools[',
    end: ']',
  }),
  json('internlm2', 'internlm', 'InternLM2 and 2.5', {
    models: ['internlm2.5'],
    between: '',
    each: (call) => `<|action_start|><|plugin|>\n${spacedJson(usual(call))}<|action_end|>`,
  }),
  json('xlam-array', 'xlam', 'xLAM', { models: ['xlam-2'], isBare: true, begin: '[', end: ']' }),
  json('gigachat3.1', 'gigachat', 'GigaChat 3.1', {
    models: ['gigachat-3.1'],
    between: '',
    each: (call) => `<|function_call|>${spacedJson(usual(call))}`,
  }),
  json('gigachat3', 'gigachat', 'GigaChat 3', {
    models: ['gigachat-3'],
    between: '',
    each: (call) => `<|message_sep|>\n\nfunction call<|role_sep|>\n${spacedJson(usual(call))}`,
  }),
  json('longcat', 'longcat', 'LongCat-Flash', {
    models: ['longcat-flash'],
    gap: '\n',
    between: '\n',
    thinking: (thought) => `<longcat_think>\n${thought}\n</longcat_think>\n`,
    each: (call) => `<longcat_tool_call>\n${spacedJson(usual(call))}\n</longcat_tool_call>`,
  }),
  json('ernie', 'ernie', 'ERNIE 4.5', {
    models: ['ernie-4.5'],
    grammar: 'hermes-json',
    releases: /ernie/i,
    gap: '\n',
    between: '\n',
    thinking: thinkOnLines,
    each: (call) => `<tool_call>\n${spacedJson(usual(call))}\n</tool_call>`,
  }),
  json('lm-studio', 'lm-studio', 'any model under the prompt of LM Studio', {
    models: ['lm-studio'],
    grammar: 'tool-request',
    gap: '\n',
    between: '\n',
    thinking: thinkOnLines,
    each: (call) => `[TOOL_REQUEST]${spacedJson(usual(call))}[END_TOOL_REQUEST]`,
  }),
  json('hyperclova-message', 'hyperclova', 'HyperCLOVA X SEED Think 14B', {
    models: ['hyperclovax-seed-think-14b'],
    begin: '<|im_end|>\n<|im_start|>assistant -> tool/function_call\n[',
    end: ']',
  }),
  json('openpangu', 'pangu', 'openPangu', {
    models: ['openpangu-embedded-7b'],
    begin: '<|tool_call_start|>[',
    end: ']<|tool_call_end|>',
    thinking: (thought) => `[unused16]${thought}[unused17]`,
  }),
  json('openpangu-unused', 'pangu', 'openPangu, older checkpoints', {
    models: ['openpangu-embedded-1b'],
    begin: '[unused11][',
    end: '][unused12]',
    thinking: (thought) => `[unused16]${thought}[unused17]`,
  }),
  json('plamo3', 'plamo', 'PLaMo 3', {
    models: ['plamo-3'],
    begin: '<|plamo:begin_tool_requests:plamo|>',
    between: '',
    end: '<|plamo:end_tool_requests:plamo|>',
    thinking: (thought) => `<|plamo:begin_think:plamo|>${thought}<|plamo:end_think:plamo|>`,
    each: plamoRequest,
  }),
  json('use-mcp-tool', 'mirothinker', 'MiroThinker', {
    models: ['mirothinker'],
    gap: '\n\n',
    begin: '<use_mcp_tool>\n',
    between: '\n',
    end: '\n</use_mcp_tool>',
    each: (call) =>
      [
        '<server_name>tools</server_name>',
        `<tool_name>${call.name}</tool_name>`,
        `<arguments>\n${spacedJson(call.arguments)}\n</arguments>`,
      ].join('\n'),
  }),
  json('cwm', 'cwm', 'Code World Model', {
    models: ['cwm'],
    gap: '\n',
    between: '\n',
    each: (call) => `<tool: ${call.name}>\n${spacedJson(call.arguments)}\n</tool>`,
  }),
  json('functionary-v3.1', 'functionary', 'Functionary v3.1', {
    models: ['functionary-v3.1'],
    between: '',
    each: (call) => `<function=${call.name}>${spacedJson(call.arguments)}</function>`,
  }),
  json('functionary-v3.2', 'functionary', 'Functionary v3.2', {
    models: ['functionary-v3.2'],
    between: '',
    text: (text) => `all\n${text}`,
    each: (call) => `>>>${call.name}\n${spacedJson(call.arguments)}`,
  }),
]

interface JsonShape {
  readonly models: readonly string[]
  /** The grammar, if it is not named like the writing. */
  readonly grammar?: string
  readonly releases?: RegExp
  readonly gap?: string
  readonly begin?: string
  readonly between?: string
  readonly end?: string
  readonly thinking?: (thought: string) => string
  readonly isBare?: boolean
  readonly text?: (text: string) => string
  readonly each?: (call: WrittenCall, index: number) => string
}

function json(id: string, format: FormatId, title: string, shape: JsonShape): Writing {
  const { models, grammar = id, releases, isBare = false, text, gap = '', begin = '', end = '' } = shape
  const { between = ', ', thinking = thinkOnLines, each = (call) => spacedJson(usual(call)) } = shape
  return {
    kind: 'text',
    id,
    formats: [format],
    models,
    title,
    grammar,
    gap,
    thinking,
    ...(releases === undefined ? {} : { releases }),
    isBare,
    ...(text === undefined ? {} : { text }),
    calls: (calls, startIndex) => {
      if (calls.length === 0) return ''
      return begin + calls.map((call, index) => each(call, startIndex + index)).join(between) + end
    },
  }
}

function plamoRequest({ name, arguments: values }: WrittenCall): string {
  return [
    '<|plamo:begin_tool_request:plamo|>',
    `<|plamo:begin_tool_name:plamo|>${name}<|plamo:end_tool_name:plamo|>`,
    '<|plamo:begin_tool_arguments:plamo|><|plamo:constrain|>json<|plamo:msg|>',
    spacedJson(values),
    '<|plamo:end_tool_arguments:plamo|><|plamo:end_tool_request:plamo|>',
  ].join('')
}

function usual({ name, arguments: values }: WrittenCall): { name: string; arguments: unknown } {
  return { name, arguments: values }
}

function indented(text: string): string {
  return text
    .split('\n')
    .map((line) => `    ${line}`)
    .join('\n')
}

function thinkOnLines(thought: string): string {
  return `<think>\n${thought}\n</think>\n\n`
}

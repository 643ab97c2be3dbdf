import { isJsonObject, spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'

/** The families that write a tag for each parameter. */
export const tagWritings: readonly Writing[] = [
  {
    kind: 'text',
    id: 'glm-4.7',
    formats: ['glm'],
    models: ['glm-4.7', 'glm-5'],
    title: 'GLM-4.7 and GLM-5',
    grammar: 'glm-xml',
    gap: '',
    thinking: (thought) => `<think>${thought}</think>`,
    calls: (calls) =>
      calls.map((call) => `<tool_call>${call.name}${pairs(call, '', '')}</tool_call>`).join(''),
  },
  {
    kind: 'text',
    id: 'glm-4.6',
    formats: ['glm'],
    models: ['glm-4.5', 'glm-4.6'],
    title: 'GLM-4.5 and 4.6',
    grammar: 'glm-xml',
    releases: /4[.-]?[56]/,
    gap: '\n',
    thinking: (thought) => `\n<think>${thought}</think>\n`,
    calls: (calls) =>
      calls.map((call) => `<tool_call>${call.name}\n${pairs(call, '', '\n')}</tool_call>`).join('\n'),
  },
  {
    kind: 'text',
    id: 'minimax-m2',
    formats: ['minimax'],
    models: ['minimax-m2'],
    title: 'MiniMax-M2',
    grammar: 'minimax-m2-xml',
    gap: '\n',
    thinking: thinkOnLines,
    calls: (calls) => section('<minimax:tool_call>', calls, '</minimax:tool_call>', invoke('', raw)),
  },
  {
    kind: 'text',
    id: 'minimax-m3',
    formats: ['minimax'],
    models: ['minimax-m3'],
    title: 'MiniMax-M3',
    grammar: 'minimax-m3-xml',
    gap: '',
    thinking: (thought) => `<mm:think>${thought}</mm:think>`,
    calls: (calls) =>
      section(`${token}<tool_call>`, calls, `${token}</tool_call>`, (call) =>
        [`${token}<invoke name="${call.name}">`, elements(call.arguments), `${token}</invoke>`].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'seed-oss',
    formats: ['seed'],
    models: ['seed-oss'],
    title: 'Seed-OSS',
    grammar: 'seed-oss-xml',
    gap: '\n\n',
    thinking: (thought) => `<seed:think>${thought}</seed:think>\n`,
    calls: (calls) =>
      calls
        .map((call) => {
          const values = parameters(
            call,
            (key, value) => `<parameter=${key}>${pythonWord(value)}</parameter>\n`,
          )
          return `<seed:tool_call>\n<function=${call.name}>\n${values}</function>\n</seed:tool_call>`
        })
        .join('\n'),
  },
  {
    kind: 'text',
    id: 'hunyuan-3',
    formats: ['hunyuan'],
    models: ['hy3'],
    title: 'Hunyuan Hy3',
    grammar: 'hunyuan3-xml',
    gap: '',
    thinking: (thought) => `<think:opensource>${thought}</think:opensource>`,
    calls: (calls) =>
      section('<tool_calls:opensource>', calls, '</tool_calls:opensource>', (call) =>
        [
          `<tool_call:opensource>${call.name}<tool_sep:opensource>\n`,
          pairs(call, ':opensource', '\n'),
          '</tool_call:opensource>',
        ].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'minicpm5',
    formats: ['minicpm'],
    models: ['minicpm5'],
    title: 'MiniCPM5',
    grammar: 'minicpm5-xml',
    gap: '\n',
    thinking: thinkOnLines,
    calls: (calls) =>
      calls
        .map((call) => {
          const values = parameters(
            call,
            (key, value) => `<param name="${key}">${characterData(value)}</param>`,
          )
          return `<function name="${call.name}">${values}</function>`
        })
        .join('\n'),
  },
  {
    kind: 'text',
    id: 'step3',
    formats: ['step'],
    models: ['step3'],
    title: 'Step-3',
    grammar: 'step3',
    gap: '',
    thinking: thinkOnLines,
    calls: (calls) =>
      section('<｜tool_calls_begin｜>', calls, '<｜tool_calls_end｜>', (call) =>
        [
          '<｜tool_call_begin｜>function<｜tool_sep｜>',
          invoke('steptml:', raw)(call),
          '<｜tool_call_end｜>',
        ].join(''),
      ),
  },
  {
    kind: 'text',
    id: 'dots',
    formats: ['dots'],
    models: ['dots'],
    title: 'dots',
    grammar: 'dots-xml',
    gap: '\n',
    thinking: thinkOnLines,
    calls: (calls) => section('<dots_function_call>', calls, '</dots_function_call>', invoke('', raw)),
  },
]

const token = ']<]minimax[>['

function section(
  begin: string,
  calls: readonly WrittenCall[],
  end: string,
  write: (call: WrittenCall) => string,
): string {
  return calls.length === 0 ? '' : `${begin}\n${calls.map(write).join('\n')}\n${end}`
}

function pairs(call: WrittenCall, suffix: string, between: string): string {
  return parameters(call, (key, value) =>
    [
      `<arg_key${suffix}>${key}</arg_key${suffix}>`,
      `<arg_value${suffix}>${raw(value)}</arg_value${suffix}>`,
      '',
    ].join(between),
  )
}

function invoke(prefix: string, write: (value: unknown) => string): (call: WrittenCall) => string {
  return (call) => {
    const values = parameters(
      call,
      (key, value) => `<${prefix}parameter name="${key}">${write(value)}</${prefix}parameter>\n`,
    )
    return `<${prefix}invoke name="${call.name}">\n${values}</${prefix}invoke>`
  }
}

function parameters(call: WrittenCall, write: (key: string, value: unknown) => string): string {
  return Object.entries(call.arguments)
    .map(([key, value]) => write(key, value))
    .join('')
}

/** Numbers in a list look like text without a schema, and the schema often does not tell. So they stay JSON. */
function elements(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .map(([key, value]) => `${token}<${key}>${elementBody(value)}${token}</${key}>`)
    .join('')
}

function elementBody(value: unknown): string {
  if (isJsonObject(value) && Object.values(value).every(isText)) return elements(value)
  if (Array.isArray(value) && value.length > 0 && value.every(isText)) {
    return value.map((item) => elements({ item })).join('')
  }
  return raw(value)
}

function isText(value: unknown): boolean {
  return typeof value === 'string'
}

/** Wraps text with markup or line breaks, so that it needs no escaping. */
function characterData(value: unknown): string {
  return typeof value === 'string' && /[<&\n]/.test(value) ? `<![CDATA[${value}]]>` : pythonWord(value)
}

/** Writes a value that is neither text nor a collection as Python does. */
function pythonWord(value: unknown): string {
  if (value === null) return 'None'
  if (typeof value !== 'boolean') return raw(value)
  return value ? 'True' : 'False'
}

function raw(value: unknown): string {
  return typeof value === 'string' ? value : spacedJson(value)
}

function thinkOnLines(thought: string): string {
  return `<think>\n${thought}\n</think>\n\n`
}

import type { FormatId } from '@dragoman/core'
import { spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'

/** The families that write a key and a value, each in tags of its own, as GLM does, with other words in the tags. */
export const pairWritings: readonly Writing[] = [
  pairs('glm-5.3-flash', 'glm', 'GLM-5.3 Flash', {
    models: ['glm-5.3-flash'],
    grammar: 'glm-name-json',
    each: ({ name, arguments: values }) => `<tool_call>${name}>${spacedJson(values)}</tool_call>`,
  }),
  pairs('hunyuan-4', 'hunyuan', 'Hunyuan Hy4', {
    models: ['hy4-preview'],
    grammar: 'hunyuan4-xml',
    begin: '<tool_calls:6124c78e>',
    end: '</tool_calls:6124c78e>',
    thinking: (thought) => `<think:6124c78e>${thought}</think:6124c78e>`,
    each: inTags('tool_call', 'arg_key', 'arg_value', ':6124c78e'),
  }),
  pairs('longcat-xml', 'longcat', 'LongCat 2.0, Flash-Lite and Next', {
    models: ['longcat-2.0', 'longcat-flash-lite'],
    thinking: (thought) => `<longcat_think>\n${thought}\n</longcat_think>\n`,
    each: onLines('longcat_tool_call', 'longcat_arg_key', 'longcat_arg_value'),
  }),
  pairs('k2-horizon', 'k2-horizon', 'K2 Horizon', {
    models: ['k2-horizon-32b'],
    gap: '\n',
    begin: '<ifm|tool_calls>\n',
    between: '\n',
    end: '\n</ifm|tool_calls>',
    thinking: (thought) => `<ifm|think>\n${thought}\n</ifm|think>\n`,
    each: onLines('ifm|tool_call', 'ifm|arg_key', 'ifm|arg_value'),
  }),
  pairs('k2-horizon-typed', 'k2-horizon', 'K2 Horizon, asked for types', {
    models: ['k2-horizon-7b'],
    grammar: 'k2-horizon-typed',
    begin: '<ifm|tool_calls>',
    end: '</ifm|tool_calls>',
    thinking: (thought) => `<ifm|think>${thought}</ifm|think>`,
    each: ({ name, arguments: values }) =>
      `<ifm|tool_call>${name}${parameters(
        values,
        (key, value) =>
          `<ifm|arg_key>${key}</ifm|arg_key><ifm|arg_type>${typeName(value)}</ifm|arg_type><ifm|arg_value>${raw(value)}</ifm|arg_value>`,
      )}</ifm|tool_call>`,
  }),
  pairs('spark-x2.5', 'spark', 'Spark X2.5', {
    models: ['spark-x2.5'],
    grammar: 'glm-xml',
    releases: /spark/i,
    each: inTags('tool_call', 'arg_key', 'arg_value'),
  }),
  pairs('spark-tokens', 'spark', 'Spark X2.5, with tokens', {
    models: ['spark-x2.5-4b'],
    each: ({ name, arguments: values }) =>
      `<|tool_call|>\n${name}${parameters(
        values,
        (key, value) => `<arg_key>${key}</arg_key><arg_value>${raw(value)}</arg_value>`,
      )}\n<|/tool_call|>`,
  }),
  pairs('hyperclova-32b', 'hyperclova', 'HyperCLOVA X SEED Think 32B', {
    models: ['hyperclovax-seed-think-32b'],
    grammar: 'glm-xml',
    releases: /hyperclova/i,
    gap: '\n',
    between: '\n',
    each: onLines('tool_call', 'arg_key', 'arg_value'),
  }),
  pairs('telechat4', 'telechat', 'TeleChat4, Xing 4.0', {
    models: ['telechat4'],
    grammar: 'telechat4-xml',
    each: inTags('tool_call', 'param_key', 'param_value'),
  }),
  pairs('iquest-xml', 'iquest', 'iQuest Q1', {
    models: ['iquest-q1'],
    each: inTags('iquest_tool_call', 'arg_key', 'arg_value'),
  }),
  pairs('iquest-coder-v2', 'iquest', 'iQuest-Coder V2', {
    models: ['iquest-coder-v2'],
    grammar: 'iquest-xml',
    releases: /coder/i,
    each: inTags('iquestcoder_tool_call', 'arg_key', 'arg_value'),
  }),
  pairs('solar-open-2', 'solar', 'Solar Open 2', {
    models: ['solar-open-2'],
    thinking: (thought) => `<|think:start|>${thought}<|think:end|>`,
    each: ({ name, arguments: values }) =>
      `<|tool_call:start|>${name}\n${parameters(
        values,
        (key, value) => `<|tool_arg:start|>${key}<|tool_arg:value|>${raw(value)}<|tool_arg:end|>\n`,
      )}<|tool_call:end|>`,
  }),
]

interface PairShape {
  readonly models: readonly string[]
  /** The grammar, if it is not named like the writing. */
  readonly grammar?: string
  readonly releases?: RegExp
  readonly gap?: string
  readonly begin?: string
  readonly between?: string
  readonly end?: string
  readonly thinking?: (thought: string) => string
  readonly each: (call: WrittenCall) => string
}

function pairs(id: string, format: FormatId, title: string, shape: PairShape): Writing {
  const { models, grammar = id, releases, gap = '', begin = '', between = '', end = '', each } = shape
  const { thinking = (thought) => `<think>${thought}</think>` } = shape
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
    calls: (calls) => (calls.length === 0 ? '' : begin + calls.map(each).join(between) + end),
  }
}

/** Everything on one line. */
function inTags(call: string, key: string, value: string, suffix = ''): (call: WrittenCall) => string {
  return ({ name, arguments: values }) => {
    const tags = parameters(
      values,
      (each, held) =>
        `<${key}${suffix}>${each}</${key}${suffix}><${value}${suffix}>${raw(held)}</${value}${suffix}>`,
    )
    return `<${call}${suffix}>${name}${tags}</${call}${suffix}>`
  }
}

/** A line for each tag. */
function onLines(call: string, key: string, value: string): (call: WrittenCall) => string {
  return ({ name, arguments: values }) => {
    const tags = parameters(
      values,
      (each, held) => `<${key}>${each}</${key}>\n<${value}>${raw(held)}</${value}>\n`,
    )
    return `<${call}>${name}\n${tags}</${call}>`
  }
}

function parameters(
  values: Readonly<Record<string, unknown>>,
  write: (key: string, value: unknown) => string,
): string {
  return Object.entries(values)
    .map(([key, value]) => write(key, value))
    .join('')
}

function raw(value: unknown): string {
  return typeof value === 'string' ? value : spacedJson(value)
}

function typeName(value: unknown): string {
  if (Array.isArray(value)) return 'array'
  if (value === null) return 'null'
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value
}

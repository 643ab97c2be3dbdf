import { isJsonObject, spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'

/** The families that write their calls as Python, and Gemma, whose values have no quotes. */
export const pythonWritings: readonly Writing[] = [
  {
    kind: 'text',
    id: 'pythonic-bare',
    formats: ['pythonic', 'llama'],
    models: ['llama-4-maverick', 'pythonic'],
    title: 'Llama 4, ToolACE',
    grammar: 'pythonic-bare',
    isBare: true,
    gap: '\n',
    thinking: think,
    calls: (calls) => list(calls, spacedPython),
  },
  {
    kind: 'text',
    id: 'llama-builtin',
    formats: ['llama'],
    models: ['llama-3.1-builtin'],
    title: 'Llama 3.1, the tools it was trained with',
    grammar: 'llama-builtin',
    gap: '',
    thinking: think,
    calls: (calls) =>
      calls.length === 0 ? '' : `<|python_tag|>${calls.map((call) => pythonCall(call, '.call')).join('\n')}`,
  },
  {
    kind: 'text',
    id: 'olmo3',
    formats: ['olmo'],
    models: ['olmo-3-32b-think'],
    title: 'Olmo 3',
    grammar: 'olmo3',
    gap: '\n',
    thinking: think,
    calls: (calls) =>
      wrap('<function_calls>\n', calls.map((call) => pythonCall(call)).join('\n'), '\n</function_calls>'),
  },
  {
    kind: 'text',
    id: 'lfm2-pythonic',
    formats: ['lfm'],
    models: ['lfm2.5-8b-a1b'],
    title: 'LFM2',
    grammar: 'lfm2-pythonic',
    gap: '',
    thinking: think,
    calls: (calls) => wrap('<|tool_call_start|>', list(calls, quotedPython), '<|tool_call_end|>'),
  },
  {
    kind: 'text',
    id: 'lfm2-json',
    formats: ['lfm'],
    models: ['lfm2-json'],
    title: 'LFM2, asked for JSON',
    grammar: 'lfm2-json',
    gap: '',
    thinking: think,
    calls: (calls) => {
      const envelopes = calls.map(({ name, arguments: given }) => spacedJson({ name, arguments: given }))
      return wrap('<|tool_call_start|>[', envelopes.join(', '), ']<|tool_call_end|>')
    },
  },
  {
    kind: 'text',
    id: 'sarashina',
    formats: ['sarashina'],
    models: ['sarashina2.2'],
    title: 'Sarashina',
    grammar: 'sarashina',
    gap: '',
    thinking: think,
    calls: (calls) => {
      const dictionaries = calls.map(({ name, arguments: given }) =>
        pythonDictionary({ name, arguments: given }),
      )
      return wrap('<|tool_calls|>[', dictionaries.join(', '), ']')
    },
  },
  {
    kind: 'text',
    id: 'gemma4',
    formats: ['gemma'],
    models: ['gemma-4-31b-it'],
    title: 'Gemma 4',
    grammar: 'gemma4',
    gap: '',
    thinking: (thought) => `<|channel>thought\n${thought}\n<channel|>`,
    calls: (calls) =>
      calls.map((call) => `<|tool_call>call:${call.name}${gemmaValue(call.arguments)}<tool_call|>`).join(''),
  },
  {
    kind: 'text',
    id: 'functiongemma',
    formats: ['gemma'],
    models: ['functiongemma-270m-it'],
    title: 'FunctionGemma',
    grammar: 'functiongemma',
    gap: '',
    thinking: () => '',
    calls: (calls) =>
      calls
        .map((call) => {
          const members = Object.entries(call.arguments).map(
            ([key, value]) => `${key}:<escape>${text(value)}<escape>`,
          )
          return `<start_function_call>call:${call.name}{${members.join(',')}}<end_function_call>`
        })
        .join(''),
  },
]

function wrap(begin: string, inside: string, end: string): string {
  return inside === '' ? '' : `${begin}${inside}${end}`
}

function list(calls: readonly WrittenCall[], write: (value: unknown) => string): string {
  return wrap('[', calls.map((call) => pythonCall(call, '', write)).join(', '), ']')
}

function pythonCall(
  call: WrittenCall,
  method = '',
  write: (value: unknown) => string = spacedPython,
): string {
  const given = Object.entries(call.arguments).map(([key, value]) => `${key}=${write(value)}`)
  return `${call.name}${method}(${given.join(', ')})`
}

/** Writes a value as Python does, with strings in double quotes. */
function spacedPython(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spacedPython).join(', ')}]`
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([key, member]) => `${pythonString(key)}: ${spacedPython(member)}`,
    )
    return `{${members.join(', ')}}`
  }
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  return typeof value === 'string' ? pythonString(value) : JSON.stringify(value)
}

/** As JSON, but for the characters that Python shows by their numbers. */
function pythonString(value: string): string {
  return JSON.stringify(value).replaceAll(/\\./g, (escape) => numbered.get(escape) ?? escape)
}

const numbered: ReadonlyMap<string, string> = new Map([
  ['\\b', '\\x08'],
  ['\\f', '\\x0c'],
])

/** Writes a value as LFM does, with strings in single quotes where that is possible. */
function quotedPython(value: unknown, written: (text: string) => string = pythonString): string {
  if (typeof value !== 'string') return spacedPython(value)
  const whole = written(value)
  const inside = whole.slice(1, -1).replaceAll('\\"', '"')
  return inside.includes("'") ? whole : `'${inside}'`
}

/** Writes a value with the quotes of Python, single where the text holds none, and the escapes of JSON. */
function pythonDictionary(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonDictionary).join(', ')}]`
  if (!isJsonObject(value)) return quotedPython(value, JSON.stringify)
  const members = Object.entries(value).map(
    ([key, member]) => `${quotedPython(key, JSON.stringify)}: ${pythonDictionary(member)}`,
  )
  return `{${members.join(', ')}}`
}

/** Writes a value as Gemma does, with sorted keys and a token of its own around strings. */
function gemmaValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(gemmaValue).join(',')}]`
  if (isJsonObject(value)) {
    const keys = Object.keys(value).toSorted((one, other) =>
      one.toLowerCase() < other.toLowerCase() ? -1 : 1,
    )
    return `{${keys.map((key) => `${key}:${gemmaValue(value[key])}`).join(',')}}`
  }
  return typeof value === 'string' ? `<|"|>${value}<|"|>` : JSON.stringify(value ?? null)
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : spacedPython(value)
}

function think(thought: string): string {
  return `<think>${thought}</think>`
}

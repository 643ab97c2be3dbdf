import { chunksOf, prose, repeatTo } from './inputs.mjs'
import { sideBySide } from './measure.mjs'
import { toSink } from './reading.mjs'
import { printTable, short } from './table.mjs'

const lengths = [
  { title: '100 KB', length: 100_000, rounds: 9 },
  { title: '1 MB', length: 1_000_000, rounds: 5 },
  { title: '10 MB', length: 10_000_000, rounds: 3 },
]

const kimi =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>'
const hermes = '<tool_call>\n{"name": "write_file", "arguments": '
const draft = '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</tool_call> or '

const m3 = ']<]minimax[>[<tool_call>\n]<]minimax[>[<invoke name="write_file">'
const glmPair = '<arg_key>content</arg_key>\n<arg_value>x</arg_value>\n'

/** What people write, and what a careless parser would choke on. */
const cases = [
  ['prose', 'auto', (length) => prose(length)],
  [
    'arguments with one huge string',
    'kimi',
    (length) => `${kimi}{"content":"${prose(length)}"}<|tool_call_end|>`,
  ],
  ['arguments full of escapes', 'hermes', repeated(`${hermes}{"content":"`, '\\n\\"x\\u00e9')],
  [
    'a value in tags',
    'qwen',
    repeated('<tool_call>\n<function=write_file>\n<parameter=content>\n', 'if (a < b) {\n'),
  ],
  ['arguments written as a string', 'kimi', repeated(`${kimi}"{\\"content\\": \\"`, 'x ')],
  ['openers', 'auto', repeated('', '<tool_call>')],
  ['openers of sections', 'kimi', repeated('', '<|tool_calls_section_begin|>')],
  ['openers of calls', 'kimi', repeated('', '<|tool_call_begin|>')],
  ['halves of openers', 'auto', repeated('', '<|tool_call')],
  ['angle brackets', 'auto', repeated('', '<')],
  ['nested braces as the answer', 'auto', repeated('', '{"a":')],
  ['nested braces in arguments', 'hermes', repeated(hermes, '{"a":')],
  ['white space', 'auto', repeated('', ' \n')],
  ['white space behind an opener', 'hermes', repeated('<tool_call>', ' \n')],
  ['white space in arguments', 'kimi', repeated(`${kimi}{"a": 1,`, ' \n')],
  ['a string that does not end', 'hermes', repeated(`${hermes}{"a":"`, 'x\\"')],
  ['broken arguments', 'kimi', repeated(`${kimi}{"a": x`, ' "b", ')],
  [
    'closing tags inside a value',
    'qwen',
    repeated('<tool_call><function=write_file><parameter=content>', '</parameter> x'),
  ],
  ['drafts in reasoning', 'hermes', repeated('<think>', draft)],
  ['drafts that do not end', 'hermes', repeated('<think>', `${hermes}{"a": "`)],
  ['code fences', 'qwen', repeated('', '```json\n{"name": "get_weather"\n```\n')],
  ['openers in inline code', 'qwen', repeated('a `', '<tool_call>{ ')],
  ['backticks', 'auto', repeated('', '```\n`')],
  // One of each further engine, and what holds it up the longest.
  ['a Python string', 'pythonic', repeated('[write_file(content="', 'if a < b: \\n')],
  ['nested Python lists', 'pythonic', repeated('[write_file(content=', '[1, ')],
  ['Python calls', 'pythonic', repeated('[', 'get_weather(city="Paris"), ')],
  ['a quoted value', 'gemma', repeated('<|tool_call>call:write_file{content:<|"|>', 'if a < b {, ')],
  ['bare values', 'gemma', repeated('<|tool_call>call:write_file{', 'a:1,b:true,')],
  ['nested elements', 'minimax', repeated(m3, ']<]minimax[>[<a>')],
  ['text in an element', 'minimax', repeated(`${m3}]<]minimax[>[<content>`, 'if a < b ] ')],
  ['keys and values', 'glm', repeated('<tool_call>write_file\n', glmPair)],
  [
    'a value in keys and values',
    'glm',
    repeated('<tool_call>write_file<arg_key>content</arg_key><arg_value>', '</arg_key> x'),
  ],
  ['messages', 'gpt-oss', repeated('', '<|channel|>analysis<|message|>hm<|end|><|start|>assistant')],
  ['headers without end', 'gpt-oss', repeated('', '<|channel|>commentary to=')],
  [
    'an array of calls',
    'mistral',
    repeated('[TOOL_CALLS][', '{"name": "get_weather", "arguments": {"city":"Paris"}}, '),
  ],
  ['names in prose', 'deepseek', repeated('', 'get_weather ')],
]

/** Does ten times the input cost ten times the time? */
export async function growth() {
  const head = ['', ...lengths.map(({ title }) => `${title}, ms`), '100 KB to 1 MB', '1 to 10 MB']
  for (const [title, size] of [
    ['chunks of 4096', 4096],
    ['all in one chunk', Number.POSITIVE_INFINITY],
  ]) {
    const rows = []
    for (const each of cases) rows.push(await row(each, size))
    printTable(`Growth, ${title}`, head, rows)
  }
}

async function row([title, format, make], size) {
  const times = []
  for (const { length, rounds } of lengths) {
    const text = make(length)
    const chunks = chunksOf(text, Math.min(size, text.length))
    const { time } = await sideBySide({ time: () => toSink(chunks, { format }) }, { rounds })
    times.push(time / 1e6)
  }
  const [first, second, third] = times
  return [
    `${title} (${format})`,
    ...times.map(short),
    `${short(second / first)} ×`,
    `${short(third / second)} ×`,
  ]
}

function repeated(before, piece) {
  return (length) => before + repeatTo(piece, length - before.length)
}

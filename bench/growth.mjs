import { chunksOf, prose, repeatTo, tools } from './inputs.mjs'
import { timeOnce } from './measure.mjs'
import { toSink } from './reading.mjs'
import { printTable, short } from './table.mjs'

const lengths = [100_000, 1_000_000, 10_000_000]
const rounds = [9, 5, 3]

const kimi = '<|tool_calls_section_begin|><|tool_call_begin|>functions.write_file:0<|tool_call_argument_begin|>'
const hermes = '<tool_call>\n{"name": "write_file", "arguments": '
const draft = '<tool_call>\n{"name": "get_weather", "arguments": {"city":"Paris"}}\n</tool_call> or '

/** Ten times the input must cost about ten times the time, whatever the input is. */
const cases = [
  ['prose', 'auto', (length) => prose(length)],
  ['arguments with one huge string', 'kimi', (length) => `${kimi}{"content":"${prose(length)}"}<|tool_call_end|>`],
  ['arguments full of escapes', 'hermes', repeated(`${hermes}{"content":"`, '\\n\\"x\\u00e9')],
  ['a value in tags', 'qwen', repeated('<tool_call>\n<function=write_file>\n<parameter=content>\n', 'if (a < b) {\n')],
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
  ['closing tags inside a value', 'qwen', repeated('<tool_call><function=write_file><parameter=content>', '</parameter> x')],
  ['drafts in reasoning', 'hermes', repeated('<think>', draft)],
  ['drafts that do not end', 'hermes', repeated('<think>', `${hermes}{"a": "`)],
  ['code fences', 'qwen', repeated('', '```json\n{"name": "get_weather"\n```\n')],
  ['backticks', 'auto', repeated('', '```\n`')],
]

export function growth() {
  for (const size of [4096, 16, Number.POSITIVE_INFINITY]) {
    const head = ['', '100 KB, ms', '1 MB, ms', '10 MB, ms', '1 MB / 100 KB', '10 MB / 1 MB']
    const title = size === Number.POSITIVE_INFINITY ? 'all in one chunk' : `chunks of ${size}`
    printTable(`Growth, ${title}`, head, cases.map((each) => row(each, size)))
  }
}

function row([title, format, make], size) {
  const times = lengths.map((length, at) => {
    const chunks = chunksOf(make(length), Math.min(size, length * 2))
    return timeOnce(() => toSink(chunks, { format, tools }), rounds[at])
  })
  const [first, second, third] = times
  return [`${title} (${format})`, ...times.map(short), short(second / first), short(third / second)]
}

function repeated(before, piece) {
  return (length) => before + repeatTo(piece, length - before.length)
}

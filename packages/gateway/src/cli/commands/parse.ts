import type { Command } from '../command.ts'
import { openInput, readText } from '../input.ts'
import { parseJsonLines } from '../json-lines.ts'
import { modelOptions, parsePieces, promptOptions, readParseSettings } from '../parse-settings.ts'

export const parse: Command = {
  name: 'parse',
  summary: 'Find the tool calls in a text that a model wrote.',
  operands: '[FILE|-]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Reads the text of one answer and prints what it means as JSON:',
    '{ content, reasoning, toolCalls, problems, repairs }.',
    '',
    'With --jsonl each line of the input is a request of its own,',
    '{ "id", "raw" or "chunks", "format", "model", "tools", "channel", "promptOpensReasoning",',
    '"promptTail", "finishReason" }, and is answered with one line that has the same id. The options',
    'hold where a line says nothing. A line that cannot be parsed is answered with',
    '{ "id", "line", "error" }; the exit code is then 1. A line may have up to 64 MiB.',
  ],
  options: {
    ...modelOptions,
    ...promptOptions,
    jsonl: { type: 'boolean', help: 'One request a line in, one answer a line out.' },
  },
  examples: [
    { command: 'parse --model kimi-k2 answer.txt', does: 'Parse what a Kimi model wrote.' },
    {
      command: 'parse --format qwen --tools tools.json -',
      does: 'Parse standard input, with the tools known.',
    },
    { command: 'parse --jsonl < requests.jsonl > answers.jsonl', does: 'Parse a whole data set.' },
  ],
  async run(given, io) {
    const settings = await readParseSettings(given, io)
    const [file] = given.operands
    if (given.flag('jsonl')) return parseJsonLines(file, settings, io)
    const text = await readText(await openInput(file, io))
    await io.stdout.line(JSON.stringify(parsePieces([text], settings), null, 2))
    return 0
  },
}

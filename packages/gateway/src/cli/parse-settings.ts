import {
  type Channel,
  type EndReason,
  type FormatId,
  type ParsedOutput,
  parseToolCalls,
  type ToolDefinition,
} from '@dragoman/core'
import type { CommandArguments } from './arguments.ts'
import { usageError } from '../terminal/cli-error.ts'
import type { Option } from './command.ts'
import type { Io } from '../terminal/io.ts'
import { readableFormat } from './shared-options.ts'
import { readToolsFile } from './tools-file.ts'

export const channels = ['content', 'reasoning'] as const satisfies readonly Channel[]

export const finishReasons = ['stop', 'length', 'tool_calls', 'error'] as const satisfies readonly EndReason[]

/** How a text is to be read. A setting that is undefined is unknown; the parser finds it out or assumes a default. */
export interface ParseSettings {
  readonly format: FormatId | 'auto' | undefined
  readonly model: string | undefined
  readonly tools: readonly ToolDefinition[] | undefined
  readonly channel: Channel | undefined
  readonly promptOpensReasoning: boolean | undefined
  readonly promptTail: string | undefined
  readonly finishReason: EndReason | undefined
}

/** The options about the writer of a text, for every command that reads one. */
export const modelOptions: Readonly<Record<string, Option>> = {
  format: {
    type: 'string',
    short: 'f',
    value: 'F',
    help: 'How the model writes calls (see dragoman formats). Default: what the text shows.',
  },
  model: { type: 'string', short: 'm', value: 'M', help: 'Name of the model, as a hint at its format.' },
  tools: { type: 'string', value: 'FILE', help: 'JSON file with the tool definitions of the request.' },
}

/** The options about the prompt that the model answered. */
export const promptOptions: Readonly<Record<string, Option>> = {
  channel: { type: 'string', oneOf: channels, help: 'The field that the text came in. Default: content.' },
  'prompt-opens-reasoning': { type: 'boolean', help: 'The prompt ended inside an open reasoning block.' },
  'no-prompt-opens-reasoning': { type: 'boolean', help: 'The prompt did not, whatever its tail looks like.' },
  'prompt-tail': { type: 'string', value: 'S', help: 'The last characters of the prompt.' },
  'finish-reason': { type: 'string', oneOf: finishReasons, help: 'Why the model stopped, if that is known.' },
}

export async function readParseSettings(given: CommandArguments, io: Io): Promise<ParseSettings> {
  const format = given.text('format')
  return {
    format: format === undefined ? undefined : readableFormat(format),
    model: given.text('model'),
    tools: await readToolsFile(given.text('tools'), io),
    channel: channels.find((channel) => channel === given.text('channel')),
    promptOpensReasoning: opensReasoning(given),
    promptTail: given.text('prompt-tail'),
    finishReason: finishReasons.find((reason) => reason === given.text('finish-reason')),
  }
}

function opensReasoning(given: CommandArguments): boolean | undefined {
  const opens = given.flag('prompt-opens-reasoning')
  const opensNot = given.flag('no-prompt-opens-reasoning')
  if (opens && opensNot) {
    throw usageError('--prompt-opens-reasoning and --no-prompt-opens-reasoning contradict each other')
  }
  return opens || opensNot ? opens : undefined
}

/** Parses the text of one answer, which is pushed piece by piece. */
export function parsePieces(pieces: readonly string[], settings: ParseSettings): ParsedOutput {
  const { format, model, tools, channel, promptOpensReasoning, promptTail, finishReason } = settings
  return parseToolCalls(pieces, {
    ...(format !== undefined && { format }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
    ...(channel !== undefined && { channel }),
    ...(promptOpensReasoning !== undefined && { promptOpensReasoning }),
    ...(promptTail !== undefined && { promptTail }),
    ...(finishReason !== undefined && { finishReason }),
  })
}

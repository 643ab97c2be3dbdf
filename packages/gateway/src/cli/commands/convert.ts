import { createChatStreamRewriter } from '@dragoman/core'
import type { CommandArguments } from '../arguments.ts'
import { usageError } from '../cli-error.ts'
import type { Command } from '../command.ts'
import { didYouMean } from '../did-you-mean.ts'
import { openInput } from '../input.ts'
import { modelOptions, readParseSettings } from '../parse-settings.ts'

const dialects = ['openai-chat', 'anthropic-messages'] as const
type Dialect = (typeof dialects)[number]

export const convert: Command = {
  name: 'convert',
  summary: 'Rewrite a recorded answer stream with structured tool calls.',
  operands: '[FILE.sse|-]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Reads the event stream of an upstream as it comes and writes the stream that a client gets.',
    'What need not change is passed on byte for byte. The ids of calls are counted, so that the same',
    'input always gives the same output. Warnings go to standard error.',
  ],
  options: {
    from: { type: 'string', value: 'DIALECT', help: 'What the stream is. Default: openai-chat.' },
    to: { type: 'string', value: 'DIALECT', help: 'What it is to become. Default: openai-chat.' },
    ...modelOptions,
  },
  examples: [
    { command: 'convert --format kimi answer.sse', does: 'Make the calls in a recorded stream structured.' },
    {
      command: 'convert --from openai-chat --to openai-chat --model qwen3-coder -',
      does: 'The same on standard input, while it comes.',
    },
  ],
  async run(given, io) {
    checkDialects(dialectIn(given, 'from'), dialectIn(given, 'to'))
    const { format, model, tools } = await readParseSettings(given, io)
    const warnings: string[] = []
    let ids = 0
    const rewriter = createChatStreamRewriter({
      ...(format !== undefined && { format }),
      ...(model !== undefined && { model }),
      ...(tools !== undefined && { tools }),
      newId: () => String(ids++).padStart(4, '0'),
      onWarning: (message) => warnings.push(message),
      onRecord: ({ type, code, message }, choice) => {
        warnings.push(`choice ${choice}: ${type} ${code}: ${message}`)
      },
    })
    const send = async (output: readonly string[]): Promise<void> => {
      const said = warnings
        .splice(0)
        .map((warning) => `${io.stderr.style('yellow', 'warning:')} ${warning}\n`)
      if (said.length > 0) await io.stderr.write(said.join(''))
      if (output.length > 0) await io.stdout.write(output.join(''))
    }
    const input = await openInput(given.operands[0], io)
    for await (const chunk of input.chunks) await send(rewriter.push(chunk))
    await send(rewriter.end())
    return 0
  },
}

function dialectIn(given: CommandArguments, option: 'from' | 'to'): Dialect {
  const name = given.text(option) ?? 'openai-chat'
  const dialect = dialects.find((known) => known === name)
  if (dialect !== undefined) return dialect
  const meant = didYouMean(name, dialects)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw usageError(`--${option}: unknown dialect "${name}".${question}`, `Known: ${dialects.join(', ')}`)
}

function checkDialects(from: Dialect, to: Dialect): void {
  const missing = from === 'openai-chat' ? to : from
  if (missing === 'openai-chat') return
  throw usageError(
    `${missing} cannot be converted yet: it comes with the gateway`,
    'For now: --from openai-chat --to openai-chat',
  )
}

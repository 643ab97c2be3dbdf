import { defaultDialect, dialectIds, dialects, type ParserOptions, shortToolNames } from '@dragoman/core'
import type { RecordedExchange, RecordedUpstream } from '../../recorder/recording.ts'
import { expectedCalls } from '../../exchange/expected-calls.ts'
import { failure } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { dialectIn } from '../shared-options.ts'
import { openInput } from '../input.ts'
import { modelOptions, type ParseSettings, readParseSettings } from '../parse-settings.ts'
import { openRecorded } from '../recorded-input.ts'

export const convert: Command = {
  name: 'convert',
  summary: 'Rewrite a recorded answer stream with structured tool calls.',
  operands: '[FILE.sse|RECORDING.json|-]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Reads the event stream of an upstream as it comes and writes the stream that a client gets, in the',
    'same dialect or in another. In the same one, what need not change is passed on byte for byte. The ids',
    'of calls are counted, so that the same input always gives the same output. Of a recording, the stream',
    'of the upstream is read, with the model, the format and the tools it was recorded with. Warnings go to',
    'standard error.',
  ],
  options: {
    from: {
      type: 'string',
      value: 'DIALECT',
      help: `What the stream is: ${dialectIds.join(' or ')}. Default: ${defaultDialect}.`,
    },
    to: { type: 'string', value: 'DIALECT', help: `What it is to become. Default: ${defaultDialect}.` },
    ...modelOptions,
  },
  examples: [
    { command: 'convert --format kimi answer.sse', does: 'Make the calls in a recorded stream structured.' },
    {
      command: 'convert --to anthropic-messages --model qwen3-coder -',
      does: 'From standard input, while it comes, as an Anthropic client gets it.',
    },
  ],
  async run(given, io) {
    const from = dialectIn(given, 'from')
    const to = dialectIn(given, 'to') ?? defaultDialect
    const settings = await readParseSettings(given, io)
    const input = await openInput(given.operands[0], io)
    const opened = await openRecorded(input)
    const recorded =
      opened.is === 'recording' ? await recordedStream(opened.recording, input.name) : undefined
    const { createStreamTranslator } = await import('../stream-translator.ts')
    const warnings: string[] = []
    const translator = createStreamTranslator({
      from: from ?? recorded?.upstream.dialect ?? defaultDialect,
      to,
      parser: { ...recorded?.parser, ...parserOptions(settings) },
      warn: (message) => warnings.push(message),
    })
    const send = async (output: string): Promise<void> => {
      const said = warnings
        .splice(0)
        .map((warning) => `${io.stderr.style('yellow', 'warning:')} ${warning}\n`)
      if (said.length > 0) await io.stderr.write(said.join(''))
      if (output !== '') await io.stdout.write(output)
    }
    if (recorded !== undefined) await send(translator.push(Buffer.from(recorded.upstream.response)))
    else if (opened.is === 'stream')
      for await (const chunk of opened.chunks) await send(translator.push(chunk))
    await send(translator.end())
    return 0
  },
}

function parserOptions({ format, model, tools }: ParseSettings): ParserOptions {
  return {
    ...(format !== undefined && { format }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
  }
}

async function recordedStream(
  recording: RecordedExchange,
  name: string,
): Promise<{ readonly upstream: RecordedUpstream; readonly parser: ParserOptions }> {
  const { upstream } = recording
  if (upstream === null || !upstream.contentType.toLowerCase().includes('text/event-stream')) {
    throw failure(`${name} holds no stream of an upstream. For whole answers there is dragoman replay.`)
  }
  const { requestIn } = await import('../../recorder/replay.ts')
  const request = requestIn(recording)
  const names = shortToolNames(request.tools, dialects[upstream.dialect].request.longestToolName)
  return { upstream, parser: { ...upstream.reading, ...expectedCalls(request, names) } }
}

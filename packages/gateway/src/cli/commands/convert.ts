import {
  defaultDialect,
  type DialectId,
  dialectIds,
  dialects,
  type ParserOptions,
  shortToolNames,
} from '@dragoman/core'
import { isAskedByAddress, type RecordedExchange } from '../../recorder/recording.ts'
import { parsedCalls } from '../../exchange/expected-calls.ts'
import { failure } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { dialectIn } from '../shared-options.ts'
import type { Io } from '../../terminal/io.ts'
import type { AnswerInput } from '../answer-input.ts'
import type { FoundRequest } from '../convert-request.ts'
import { openInput } from '../input.ts'
import { modelOptions, type ParseSettings, readParseSettings } from '../parse-settings.ts'

export const convert: Command = {
  name: 'convert',
  summary: 'Rewrite an answer with structured tool calls, or a request, in any dialect.',
  operands: '[FILE.sse|ANSWER.json|REQUEST.json|RECORDING.json|-]',
  operandCount: { min: 0, max: 1 },
  description: [
    'Reads the event stream of an upstream as it comes and writes the stream that a client gets, in the',
    'same dialect or in another. In the same one, what need not change is passed on byte for byte. The ids',
    'of calls are counted, so that the same input always gives the same output. A whole answer, which is',
    'JSON, becomes a whole one. The body of a request becomes the one that an upstream of the other dialect',
    'is sent. Of a recording, the stream of the upstream is read, with the model, the format and the tools it',
    'was recorded with. Warnings go to standard error.',
  ],
  options: {
    from: {
      type: 'string',
      value: 'DIALECT',
      help: `What the input is: ${dialectIds.join(', ')}. Default: what it shows.`,
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
    { command: 'convert --to gemini request.json', does: 'A request, as Gemini is sent it.' },
  ],
  async run(given, io) {
    const from = dialectIn(given, 'from')
    const to = dialectIn(given, 'to') ?? defaultDialect
    const settings = await readParseSettings(given, io)
    const input = await openInput(given.operands[0], io)
    const { openAnswer } = await import('../answer-input.ts')
    const opened = await openAnswer(input, { from, model: settings.model })
    if (opened.is === 'request') return convertRequest(opened.found, to, settings, io)
    const answer = await converted(opened, input.name)
    const { createAnswerTranslator } = await import('../answer-translator.ts')
    const warnings: string[] = []
    const translator = createAnswerTranslator({
      from: from ?? answer.dialect ?? defaultDialect,
      to,
      delivered: answer.delivered,
      model: answer.model,
      parser: { ...answer.parser, ...parserOptions(settings) },
      warn: (message) => warnings.push(message),
    })
    const send = async (output: string): Promise<void> => {
      const said = warnings
        .splice(0)
        .map((warning) => `${io.stderr.style('yellow', 'warning:')} ${warning}\n`)
      if (said.length > 0) await io.stderr.write(said.join(''))
      if (output !== '') await io.stdout.write(output)
    }
    for await (const chunk of answer.chunks) await send(translator.push(chunk))
    const last = translator.end()
    await send(answer.delivered === 'whole' ? `${last}\n` : last)
    return 0
  },
}

/** An answer, and how it is to be read as far as the input tells. */
interface Converted {
  readonly delivered: 'stream' | 'whole'
  readonly chunks: AsyncIterable<Buffer> | Iterable<Buffer>
  readonly dialect: DialectId | null
  readonly model: string | null
  readonly parser: ParserOptions
}

async function convertRequest(
  found: FoundRequest,
  to: DialectId,
  { model, format }: ParseSettings,
  { stdout, stderr }: Io,
): Promise<number> {
  const { writeRequest } = await import('../convert-request.ts')
  const { body, path, notes } = writeRequest(found, to, {
    model,
    format: format === 'auto' ? undefined : format,
  })
  const said = notes.map(
    ({ kind, field, reason }) => `${stderr.style('yellow', 'warning:')} ${kind} ${field}: ${reason}\n`,
  )
  const isAddressed = isAskedByAddress(to)
  await stderr.write(said.join('') + (isAddressed ? `The model stands in the address: ${path}\n` : ''))
  await stdout.line(body)
  return 0
}

async function converted(answer: Exclude<AnswerInput, { is: 'request' }>, name: string): Promise<Converted> {
  if (answer.is === 'recording') return recordedStream(answer.recording, name)
  const { dialect, model } = answer
  const chunks = answer.is === 'stream' ? answer.chunks : [Buffer.from(answer.body)]
  return { delivered: answer.is, chunks, dialect, model, parser: {} }
}

function parserOptions({ format, model, tools }: ParseSettings): ParserOptions {
  return {
    ...(format !== undefined && { format }),
    ...(model !== undefined && { model }),
    ...(tools !== undefined && { tools }),
  }
}

async function recordedStream(recording: RecordedExchange, name: string): Promise<Converted> {
  const { upstream } = recording
  if (upstream === null || !upstream.contentType.toLowerCase().includes('text/event-stream')) {
    throw failure(`${name} holds no stream of an upstream. For whole answers there is dragoman replay.`)
  }
  const { requestIn } = await import('../../recorder/replay.ts')
  const request = requestIn(recording)
  const names = shortToolNames(request.tools, dialects[upstream.dialect].request.longestToolName)
  return {
    delivered: 'stream',
    chunks: [Buffer.from(upstream.response)],
    dialect: upstream.dialect,
    model: upstream.model,
    parser: { ...upstream.reading, ...parsedCalls(request, names) },
  }
}

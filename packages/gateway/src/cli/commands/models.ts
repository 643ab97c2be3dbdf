import { dialectIds, dialects, type ModelEntry } from '@dragoman/core'
import { printable } from '../../base/printable.ts'
import type { GatewayConfig } from '../../config/config.ts'
import { CliError } from '../../terminal/cli-error.ts'
import type { Io } from '../../terminal/io.ts'
import { startSimulator } from '../built-in-simulator.ts'
import type { Command } from '../command.ts'
import { configOptions, readConfigFlags } from '../config-options.ts'
import { readConfig } from '../read-config.ts'
import { dialectIn } from '../shared-options.ts'

const { config, upstream, 'upstream-key-env': upstreamKeyEnv, model } = configOptions

export const models: Command = {
  name: 'models',
  summary: 'List the models that a gateway with this configuration answers for.',
  operands: '',
  operandCount: { min: 0, max: 0 },
  description: [
    'Asks the upstreams, and prints the names that clients can ask for, with the window and the',
    'longest answer of each in tokens, as far as anybody tells.',
    '',
    'With --as it prints the list that clients of a dialect get from GET /v1/models. Codex reads',
    'that of openai-responses from a file too: model_catalog_json in its config.toml.',
  ],
  options: {
    config,
    upstream,
    'upstream-key-env': upstreamKeyEnv,
    model,
    as: { type: 'string', value: 'DIALECT', help: `Print the JSON of ${dialectIds.join(' or ')}.` },
  },
  examples: [
    { command: 'models', does: 'Which names can be asked for here.' },
    {
      command: 'models --upstream http://127.0.0.1:8000/v1 --as openai-responses',
      does: 'The catalogue for Codex, to be kept in a file.',
    },
  ],
  async run(given, io) {
    const dialect = dialectIn(given, 'as')
    const { loaded } = await readConfig(readConfigFlags(given), io, 'shown')
    const listed = await listedBy(loaded.config, io)
    if (listed.length === 0) {
      throw new CliError(1, 'no model is known: the upstream lists none.', 'Name one with --model.')
    }
    await io.stdout.write(
      dialect === undefined
        ? tableOf(listed)
        : `${JSON.stringify(dialects[dialect].http.models.list(listed), null, 2)}\n`,
    )
    return 0
  },
}

async function listedBy(gateway: GatewayConfig, io: Io): Promise<readonly ModelEntry[]> {
  const [{ Upstreams }, { settledModels }] = await Promise.all([
    import('../../upstream/upstreams.ts'),
    import('../../server/models.ts'),
  ])
  const upstreams = new Upstreams({ now: io.now, proxies: gateway.proxies, startSimulator })
  try {
    return await settledModels(gateway, upstreams)
  } finally {
    await upstreams.close()
  }
}

function tableOf(listed: readonly ModelEntry[]): string {
  const rows = listed.map(({ id, window, maxOutput }) => [printable(id), tokens(window), tokens(maxOutput)])
  const all = [['model', 'window', 'answer'], ...rows]
  const widths = [0, 1, 2].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)))
  return all
    .map(
      ([id = '', window = '', answer = '']) =>
        `${id.padEnd(widths[0] ?? 0)}  ${window.padStart(widths[1] ?? 0)}  ${answer.padStart(widths[2] ?? 0)}`,
    )
    .map((line) => `${line.trimEnd()}\n`)
    .join('')
}

function tokens(count: number | undefined): string {
  return count === undefined ? '' : count.toLocaleString('en')
}

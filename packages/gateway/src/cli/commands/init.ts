import { createHash, randomBytes } from 'node:crypto'
import { defaultDialect, type DialectId, dialectIds, dialects } from '@dragoman/core'
import { isOpenRouter, upstreamBase, upstreamUrlFault, withVersionPath } from '../../config/upstream-url.ts'
import { usageError } from '../../terminal/cli-error.ts'
import type { Command } from '../command.ts'
import { dialectIn } from '../shared-options.ts'
import { starterConfig } from '../starter-config.ts'
import { teamConfig } from '../team-config.ts'
import { writePrivately } from '../write-privately.ts'

export const init: Command = {
  name: 'init',
  summary: 'Write a configuration to start from.',
  operands: '[FILE]',
  operandCount: { min: 0, max: 1 },
  description: ['Writes ./dragoman.yaml, or FILE, with comments. It asks nothing.'],
  options: {
    upstream: { type: 'string', short: 'u', value: 'URL', help: 'The server that runs the models.' },
    dialect: {
      type: 'string',
      value: 'DIALECT',
      help: `What it speaks: ${dialectIds.join(', ')}. Default: ${defaultDialect}.`,
    },
    'api-key-env': { type: 'string', value: 'NAME', help: 'The environment variable that holds its key.' },
    team: { type: 'boolean', help: 'For a team: a pool of servers, a fallback, keys with limits, Redis.' },
    force: { type: 'boolean', help: 'Replace a file that is there already.' },
  },
  examples: [
    { command: 'init', does: 'A configuration for OpenRouter.' },
    { command: 'init --upstream http://127.0.0.1:8000/v1', does: 'One for your own vLLM or llama.cpp.' },
    {
      command:
        'init -u https://generativelanguage.googleapis.com --dialect gemini --api-key-env GEMINI_API_KEY',
      does: 'One for Google.',
    },
    { command: 'init --team', does: 'A complete example for several servers and several people.' },
  ],
  async run(given, { stdout }) {
    const path = given.operands[0] ?? 'dragoman.yaml'
    const wrote = `Wrote ${path}. Check it with: npx dragoman check${path === 'dragoman.yaml' ? '' : ` --config ${path}`}`
    if (given.flag('team')) {
      for (const option of ['upstream', 'dialect', 'api-key-env']) {
        if (given.text(option) !== undefined) throw usageError(`--team takes no --${option}`, hint)
      }
      const key = randomBytes(24).toString('hex')
      const sha256 = createHash('sha256').update(key).digest('hex')
      await writePrivately(path, teamConfig({ sha256 }), given.flag('force'))
      await stdout.line(wrote)
      await stdout.line(`The key of alice, which is shown only here: ${key}`)
      return 0
    }
    const dialect = dialectIn(given, 'dialect')
    const upstream = readUpstream(given.text('upstream'), dialect ?? defaultDialect)
    if (upstream === undefined && dialect !== undefined) throw usageError('--dialect needs --upstream', hint)
    const keyVariable = readKeyVariable(given.text('api-key-env'), upstream)
    const text = starterConfig({ upstream, dialect: dialect ?? defaultDialect, keyVariable })
    await writePrivately(path, text, given.flag('force'))
    await stdout.line(wrote)
    return 0
  },
}

function readUpstream(url: string | undefined, dialect: DialectId): string | undefined {
  const fault = url === undefined ? undefined : upstreamUrlFault(url)
  if (fault !== undefined) throw usageError(`--upstream ${fault}`, hint)
  if (url === undefined) return undefined
  return dialects[dialect].http.modelsPath === undefined ? withVersionPath(url) : upstreamBase(url, dialect)
}

function readKeyVariable(name: string | undefined, upstream: string | undefined): string | undefined {
  if (name === undefined) {
    return upstream !== undefined && isOpenRouter(upstream) ? 'OPENROUTER_API_KEY' : undefined
  }
  if (upstream === undefined) throw usageError('--api-key-env needs --upstream', hint)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
    throw usageError('--api-key-env needs the name of a variable, not the key itself', hint)
  }
  if (name === 'OPENROUTER_API_KEY' && !isOpenRouter(upstream)) {
    throw usageError('OPENROUTER_API_KEY is only sent to https://openrouter.ai; use another variable', hint)
  }
  return name
}

const hint = 'See dragoman init --help'

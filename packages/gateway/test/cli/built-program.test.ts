import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../src/cli/command-table.ts'
import { json, startUpstream, stopUpstreams } from '../server/scripted-upstream.ts'
import { dragoman as answerHere } from './in-process.ts'
import { dragoman as answerOfProgram, sample } from './run-cli.ts'

let folder = ''
let upstream = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dragoman-test-'))
  const models = { object: 'list', data: [{ id: 'kimi-k2', max_model_len: 65_536 }] }
  upstream = (await startUpstream((response) => json(response, 200, models))).url
})
afterAll(async () => {
  stopUpstreams()
  await rm(folder, { recursive: true })
})

/** At least one for each command that ends by itself: each loads files of its own. */
const commandLines = [
  '--help',
  '--version',
  'prase',
  '--port abc',
  'serve --config /nowhere.yaml',
  'run --list',
  'parse --tools TOOLS TEXT',
  'parse /nowhere.txt',
  'convert --to anthropic-messages STREAM',
  'replay STREAM',
  'inspect STREAM',
  'detect kimi-k2',
  'formats --json',
  'models --upstream UPSTREAM',
  'doctor --upstream http://127.0.0.1:9/v1',
  'usage --port 9',
  'simulate --port abc',
  'chat --upstream nowhere -p Hello',
  'check --upstream UPSTREAM',
  'init --force NEW',
  'completion bash',
]

describe('the built program', () => {
  it.each(commandLines)('answers as its sources do: dragoman %s', async (line) => {
    const places = new Map([
      ['UPSTREAM', upstream],
      ['NEW', join(folder, 'new.yaml')],
      ['TOOLS', sample('tools.json')],
      ['TEXT', sample('kimi.txt')],
      ['STREAM', sample('kimi.sse')],
    ])
    const args = line.split(' ').map((word) => places.get(word) ?? word)
    const env = { HOME: folder, XDG_CONFIG_HOME: folder, XDG_STATE_HOME: folder }
    expect(await answerOfProgram(args, { env })).toEqual(await answerHere(args, { env }))
  })

  it('is asked for every command', () => {
    const asked = new Set(commandLines.map((line) => line.split(' ')[0]))
    expect(commands.map(({ name }) => name).filter((name) => !asked.has(name))).toEqual([])
  })
})

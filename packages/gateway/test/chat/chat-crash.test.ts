import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { until } from '../server/scripted-upstream.ts'
import { ChatPlace, type RunningChat } from './run-chat.ts'
import { removeFolders } from './temporary-folder.ts'

let place: ChatPlace

beforeEach(async () => {
  place = await ChatPlace.make()
  await writeFile(join(place.folder, 'notes.txt'), 'the secret word is Mellon\n')
})

afterAll(removeFolders)

describe('a chat that is killed', () => {
  it('has stored all that was finished, each time, and goes on with another model', async () => {
    await place.run(['--model', 'standard+strict+whole', '-p', 'read_file notes.txt'])
    let before = await storedLines()
    const kills = [
      ['kimi-k2+strict', 1],
      ['qwen3-coder+strict+whole', 4],
      ['deepseek-r1+strict+whole', 9],
    ] as const
    for (const [model, answers] of kills) {
      const chat = place.start(['--json', '--resume', '--model', model])
      chat.type(...Array.from({ length: 200 }, () => 'read_file notes.txt'))
      await until(() => eventsOf(chat, 'finish') >= answers, 20_000)
      await kill(chat)
      const lines = await storedLines()
      expect(lines.slice(0, before.length)).toEqual(before)
      const speakers = lines.slice(before.length).map(speakerOf)
      expect(speakers.filter((speaker) => speaker === 'ai').length).toBeGreaterThanOrEqual(
        eventsOf(chat, 'finish'),
      )
      // The last result may be the line that was being written.
      expect(speakers.filter((speaker) => speaker === 'tool').length).toBeGreaterThanOrEqual(
        eventsOf(chat, 'tool-end') - 1,
      )
      expect(eventsOf(chat, 'error')).toBe(0)
      before = lines
    }
    await expectToGoOn('gpt-4o+strict+whole')
  }, 60_000)

  it('while a tool runs, goes on with another model, though the call has no result', async () => {
    const chat = place.start(['--yes-run', '--model', 'kimi-k2+whole', '-p', 'run_command "sleep 1"'])
    await until(() => chat.stderr.includes('Run sleep 1'), 20_000)
    await kill(chat)
    expect((await storedLines()).map(speakerOf)).toEqual([undefined, 'human', 'ai'])
    await expectToGoOn('qwen3-coder+strict+whole')
  }, 60_000)
})

async function kill(chat: RunningChat): Promise<void> {
  chat.child.kill('SIGKILL')
  await chat.end()
  expect(chat.child.signalCode).toBe('SIGKILL')
}

/** The whole lines of the one conversation. */
async function storedLines(): Promise<string[]> {
  const stored = await place.stored()
  expect(stored).toHaveLength(1)
  return (stored[0]?.text ?? '').split('\n').slice(0, -1)
}

function speakerOf(line: string): unknown {
  const { speaker }: { speaker?: unknown } = Object(JSON.parse(line))
  return speaker
}

function eventsOf(chat: RunningChat, type: string): number {
  return chat.stdout.split(`{"type":"${type}"`).length - 1
}

/** A strict simulator refuses a history that its model's server would refuse. */
async function expectToGoOn(model: string): Promise<void> {
  const { code, stdout } = await place.run(['--resume', '--model', model, '-p', 'read_file notes.txt'])
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining('read_file answered: the secret word is Mellon'),
  ])
}

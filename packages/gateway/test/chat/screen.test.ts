import { describe, expect, it } from 'vitest'
import type { ChatEvent } from '../../src/chat/chat-event.ts'
import { Screen, type ScreenOutput } from '../../src/chat/view/screen.ts'

interface Shown {
  readonly screen: Screen
  readonly stdout: () => string
  readonly stderr: () => string
}

function output(isTerminal: boolean): ScreenOutput & { text: string } {
  return {
    text: '',
    isTerminal,
    async write(text) {
      this.text += text
    },
    style: (style, text) => (text === '' || !isTerminal ? text : `<${String(style)}>${text}</>`),
  }
}

function start(isTerminal: boolean): Shown {
  const stdout = output(isTerminal)
  const stderr = output(false)
  const screen = new Screen({ stdout, stderr, canErase: true, onBroken: () => {} })
  return { screen, stdout: () => stdout.text, stderr: () => stderr.text }
}

function show(screen: Screen, ...events: readonly ChatEvent[]): void {
  for (const event of events) screen.show(event)
}

const usage = { inputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0, outputTokens: 1, reasoningTokens: 0 }
const answer: readonly ChatEvent[] = [
  { type: 'start', model: 'kimi-k2', upstream: 'lab', format: 'kimi' },
  { type: 'reasoning', text: 'Hm' },
  { type: 'reasoning', text: ', well.\n' },
  { type: 'text', text: '\n\nI read it.' },
  { type: 'text', text: '\n\n' },
  { type: 'call-start', index: 0, id: 'hist_tool_1', name: 'read_file' },
  { type: 'call-delta', index: 0, json: '{"path":' },
  { type: 'call-delta', index: 0, json: '"a"}' },
  { type: 'call-end', index: 0, complete: true },
  { type: 'usage', usage },
  { type: 'finish', reason: 'tool-calls' },
  { type: 'tool-start', id: 'hist_tool_1', name: 'read_file' },
  { type: 'tool-end', id: 'hist_tool_1', name: 'read_file', result: 'one\ntwo', isError: false },
  { type: 'text', text: 'Done.' },
  { type: 'finish', reason: 'stop' },
]

describe('an answer on a terminal', () => {
  it('appears as it comes, with reasoning dimmed and each part on lines of its own', () => {
    const { screen, stdout, stderr } = start(true)
    show(screen, ...answer)
    expect(stdout()).toBe(
      [
        '<dim>Hm</><dim>, well.</>',
        'I read it.',
        '<cyan>→ read_file</> <dim>{"path":</><dim>"a"}</>',
        '  <green>✓</> <dim>read_file: one</>',
        '    <dim>two</>',
        'Done.',
        '',
      ].join('\n'),
    )
    expect(stderr()).toBe('')
  })

  it('keeps empty lines inside a text', () => {
    const { screen, stdout } = start(true)
    show(
      screen,
      { type: 'text', text: 'one\n' },
      { type: 'text', text: '\n  two' },
      { type: 'finish', reason: 'stop' },
    )
    expect(stdout()).toBe('one\n\n  two\n')
  })

  it('a long call does not fill the screen', () => {
    const { screen, stdout } = start(true)
    show(
      screen,
      { type: 'call-start', index: 0, id: 'x', name: 'write_file' },
      ...Array.from({ length: 50 }, (): ChatEvent => ({
        type: 'call-delta',
        index: 0,
        json: 'x'.repeat(100),
      })),
      { type: 'call-end', index: 0, complete: true },
    )
    expect(stdout().length).toBeLessThan(600)
    expect(stdout()).toContain('(5000 characters)')
  })

  it('a long result shows its beginning', () => {
    const { screen, stdout } = start(true)
    const result = Array.from({ length: 100 }, (_, at) => `line ${at + 1}`).join('\n')
    show(screen, { type: 'tool-end', id: 'x', name: 'read_file', result, isError: true })
    expect(stdout()).toContain('line 6')
    expect(stdout()).not.toContain('line 7')
    expect(stdout()).toContain('… 94 more lines')
  })

  it('nothing that is written by others reaches the terminal raw', () => {
    const { screen, stdout } = start(true)
    const evil = '\u001b]52;c;aGk=\u0007'
    show(
      screen,
      { type: 'reasoning', text: evil },
      { type: 'text', text: evil },
      { type: 'call-start', index: 0, id: 'x', name: evil },
      { type: 'call-delta', index: 0, json: evil },
      { type: 'call-end', index: 0, complete: true },
      { type: 'problem', code: 'stray-text', message: evil, source: evil },
      { type: 'tool-end', id: 'x', name: evil, result: evil, isError: false },
      { type: 'error', code: evil, message: evil },
      { type: 'note', message: evil },
    )
    expect(stdout()).not.toMatch(/[^\P{Cc}\n\t]/u)
    expect(stdout().match(/␛\]52/g)).toHaveLength(10)
  })

  it('says how it ended where that is not well', () => {
    const { screen, stdout } = start(true)
    show(screen, { type: 'text', text: 'Hel' }, { type: 'stopped' })
    show(screen, { type: 'text', text: 'Hel' }, { type: 'finish', reason: 'length' })
    show(screen, { type: 'error', code: 'upstream_500', message: 'It broke.' })
    expect(stdout()).toContain('Hel\n<yellow>[stopped]</>\n')
    expect(stdout()).toContain('too long')
    expect(stdout()).toContain('<red>error: It broke. (upstream_500)</>')
  })
})

describe('an answer that is not read on a terminal', () => {
  it('standard output gets the text alone, standard error the rest, and nothing is coloured', () => {
    const { screen, stdout, stderr } = start(false)
    show(screen, ...answer)
    screen.print('of a command')
    expect(stdout()).toBe('I read it.\nDone.\nof a command\n')
    expect(stderr()).toBe('Hm, well.\n→ read_file {"path":"a"}\n  ✓ read_file: one\n    two\n')
  })

  it('a reader that has left stops the answer, and is told of at its end', async () => {
    const gone: ScreenOutput = {
      isTerminal: false,
      write: () => Promise.reject(new Error('gone')),
      style: (_style, text) => text,
    }
    let broken = 0
    const screen = new Screen({ stdout: gone, stderr: gone, canErase: true, onBroken: () => broken++ })
    show(screen, { type: 'text', text: 'Hello' }, { type: 'text', text: ' there' })
    await Promise.resolve()
    await expect(screen.flush()).rejects.toThrow('gone')
    expect(broken).toBe(1)
  })
})

import { type DialectId, dialectIds } from '@dragoman/core'
import { afterEach, describe, expect, it } from 'vitest'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { ask } from '../server/ask.ts'
import { startGateway, stopGateways } from '../server/running-gateway.ts'
import { type Examined, examined, withServer } from './examined.ts'

afterEach(stopGateways)

function examine(settings: SimulatorSettings, model = 'qwen3'): Promise<Examined> {
  return withServer(settings, (upstream) => examined({ upstream, model }))
}

describe('a server that is known', () => {
  it.each([
    ['vllm-0.21', 'vLLM 0.21'],
    ['sglang', 'SGLang'],
    ['llama.cpp', 'llama.cpp'],
    ['ollama', 'Ollama'],
    ['lm-studio', 'LM Studio'],
  ])('is told: %s', async (server, title) => {
    const { finding, works, remedy } = await examine({ server, window: 65_536 })
    expect(finding('kind').seen).toContain(title)
    expect(finding('window')).toMatchObject({ status: 'ok', seen: '65536 tokens' })
    expect({ works, remedy }).toEqual({ works: true, remedy: { upstream: {}, model: {} } })
  })

  it('that hides its window tells it when it is asked for too much', async () => {
    const { finding, remedy } = await examine({ server: 'tensorrt-llm', window: 65_536 })
    expect(finding('window').seen).toBe('65536 tokens, by what the server refuses')
    expect(remedy).toEqual({ upstream: {}, model: { window: 65_536 } })
  })

  it('with a window too small for agents gets a warning', async () => {
    const { finding } = await examine({ server: 'ollama', window: 4096 })
    expect(finding('window')).toMatchObject({ status: 'warn' })
    expect(finding('window').seen).toMatch(/^4096 tokens, and the model was made for \d+$/)
  })

  it('that does not know the model is asked for names that are near', async () => {
    const { finding } = await examine({ server: 'vllm-0.21' }, 'qwen-3')
    expect(finding('model')).toMatchObject({ status: 'warn', advice: 'It has qwen3: check the name.' })
  })

  it('that obeys no choice is no trouble where the gateway knows another way', async () => {
    const { finding } = await examine({ server: 'ollama' })
    expect(finding('forced-call')).toMatchObject({ status: 'ok' })
    expect(finding('forced-call').seen).toContain('the gateway asks for it in another way')
  })

  it('whose model does not think is not asked to', async () => {
    const { finding } = await examine({ server: 'ollama', abilities: ['tools'] })
    expect(finding('effort')).toMatchObject({ status: 'skipped' })
  })
})

interface Unread {
  readonly server: string
  readonly parser: 'none' | 'broken' | 'broken-mute'
  readonly status: string
  readonly seen: string
  readonly remedy: object
}

const ours = (kind: string): object => ({ upstream: { kind, parse: 'ours' }, model: {} })
const inPrompt = { upstream: {}, model: { tools: 'prompt', format: 'hermes' } }
const nothing = { upstream: {}, model: {} }

/** Servers that cannot read the calls of their model, and what is prescribed for each. */
const unread: readonly Unread[] = [
  {
    server: 'vllm-0.21',
    parser: 'none',
    status: 'warn',
    seen: 'refuses tools: "auto"',
    remedy: ours('vllm'),
  },
  { server: 'vllm-0.21', parser: 'broken', status: 'warn', seen: 'incomplete', remedy: ours('vllm') },
  // It swallows what its parser finds, so that only a server without a parser can be made to leave the text.
  { server: 'vllm-0.27', parser: 'none', status: 'warn', seen: 'refuses tools: "auto"', remedy: nothing },
  { server: 'vllm-0.27', parser: 'broken', status: 'warn', seen: 'incomplete', remedy: inPrompt },
  { server: 'sglang', parser: 'none', status: 'ok', seen: 'in the format qwen', remedy: nothing },
  { server: 'llama.cpp', parser: 'none', status: 'warn', seen: 'requires --jinja', remedy: inPrompt },
  { server: 'llama.cpp', parser: 'broken-mute', status: 'warn', seen: 'broken', remedy: ours('llama.cpp') },
  { server: 'ollama', parser: 'broken', status: 'note', seen: 'in the error of the server', remedy: nothing },
  { server: 'ollama', parser: 'broken-mute', status: 'warn', seen: 'XML syntax error', remedy: inPrompt },
]

describe('a server that does not read the calls of its model', () => {
  for (const { server, parser, status, seen, remedy } of unread) {
    it(`${server} with the parser ${parser} is understood, and a call works with the lines`, async () => {
      await withServer({ server, parser }, async (upstream) => {
        const found = await examined({ upstream, model: 'qwen3' })
        expect(found.finding('call-streamed')).toMatchObject({ status })
        expect(found.finding('call-streamed').seen).toContain(seen)
        expect({ works: found.works, remedy: found.remedy }).toEqual({ works: true, remedy })

        const { address } = await startGateway({ upstream, settings: { ...found.config } })
        // What the server is is found out in the background, from the first request on.
        const call = async (): Promise<unknown> => (await ask(address, 'anthropic')).finish
        await expect.poll(call, { timeout: 5000 }).toBe('tool_use')
      })
    })
  }

  it('is advised by the flags of that server', async () => {
    const { finding } = await examine({ server: 'vllm-0.21', parser: 'none' })
    expect(finding('call-streamed').advice).toContain('--enable-auto-tool-choice')
  })

  it('is examined as the configuration says: what is mended is well', async () => {
    await withServer({ server: 'vllm-0.21', parser: 'broken' }, async (upstream) => {
      const lab = { url: upstream, kind: 'vllm', parse: 'ours' }
      const settings = { upstreams: { lab } }
      const { finding, remedy } = await examined({ upstream, model: 'qwen3', settings })
      expect(finding('call-streamed')).toMatchObject({ status: 'ok' })
      expect(remedy).toEqual(nothing)
    })
  })
})

/** What is found of a server of each dialect in its own words. */
const words: Readonly<
  Record<DialectId, { readonly finish: string; readonly reasoning: string; readonly cut: string }>
> = {
  'openai-chat': {
    finish: 'stop, and tool_calls for calls',
    reasoning: 'in the field reasoning_content',
    cut: 'length, as it should be',
  },
  'anthropic-messages': {
    finish: 'end_turn, and tool_use for calls',
    reasoning: 'in the field thinking',
    cut: 'max_tokens, as it should be',
  },
  'openai-responses': {
    finish: 'completed, with calls and without',
    reasoning: 'in items of its own',
    cut: 'incomplete, as it should be',
  },
  gemini: {
    finish: 'STOP, with calls and without',
    reasoning: 'in the field thought',
    cut: 'MAX_TOKENS, as it should be',
  },
}

describe.each(dialectIds)('an upstream of %s', (dialect) => {
  it('is examined in its own words', async () => {
    await withServer({}, async (upstream) => {
      const model = 'claude-sonnet'
      const { complaints, finding, works } = await examined({ upstream, dialect, model })
      expect(complaints).toEqual(['kind note', 'model warn', 'window note', 'image note'])
      expect(finding('call-streamed').seen).toBe('structured: the server reads it')
      expect(finding('finish').seen).toBe(words[dialect].finish)
      expect(finding('cut').seen).toBe(words[dialect].cut)
      expect(finding('reasoning').seen).toBe(words[dialect].reasoning)
      expect(finding('reasoning-back')).toMatchObject({ status: 'ok' })
      expect(works).toBe(true)
    })
  })

  it('may leave calls in the text: the format is told', async () => {
    await withServer({}, async (upstream) => {
      const { finding, works } = await examined({ upstream, dialect, model: 'kimi-k2' })
      expect(finding('call-streamed').seen).toContain('kimi')
      expect(works).toBe(true)
    })
  })

  it.each([
    ['choice-refused', 'forced-call warn'],
    ['images-refused', 'image note'],
    ['effort-refused', 'effort note'],
    ['results-refused', 'result warn'],
    ['one-piece', 'stream warn'],
  ] as const)('shows the quirk %s as well', async (quirk, complaint) => {
    await withServer({ quirks: [quirk] }, async (upstream) => {
      const { complaints } = await examined({ upstream, dialect, model: 'claude-sonnet' })
      expect(complaints).toContain(complaint)
    })
  })
})

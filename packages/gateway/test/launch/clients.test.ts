import { dialectIds, dialects } from '@dragoman/core'
import { describe, expect, it } from 'vitest'
import { type Client, longestAnswer, type Situation } from '../../src/launch/client.ts'
import { clientNamed, clients, installCommand, isServed, modelList } from '../../src/launch/clients.ts'
import { claudeCode } from '../../src/launch/clients/claude-code.ts'
import { codex } from '../../src/launch/clients/codex.ts'
import { geminiCli } from '../../src/launch/clients/gemini-cli.ts'
import { kimiCode } from '../../src/launch/clients/kimi-code.ts'
import { opencode } from '../../src/launch/clients/opencode.ts'
import { pi } from '../../src/launch/clients/pi.ts'
import { qwenCode } from '../../src/launch/clients/qwen-code.ts'
import { at } from '../server/ask.ts'

const situation: Situation = {
  base: 'http://127.0.0.1:4000',
  model: 'org/model-1',
  key: 'the-key',
  window: null,
  maxOutput: null,
  folder: '/tmp/run-1',
  models: { models: [{ slug: 'org/model-1' }] },
}
const roomy = { ...situation, window: 200_000, maxOutput: 8000 }

describe('every client', () => {
  it.each(Object.entries(clients))('%s is told the address, the model and the key', (_name, client) => {
    const { env, defaults, args, files } = client.prepare(situation)
    const told = JSON.stringify([env, args, files])
    for (const value of [situation.base, situation.model, situation.key]) expect(told).toContain(value)
    expect(Object.keys(env).filter((name) => name in defaults)).toEqual([])
  })

  it.each(Object.entries(clients))('%s keeps the key out of what other users can see', (_name, client) => {
    expect(client.prepare(situation).args.join(' ')).not.toContain(situation.key)
  })

  it.each(Object.entries(clients))('%s is not told a limit that nobody knows', (_name, client) => {
    expect(JSON.stringify(client.prepare(situation))).not.toMatch(/null|NaN|Infinity|undefined/)
  })

  it.each(Object.entries(clients))('%s can be installed and found by its name', (name, client) => {
    expect(installCommand(client)).toMatch(/^npm install -g [@\w/-]+$/)
    expect(clientNamed(name)).toBe(client)
    expect(clientNamed(`./node_modules/.bin/${name}`)).toBe(client)
    expect(clientNamed(`${name}.cmd`)).toBe(client)
  })

  it('is known by its own name alone', () => {
    expect(clientNamed('claude-2')).toBeUndefined()
    expect(clientNamed('constructor')).toBeUndefined()
    expect(clientNamed('')).toBeUndefined()
  })
})

function asking(asks: string): Client {
  return { ...claudeCode, asks }
}

describe('a client is served', () => {
  it('where a dialect answers at its path', () => {
    const answering = dialectIds.flatMap((id) =>
      dialects[id].http.routes.filter(({ serves }) => serves === 'answer').map(({ path }) => path),
    )
    expect(answering.length).toBeGreaterThan(1)
    expect(answering.filter((path) => !isServed(asking(path)))).toEqual([])
  })

  it('not where none does, or where only something else is told', () => {
    expect(isServed(asking('/v9/thoughts'))).toBe(false)
    expect(isServed(asking('/v1/messages/count_tokens'))).toBe(false)
  })
})

describe('the longest answer', () => {
  it('is what the model allows, a quarter of the window, or what clients usually ask for: the least of them', () => {
    expect(longestAnswer({ window: null, maxOutput: null })).toBeNull()
    expect(longestAnswer({ window: 32_768, maxOutput: null })).toBe(8192)
    expect(longestAnswer({ window: 32_768, maxOutput: 4096 })).toBe(4096)
    expect(longestAnswer({ window: 1_000_000, maxOutput: null })).toBe(32_000)
    expect(longestAnswer({ window: null, maxOutput: 384_000 })).toBe(32_000)
  })
})

describe('Claude Code', () => {
  it('is led by its environment alone, and asks for one model under all its names', () => {
    const { env, args, files } = claudeCode.prepare(situation)
    expect(env).toMatchObject({
      ANTHROPIC_BASE_URL: 'http://127.0.0.1:4000',
      ANTHROPIC_AUTH_TOKEN: 'the-key',
    })
    const models = Object.entries(env).filter(([name]) => name.endsWith('MODEL'))
    expect(models.map(([name]) => name)).toContain('ANTHROPIC_DEFAULT_HAIKU_MODEL')
    expect(new Set(models.map(([, value]) => value))).toEqual(new Set(['org/model-1']))
    expect([args, files]).toEqual([[], {}])
    expect(env).not.toHaveProperty('CLAUDE_CONFIG_DIR')
  })

  it('loses the variables that would lead it elsewhere', () => {
    expect(claudeCode.clears).toEqual(
      expect.arrayContaining(['ANTHROPIC_API_KEY', 'CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX']),
    )
  })

  it('is told the window where it is known', () => {
    expect(claudeCode.prepare(roomy).defaults).toEqual({
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      CLAUDE_CODE_MAX_OUTPUT_TOKENS: '8000',
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: '200000',
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: '200000',
    })
    expect(Object.keys(claudeCode.prepare(situation).defaults)).toEqual([
      'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC',
    ])
  })

  it.each([65_536, 32_768, 16_384])('compacts before a small window of %d is full', (window) => {
    const { defaults } = claudeCode.prepare({ ...situation, window })
    const answer = Number(defaults['CLAUDE_CODE_MAX_OUTPUT_TOKENS'])
    // The smaller of the two windows is what Claude Code counts with.
    const counted = Math.min(
      Number(defaults['CLAUDE_CODE_MAX_CONTEXT_TOKENS'] ?? 200_000),
      Number(defaults['CLAUDE_CODE_AUTO_COMPACT_WINDOW']),
    )
    const left = counted - Math.min(answer, 20_000)
    const share = (left * Number(defaults['CLAUDE_AUTOCOMPACT_PCT_OVERRIDE'])) / 100
    const compactsAt = Math.min(share, left - 13_000)
    expect(compactsAt + answer).toBeLessThan(window)
    expect(compactsAt).toBeGreaterThan((window - answer) / 2)
  })
})

describe('Codex', () => {
  it('gets overrides on its command line, each a value of TOML', () => {
    const { env, args } = codex.prepare({ ...roomy, model: 'a "b"' })
    expect(args.filter((_arg, index) => index % 2 === 0).every((arg) => arg === '-c')).toBe(true)
    expect(args.filter((_arg, index) => index % 2 === 1)).toEqual([
      'model="a \\"b\\""',
      'model_provider="dragoman"',
      'model_providers.dragoman.name="Dragoman"',
      'model_providers.dragoman.base_url="http://127.0.0.1:4000/v1"',
      'model_providers.dragoman.env_key="DRAGOMAN_CLIENT_KEY"',
      'model_providers.dragoman.wire_api="responses"',
      'model_catalog_json="/tmp/run-1/models.json"',
      'model_context_window=200000',
    ])
    expect(env).toEqual({ DRAGOMAN_CLIENT_KEY: 'the-key' })
  })

  it('gets a catalogue in which its model has a window, efforts and a tool for patches', () => {
    const models = modelList(codex, 'org/model-1', { window: 65_536, maxOutput: null })
    const { files } = codex.prepare({ ...situation, window: 65_536, models })
    expect(JSON.parse(files['models.json'] ?? '')).toMatchObject({
      models: [
        {
          slug: 'org/model-1',
          context_window: 65_536,
          apply_patch_tool_type: 'freeform',
          supported_reasoning_levels: [{ effort: 'none' }, { effort: 'low' }, {}, { effort: 'high' }],
          base_instructions: expect.stringContaining('*** Begin Patch'),
        },
      ],
    })
  })
})

/** What opencode is told. */
function content(given: Situation): unknown {
  return JSON.parse(opencode.prepare(given).env['OPENCODE_CONFIG_CONTENT'] ?? '')
}

describe('opencode', () => {
  it('gets a provider and its model beside the configuration of the user', () => {
    expect(content(roomy)).toMatchObject({
      model: 'dragoman/org/model-1',
      small_model: 'dragoman/org/model-1',
      provider: {
        dragoman: {
          options: { baseURL: 'http://127.0.0.1:4000/v1', apiKey: 'the-key' },
          models: { 'org/model-1': { tool_call: true, limit: { context: 200_000, output: 8000 } } },
        },
      },
    })
  })

  it('gets no limit where only a half of one is known', () => {
    expect(JSON.stringify(content({ ...situation, maxOutput: 8000 }))).not.toContain('limit')
  })
})

describe('Qwen Code', () => {
  it('gets settings above those of the user', () => {
    const { env, defaults, files } = qwenCode.prepare(roomy)
    expect(env).toEqual({
      OPENAI_BASE_URL: 'http://127.0.0.1:4000/v1',
      OPENAI_API_KEY: 'the-key',
      OPENAI_MODEL: 'org/model-1',
      QWEN_CODE_SYSTEM_SETTINGS_PATH: '/tmp/run-1/settings.json',
    })
    expect(defaults).toEqual({ QWEN_CODE_MAX_OUTPUT_TOKENS: '8000' })
    expect(JSON.parse(files['settings.json'] ?? '')).toMatchObject({
      security: { auth: { selectedType: 'openai' } },
      model: { name: 'org/model-1', generationConfig: { contextWindowSize: 200_000 } },
      modelProviders: { openai: [{ id: 'org/model-1', baseUrl: 'http://127.0.0.1:4000/v1' }] },
    })
  })
})

describe('Kimi Code', () => {
  it('is led by its environment alone', () => {
    expect(kimiCode.prepare(roomy)).toEqual({
      env: {
        KIMI_MODEL_NAME: 'org/model-1',
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_BASE_URL: 'http://127.0.0.1:4000/v1',
        KIMI_MODEL_API_KEY: 'the-key',
      },
      defaults: {
        KIMI_MODEL_CAPABILITIES: 'thinking,tool_use',
        KIMI_MODEL_MAX_CONTEXT_SIZE: '200000',
        KIMI_MODEL_MAX_OUTPUT_SIZE: '8000',
      },
      args: [],
      files: {},
    })
  })
})

describe('Gemini CLI', () => {
  it('gets a home in which it is not logged in elsewhere', () => {
    const { env, files } = geminiCli.prepare(situation)
    expect(env).toEqual({
      GOOGLE_GEMINI_BASE_URL: 'http://127.0.0.1:4000',
      GEMINI_API_KEY: 'the-key',
      GEMINI_MODEL: 'org/model-1',
      GEMINI_CLI_HOME: '/tmp/run-1',
    })
    expect(JSON.parse(files['.gemini/settings.json'] ?? '')).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' } },
    })
  })

  it.each([131_072, 32_768])(
    'compresses before a window of %d is full, which it takes for a larger one',
    (window) => {
      const { files } = geminiCli.prepare({ ...situation, window })
      const settings: unknown = JSON.parse(files['.gemini/settings.json'] ?? '')
      const compressesAt = Number(at(settings, 'model', 'compressionThreshold')) * 1_048_576
      expect(compressesAt).toBeLessThan(window * 0.75)
      expect(compressesAt).toBeGreaterThan(window / 2)
      expect(geminiCli.windowHint?.({ window, answer: 8192 })).toContain('compressionThreshold')
    },
  )
})

describe('pi', () => {
  it('gets an extension that adds a provider', async () => {
    const { args, files } = pi.prepare(roomy)
    expect(args).toEqual([
      '--extension',
      '/tmp/run-1/dragoman.js',
      '--provider',
      'dragoman',
      '--model',
      'org/model-1',
    ])
    const source = `data:text/javascript,${encodeURIComponent(files['dragoman.js'] ?? '')}`
    const extension: { default: (pi: unknown) => void } = await import(source)
    const registered: unknown[] = []
    extension.default({ registerProvider: (...given: unknown[]) => registered.push(...given) })
    expect(registered).toMatchObject([
      'dragoman',
      {
        baseUrl: 'http://127.0.0.1:4000/v1',
        apiKey: 'the-key',
        models: [{ id: 'org/model-1', contextWindow: 200_000, maxTokens: 8000 }],
      },
    ])
  })
})

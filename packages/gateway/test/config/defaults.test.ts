import { describe, expect, it } from 'vitest'
import { matchModel } from '../../src/config/match-model.ts'
import { accepted } from './fake-world.ts'

describe('a configuration that says nothing', () => {
  it('has the documented defaults, with durations in milliseconds', async () => {
    expect(await accepted()).toEqual({
      listen: { host: '127.0.0.1', port: 12377, allowedHosts: [], allowedOrigins: [], trustedProxies: [] },
      keys: [],
      upstreams: 'simulator',
      models: [
        {
          match: '*',
          order: null,
          upstream: 'simulator',
          model: null,
          format: 'auto',
          tools: 'native',
          startsInReasoning: null,
          window: null,
          maxTokens: null,
          thinking: 'auto',
          timeouts: { connect: 10_000, headers: 600_000, idle: 300_000, finishGrace: 5000 },
        },
      ],
      routing: { retries: 2, retryWithin: 20_000, outAfter: 5, outFor: 30_000, balance: 'affinity' },
      formats: { overrides: {}, markers: {}, toolCallBytes: {} },
      delivery: 'incremental',
      reasoning: { foreign: 'drop' },
      responses: { itemCache: null },
      strictHistory: false,
      warnings: { conversationBytes: 0 },
      limits: {
        bodyBytes: 33_554_432,
        bodiesBytes: 268_435_456,
        toolCallBytes: 4_194_304,
        overflow: 'error',
        headerBytes: 16_384,
        jsonDepth: 128,
        jsonValues: 100_000,
        tools: 2048,
        lineBytes: 8_388_608,
        responseBytes: 67_108_864,
        concurrent: 1000,
        authFailuresPerMinute: 20,
      },
      timeouts: {
        connect: 10_000,
        headers: 600_000,
        idle: 300_000,
        finishGrace: 5000,
        clientHeaders: 15_000,
        clientBody: 60_000,
        clientStall: 120_000,
        keepAlive: 90_000,
        drain: 5000,
        drainGrace: 0,
        ping: 15_000,
      },
      record: null,
      log: { level: 'info', file: null },
      inspector: { enabled: null, memory: 33_554_432 },
      metrics: true,
      hidden: [],
      proxies: { http: null, https: null, except: [] },
    })
  })

  it('is the same for an empty file, a file of comments and empty sections', async () => {
    const nothing = await accepted()
    expect(await accepted({ yaml: '' })).toEqual(nothing)
    expect(await accepted({ yaml: '# port: 3\n' })).toEqual(nothing)
    expect(await accepted({ yaml: 'listen:\nkeys:\nmodels:\n  # none yet\n' })).toEqual(nothing)
  })
})

describe('a configuration that says everything', () => {
  const yaml = `
listen: { host: "[::1]", port: 8080, allowedHosts: [Gate.LAN], allowedOrigins: ["https://app.example"], trustedProxies: [10.0.0.0/8, "::1"] }
keys: [{ name: laptop, sha256: "${'AB'.repeat(32)}" }]
upstreams:
  router: { url: "https://router.example/api/v1/", apiKey: "\${KEY}", headers: { X-Extra: "\${VALUE}!" }, body: { provider: { order: [Groq] } } }
  claude: { url: "https://api.example/v1", dialect: anthropic-messages }
models:
  - { match: "claude-*", upstream: router, model: moonshotai/kimi-k2, format: Kimi, tools: native, startsInReasoning: true, timeouts: { idle: 600s } }
  - { match: "gpt-*", upstream: claude, format: openai }
formats:
  overrides: { "my-*": kimi }
  kimi: { markers: { sectionBegin: "<|begin|>", callEnd: ["<|a|>", "<|b|>"] }, toolCallBytes: 1000 }
delivery: complete
reasoning: { foreign: text }
strictHistory: true
warnings: { conversationBytes: 5 }
limits: { overflow: flush, concurrent: 2 }
timeouts: { idle: 250ms, drain: 2m, headers: 1h }
record: { dir: rec, maxAge: 7d }
log: { level: debug, file: /var/log/d.log }
metrics: false
`
  const env = { KEY: 'secret-key', VALUE: 'v' }

  it('is read as it says', async () => {
    const config = await accepted({ yaml, env })
    expect(config.listen).toEqual({
      host: '::1',
      port: 8080,
      allowedHosts: ['gate.lan'],
      allowedOrigins: ['https://app.example'],
      trustedProxies: ['10.0.0.0/8', '::1'],
    })
    expect(config.keys).toEqual([{ name: 'laptop', sha256: 'ab'.repeat(32) }])
    expect(config.formats).toEqual({
      overrides: { 'my-*': 'kimi' },
      markers: { kimi: { sectionBegin: '<|begin|>', callEnd: ['<|a|>', '<|b|>'] } },
      toolCallBytes: { kimi: 1000 },
    })
    expect(config.timeouts).toMatchObject({ idle: 250, drain: 120_000, headers: 3_600_000, ping: 15_000 })
    expect(config.record).toEqual({ dir: '/project/rec', maxBytes: 104_857_600, maxAge: 604_800_000 })
    expect(config.log).toEqual({ level: 'debug', file: '/var/log/d.log' })
    expect(config).toMatchObject({
      delivery: 'complete',
      reasoning: { foreign: 'text' },
      strictHistory: true,
      warnings: { conversationBytes: 5 },
      limits: { overflow: 'flush', concurrent: 2, jsonDepth: 128 },
      metrics: false,
    })
  })

  it('gives upstreams without a slash at the end, with their secrets wrapped', async () => {
    const route = matchModel(await accepted({ yaml, env }), 'claude-sonnet-4')
    const upstream = route?.upstream
    if (upstream === undefined || upstream === 'simulator') throw new Error('no upstream')
    expect(upstream).toMatchObject({
      name: 'router',
      url: 'https://router.example/api/v1',
      dialect: 'openai-chat',
      body: { provider: { order: ['Groq'] } },
    })
    expect(upstream.apiKey?.reveal()).toBe('secret-key')
    expect(upstream.headers.get('x-extra')?.reveal()).toBe('v!')
  })

  it('gives each model its own time-outs, filled up with the common ones', async () => {
    const config = await accepted({ yaml, env })
    const kimi = { format: 'kimi', model: 'moonshotai/kimi-k2', startsInReasoning: true }
    expect(matchModel(config, 'claude-x')).toMatchObject(kimi)
    expect(matchModel(config, 'claude-x')?.timeouts).toEqual({
      connect: 10_000,
      headers: 3_600_000,
      idle: 600_000,
      finishGrace: 5000,
    })
    expect(matchModel(config, 'gpt-4o')).toMatchObject({ format: 'standard', model: 'gpt-4o' })
    expect(matchModel(config, 'gpt-4o')?.timeouts.idle).toBe(250)
  })
})

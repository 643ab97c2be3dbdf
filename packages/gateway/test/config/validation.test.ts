import { describe, expect, it } from 'vitest'
import { isForbiddenAddress, isLoopbackHost } from '../../src/config/addresses.ts'
import { accepted, load, refusals, warnings } from './fake-world.ts'

const upstream = 'upstreams: { a: { url: "https://a.example/v1" } }'
const digest = '1'.repeat(64)

describe('a file is wrong even where something else is said over it', () => {
  const userFile = '/home/ada/.config/dragoman/config.yaml'

  it('by a flag', async () => {
    expect(await refusals({ flags: { port: '1' }, yaml: 'listen: { port: 99999 }' })).toEqual([
      'dragoman.yaml:1:17: listen.port: must be a whole number, from 0 to 65535',
    ])
  })

  it('by a variable', async () => {
    expect(await refusals({ env: { DRAGOMAN_LOG_LEVEL: 'warn' }, yaml: 'log:\n  level: loud' })).toEqual([
      'dragoman.yaml:2:10: log.level: must be one of debug, info, warn, error',
    ])
  })

  it('by another file', async () => {
    const files = { [userFile]: 'limits: { jsonDepth: many }' }
    expect(await refusals({ yaml: 'limits: { jsonDepth: 10 }', files })).toEqual([
      '/home/ada/.config/dragoman/config.yaml:1:22: limits.jsonDepth: must be a whole number, from 1 to 10000',
    ])
  })

  it('but what it leaves to others to say is not missing', async () => {
    const config = await accepted({ flags: { record: '/srv/rec' }, yaml: 'record: { maxAge: 1d }' })
    expect(config.record).toMatchObject({ dir: '/srv/rec', maxAge: 86_400_000 })
  })

  it('and what an upstream on the command line replaces is not looked at', async () => {
    const flags = { upstream: 'https://b.example/v1' }
    const { upstreams } = await accepted({ flags, yaml: 'upstreams: { a: { url: 7 } }' })
    expect(upstreams).toMatchObject({ size: 1 })
  })
})

describe('what is refused, with its place', () => {
  const cases: [yaml: string, errors: string[]][] = [
    ['listen:\n  prot: 1', ['2:3: listen.prot: unknown key. Did you mean port?']],
    ['port: 1', ['1:1: port: unknown key. Did you mean listen.port?']],
    [
      'limits: { bananas: 1 }',
      [
        '1:11: limits.bananas: unknown key. Known here: bodyBytes, bodiesBytes, toolCallBytes, overflow, headerBytes, jsonDepth, jsonValues, tools, lineBytes, responseBytes, concurrent, authFailuresPerMinute',
      ],
    ],
    ['__proto__: { x: 1 }', ['1:1: this cannot be a key']],
    ['constructor: 1', ['1:1: constructor: unknown key']],
    ['listen: 80', ['1:9: listen: must be a map of keys']],
    ['listen: { port: 65536 }', ['1:17: listen.port: must be a whole number, from 0 to 65535']],
    ['listen: { port: "80" }', ['1:17: listen.port: must be a whole number, from 0 to 65535']],
    [
      'listen: { host: "a b" }',
      [
        '1:17: listen.host: must be an address or a host name, without port',
        '1:17: listen.host: others can reach this address, so clients need keys: add one under keys, or set DRAGOMAN_API_KEY',
      ],
    ],
    [
      'listen: { allowedHosts: ["a:80"] }',
      ['1:26: listen.allowedHosts[0]: must be a host name without port'],
    ],
    [
      'listen: { allowedHosts: ["*.a"] }',
      ['1:26: listen.allowedHosts[0]: must be an exact name; patterns are not allowed'],
    ],
    [
      'listen: { allowedOrigins: ["*"] }',
      ['1:28: listen.allowedOrigins[0]: must be an exact origin; patterns are not allowed'],
    ],
    [
      'listen: { allowedOrigins: ["https://a/x"] }',
      ['1:28: listen.allowedOrigins[0]: must be an origin such as https://app.example, without path'],
    ],
    [
      'listen: { allowedOrigins: ["null"] }',
      ['1:28: listen.allowedOrigins[0]: must be an origin such as https://app.example, without path'],
    ],
    [
      'keys: [{ name: a, sha256: abc }]',
      ['1:27: keys[0].sha256: must be 64 hexadecimal digits: the SHA-256 of the key'],
    ],
    ['keys: [{ name: a }]', ['1:8: keys[0].sha256: is missing']],
    [
      'keys: [{ name: a, sha256: e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 }]',
      ['1:27: keys[0].sha256: is the SHA-256 of an empty key'],
    ],
    [
      `keys: [{ name: a, sha256: "${digest}" }, { name: a, sha256: "${digest}" }]`,
      ['1:105: keys[1].name: there is another key "a"'],
    ],
    ['upstreams: { a: {} }', ['1:17: upstreams.a.url: is missing']],
    [
      'upstreams: { simulator: { url: "https://a/v1" } }',
      ['1:14: upstreams.simulator: the name is the name of the built-in simulator'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1" }, b: { url: "https://b/v1" } }',
      ['1:12: upstreams: with more than one upstream, models must say which answers'],
    ],
    [
      'upstreams: { a: { url: "http://localhost:12377/v1" } }',
      ['1:24: upstreams.a.url: is the address of the gateway itself'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", apiKey: "" } }',
      ['1:48: upstreams.a.apiKey: must not be empty'],
    ],
    ['upstreams: { a: { url: "https://a/v1", apiKey: 12 } }', ['1:48: upstreams.a.apiKey: must be a text']],
    [
      'upstreams: { a: { url: "https://a/v1", apiKey: "a\\r\\nb" } }',
      ['1:48: upstreams.a.apiKey: must not hold a line break or a null character'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", headers: { x: "a\\0b" } } }',
      ['1:54: upstreams.a.headers.x: must not hold a line break or a null character'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", headers: { x: "→" } } }',
      ['1:54: upstreams.a.headers.x: holds characters that a header cannot'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", headers: { "x y": z } } }',
      ['1:51: upstreams.a.headers."x y": the name is no name of a header'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", headers: { Content-Length: "1" } } }',
      ['1:51: upstreams.a.headers.Content-Length: the name is set by the gateway itself'],
    ],
    [
      'upstreams: { a: { url: "https://a/v1", body: { stream: false } } }',
      ['1:48: upstreams.a.body.stream: the name is set by the gateway itself'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: b }]`,
      ['2:32: models[0].upstream: there is no upstream "b". Did you mean a?'],
    ],
    [
      'models: [{ match: x, upstream: lab }]',
      ['1:32: models[0].upstream: there is no upstream "lab". Configured: simulator'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: a, format: kmii }]`,
      ['2:43: models[0].format: there is no format "kmii". Did you mean kimi?'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: a, tools: text }]`,
      ['2:42: models[0].tools: must be one of native, prompt'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: a, tools: prompt }]`,
      ['2:42: models[0].tools: tools can stand in the prompt only with format: hermes, xml, llama'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: a, format: kimi, tools: prompt }]`,
      ['2:56: models[0].tools: tools can stand in the prompt only with format: hermes, xml, llama'],
    ],
    [
      `${upstream}\nmodels: [{ match: x, upstream: a, timeouts: { ping: 1s } }]`,
      ['2:47: models[0].timeouts.ping: unknown key. Did you mean timeouts.ping?'],
    ],
    ['formats: { overrides: { x: auto } }', ['1:28: formats.overrides.x: there is no format "auto"']],
    [
      'formats: { kimi: { markers: { sectionBegin: 1 } } }',
      ['1:45: formats.kimi.markers.sectionBegin: must be a text or a list of texts'],
    ],
    [
      'timeouts: { idle: 300 }',
      ['1:19: timeouts.idle: must be a duration with a unit, such as 250ms, 10s, 5m or 7d'],
    ],
    [
      'timeouts: { idle: 1.5s }',
      ['1:19: timeouts.idle: must be a duration with a unit, such as 250ms, 10s, 5m or 7d'],
    ],
    ['timeouts: { idle: 0s }', ['1:19: timeouts.idle: must not be zero']],
    ['timeouts: { idle: 25d }', ['1:19: timeouts.idle: must be at most 24 days']],
    ['delivery: whole', ['1:11: delivery: must be one of incremental, complete']],
    ['metrics: "on"', ['1:10: metrics: must be true or false']],
    ['record: { maxBytes: .inf }', ['1:21: is not a finite number']],
  ]
  for (const [yaml, errors] of cases) {
    it(yaml, async () => {
      expect(await refusals({ yaml })).toEqual(errors.map((error) => `dragoman.yaml:${error}`))
    })
  }

  it('all errors are told at once, in the order of the file', async () => {
    const yaml = `
metrics: 1
upstreams:
  a: { url: "ftp://a", apiKey: "\${GONE}" }
models: [{ match: x, upstream: b }]
limits: { bodyBytes: -1, jsonDept: 3 }
`
    expect((await refusals({ yaml })).map((line) => line.split(': ').slice(0, 2).join(' '))).toEqual([
      'dragoman.yaml:2:10 metrics',
      'dragoman.yaml:4:13 upstreams.a.url',
      'dragoman.yaml:4:32 upstreams.a.apiKey',
      'dragoman.yaml:5:32 models[0].upstream',
      'dragoman.yaml:6:22 limits.bodyBytes',
      'dragoman.yaml:6:26 limits.jsonDept',
    ])
  })

  it('no error repeats a secret', async () => {
    const yaml = `
upstreams:
  a: { url: "https://u:canary@a/v1", apiKey: "canary\\n", headers: { x: "canary\\n" } }
  b: { url: "https://b/v1?key=canary", apiKey: [canary] }
keys: [{ name: a, sha256: canary }]
`
    const errors = await refusals({ yaml })
    expect(errors.length).toBeGreaterThanOrEqual(6)
    expect(errors.join('\n')).not.toContain('canary')
  })

  it('zero is a duration where it means at once', async () => {
    const { timeouts } = await accepted({ yaml: 'timeouts: { drain: 0s, finishGrace: 0ms }' })
    expect(timeouts).toMatchObject({ drain: 0, finishGrace: 0 })
  })

  it('recordings may be kept longer than a timer can run', async () => {
    expect((await accepted({ yaml: 'record: { maxAge: 90d }' })).record?.maxAge).toBe(7_776_000_000)
  })
})

describe('the address of an upstream', () => {
  const refused = [
    'ftp://a.example/v1',
    'file:///etc/passwd',
    'a.example/v1',
    'localhost:8000',
    'http://169.254.169.254/v1',
    'http://169.254.1.2/v1',
    'http://100.100.100.200/latest',
    'http://192.0.0.192/opc',
    'http://168.63.129.16/machine',
    'http://[fd20:ce::254]/v1',
    'http://[64:ff9b::100.100.100.200]/v1',
    'http://0.0.0.0:8000/v1',
    'http://0:8000/v1',
    'http://0xA9FEA9FE/v1',
    'http://2852039166/v1',
    'http://[::]:8000/v1',
    'http://[::ffff:169.254.169.254]/v1',
    'http://[::ffff:a9fe:a9fe]/v1',
    'http://[::ffff:0.0.0.0]/v1',
    'http://[fe80::1]/v1',
    'http://[fd00:ec2::254]/v1',
    'http://[64:ff9b::169.254.169.254]/v1',
    'http://metadata.google.internal/v1',
    'http://metadata.google.internal./v1',
    'http://user:pass@a.example/v1',
    'https://a.example/v1?x=1',
    'https://a.example/v1#x',
    'https://a.example/v1/chat/completions',
    'https://a.example/v1/messages',
  ]
  for (const url of refused) {
    it(`${url} is refused, in a file and on the command line`, async () => {
      const yaml = JSON.stringify({ upstreams: { a: { url } } })
      expect((await refusals({ yaml })).join('\n')).toMatch(/^dragoman\.yaml:1:\d+: upstreams\.a\.url: /)
      expect((await refusals({ flags: { upstream: url } })).join('\n')).toMatch(/^--upstream: /)
    })
  }

  for (const url of [
    'http://127.0.0.1:8000/v1',
    'http://localhost:11434/v1',
    'http://[::1]:8000/v1',
    'http://10.0.0.5:8000/v1',
    'http://[fd00::1]:8000/v1',
    'https://openrouter.ai/api/v1',
    'https://a.example/messages/v1',
  ]) {
    it(`${url} is allowed`, async () => {
      expect(await refusals({ yaml: JSON.stringify({ upstreams: { a: { url } } }) })).toEqual([])
    })
  }

  it('an address that a name resolved to can be asked about', () => {
    expect(['169.254.169.254', '::ffff:169.254.169.254', '0.0.0.0', '::'].every(isForbiddenAddress)).toBe(
      true,
    )
    expect(['127.0.0.1', '10.0.0.1', '8.8.8.8', '::1', '2001:db8::1'].some(isForbiddenAddress)).toBe(false)
  })
})

describe('an address that others can reach', () => {
  const keys = `keys: [{ name: a, sha256: "${digest}" }]`
  const key = { DRAGOMAN_API_KEY: 'k'.repeat(32) }

  for (const host of [
    '0.0.0.0',
    '::',
    '192.168.1.5',
    'gate.lan',

    '127.0.0.1.evil.example',
  ]) {
    it(`${host} needs keys`, async () => {
      const flags = { host }
      expect((await refusals({ flags }))[0]).toMatch(/^--host: listen\.host: others can reach/)
      expect(await refusals({ flags, yaml: keys })).toEqual([])
      expect(await refusals({ flags, env: key })).toEqual([])
    })
  }

  for (const host of ['127.0.0.1', '127.8.9.1', '::1', '[::1]', 'localhost', 'LOCALHOST']) {
    it(`${host} needs none`, async () => {
      expect(isLoopbackHost(host)).toBe(true)
      expect(await refusals({ flags: { host } })).toEqual([])
    })
  }

  it('a file with keys that others can read is refused there, and a warning here', async () => {
    const line =
      'dragoman.yaml:1:7: keys: the file holds keys and others can read it; run: chmod 600 dragoman.yaml'
    expect(await refusals({ yaml: keys, mode: 0o644, flags: { host: '0.0.0.0' } })).toEqual([line])
    expect(await warnings({ yaml: keys, mode: 0o644 })).toEqual([line])
    expect(await warnings({ yaml: keys, mode: 0o640 })).toEqual([line])
    expect(await warnings({ yaml: keys, mode: 0o600 })).toEqual([])
    expect(await warnings({ yaml: keys, mode: 0o644, platform: 'win32' })).toEqual([])
  })

  it('a file with keys that a group of ours may read, and only read, is as good as our own', async () => {
    const others = { yaml: keys, flags: { host: '0.0.0.0' } }
    for (const mode of [0o440, 0o640]) {
      expect(await refusals({ ...others, mode, group: 1000 })).toEqual([])
      expect(await refusals({ ...others, mode, group: 100 })).toHaveLength(1)
    }
    for (const mode of [0o660, 0o644, 0o444, 0o604]) {
      expect(await refusals({ ...others, mode, group: 1000 })).toHaveLength(1)
    }
  })

  it('a key of an upstream counts where it is written out, not where a variable holds it', async () => {
    expect(await warnings({ yaml: withKey('sk-abc'), mode: 0o644 })).toHaveLength(1)
    expect(await warnings({ yaml: withKey('${K}'), mode: 0o644, env: { K: 'k' } })).toEqual([])
    const flags = { upstream: 'https://b.example/v1' }
    expect(await warnings({ yaml: withKey('sk-abc'), mode: 0o644, flags })).toHaveLength(1)
  })
})

describe('what may not be meant', () => {
  const cases: [yaml: string, warning: string][] = [
    [
      'upstreams: { a: { url: "http://10.0.0.5/v1", apiKey: k } }',
      '1:24: upstreams.a.url: the key is sent over http, where others can read it',
    ],
    [
      'upstreams: { a: { url: "https://a.example" } }',
      '1:24: upstreams.a.url: has no path; most servers answer under /v1',
    ],
    [
      `${upstream}\nmodels:\n- { match: "*", upstream: a }\n- { match: b, upstream: a }`,
      '4:3: models[1]: is never used: "*" before it matches every name',
    ],
    [
      `listen: { host: 0.0.0.0, allowedHosts: [] }\nkeys: [{ name: a, sha256: "${'0'.repeat(64)}" }]`,
      '1:17: listen.host: every request gets 403: listen.allowedHosts has no name by which clients may call this machine',
    ],
  ]
  for (const [yaml, warning] of cases) {
    it(yaml, async () => {
      expect(await warnings({ yaml })).toEqual([`dragoman.yaml:${warning}`])
      expect((await load({ yaml })).ok).toBe(true)
    })
  }
})

function withKey(apiKey: string): string {
  return JSON.stringify({ upstreams: { a: { url: 'https://a/v1', apiKey } } })
}

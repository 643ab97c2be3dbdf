import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/config/load.ts'
import { matchModel, type ModelRoute } from '../../src/config/match-model.ts'
import { Secret } from '../../src/config/secret.ts'
import { accepted, fakeWorld, load, refusals, warnings, type Around } from './fake-world.ts'

const userFile = '/home/ada/.config/dragoman/config.yaml'

describe('who is heard first', () => {
  const layers: Required<Pick<Around, 'flags' | 'env' | 'yaml' | 'files'>> = {
    flags: { port: '1' },
    env: { DRAGOMAN_PORT: '2', PORT: '5' },
    yaml: 'listen: { port: 3 }',
    files: { [userFile]: 'listen: { port: 4 }' },
  }

  it('a flag, then a variable, then the file here, then the file of the user, then PORT, then the default', async () => {
    const { flags, env, yaml, files } = layers
    const common = { PORT: '5' }
    expect(await port({ flags, env, yaml, files })).toBe(1)
    expect(await port({ env, yaml, files })).toBe(2)
    expect(await port({ env: common, yaml, files })).toBe(3)
    expect(await port({ env: common, files })).toBe(4)
    expect(await port({ env: common })).toBe(5)
    expect(await port({})).toBe(12377)
  })

  it('is decided key by key', async () => {
    const config = await accepted({
      flags: { host: '::1' },
      env: { DRAGOMAN_LOG_LEVEL: 'warn' },
      yaml: 'listen: { port: 3 }\nlog: { file: /srv/gateway.log }',
      files: { [userFile]: 'listen: { host: localhost, allowedHosts: [gate] }\nmetrics: false' },
    })
    expect(config.listen).toMatchObject({ host: '::1', port: 3, allowedHosts: ['gate'] })
    expect(config.log).toEqual({ level: 'warn', file: '/srv/gateway.log' })
    expect(config.metrics).toBe(false)
  })

  it('an upstream is never put together from two files', async () => {
    const config = await accepted({
      yaml: 'upstreams: { a: { url: "https://other.example/v1" } }',
      files: { [userFile]: 'upstreams: { a: { url: "https://mine.example/v1", apiKey: mine } }' },
    })
    expect(upstreamOf(config).apiKey).toBeNull()
  })

  it('a file that is named is the only one', async () => {
    const files = { [userFile]: 'listen: { port: 4 }', '/etc/d.yaml': 'metrics: false' }
    const named = { listen: { port: 12377 }, metrics: false }
    expect(
      await accepted({ flags: { config: '/etc/d.yaml' }, yaml: 'listen: { port: 3 }', files }),
    ).toMatchObject(named)
    expect(await accepted({ env: { DRAGOMAN_CONFIG: '../etc/d.yaml' }, files })).toMatchObject(named)
  })

  it('a file that is named must be there', async () => {
    expect(await refusals({ flags: { config: 'nope.yaml' } })).toEqual(['--config: nope.yaml: no such file'])
    expect(await refusals({ env: { DRAGOMAN_CONFIG: 'x' } })).toEqual(['$DRAGOMAN_CONFIG: x: no such file'])
  })

  it('a file that cannot be read is an error, not an absent one', async () => {
    const world = { ...fakeWorld({}), readFile: () => Promise.reject(new Error('EACCES: denied')) }
    const result = await loadConfig(world)
    expect(result.ok ? [] : result.errors[0]?.message).toBe('dragoman.yaml: cannot be read: EACCES: denied')
  })

  it('looks for the file of the user where the platform keeps it', async () => {
    expect(await userFiles({})).toEqual([userFile])
    expect(await userFiles({ env: { XDG_CONFIG_HOME: '/x' } })).toEqual(['/x/dragoman/config.yaml'])
    expect(await userFiles({ env: { XDG_CONFIG_HOME: 'relative' } })).toEqual([userFile])
    expect(await userFiles({ platform: 'win32', env: { APPDATA: String.raw`C:\Roaming` } })).toEqual([
      String.raw`C:\Roaming\dragoman\config.yaml`,
    ])
  })

  it('an empty variable says nothing', async () => {
    expect(await port({ env: { DRAGOMAN_PORT: '', PORT: '' } })).toBe(12377)
  })

  it('a variable that makes no sense is named', async () => {
    expect(await refusals({ env: { DRAGOMAN_PORT: 'http' } })).toEqual([
      '$DRAGOMAN_PORT: listen.port: must be a whole number, from 0 to 65535',
    ])
    expect(await refusals({ flags: { 'log-level': 'loud' } })).toEqual([
      '--log-level: log.level: must be one of debug, info, warn, error',
    ])
  })

  it('paths are meant from the file that holds them, or from the working directory', async () => {
    const files = { [userFile]: 'record: { dir: rec }\nlog: { file: ../log }' }
    const config = await accepted({ files })
    expect(config.record?.dir).toBe('/home/ada/.config/dragoman/rec')
    expect(config.log.file).toBe('/home/ada/.config/log')
    expect((await accepted({ files, flags: { record: 'here' } })).record?.dir).toBe('/project/here')
  })

  it('a key of the environment stands beside those of the file', async () => {
    const key = 'k'.repeat(24)
    const sha256 = createHash('sha256').update(key).digest('hex')
    const yaml = `keys: [{ name: laptop, sha256: "${'0'.repeat(64)}" }]`
    const { keys } = await accepted({ yaml, env: { DRAGOMAN_API_KEY: key } })
    expect(keys).toEqual([
      { name: 'laptop', sha256: '0'.repeat(64) },
      { name: 'DRAGOMAN_API_KEY', sha256, plain: expect.any(Secret) },
    ])
    expect((await refusals({ env: { DRAGOMAN_API_KEY: 'short-canary' } }))[0]).toMatch(
      /^\$DRAGOMAN_API_KEY: keys: a key must have at least 24 characters(?!.*canary)/,
    )
  })
})

describe('one upstream for everything', () => {
  const yaml =
    'upstreams: { lab: { url: "https://lab.example/v1", apiKey: "${NOT_SET}" } }\nmodels: [{ match: x, upstream: lab }]'
  it('--upstream replaces the upstreams and models of the file, and what these need', async () => {
    const flags = { upstream: 'http://127.0.0.1:8000/v1' }
    expect(await route({ yaml, flags })).toMatchObject({
      upstream: { url: 'http://127.0.0.1:8000/v1', apiKey: null },
      model: 'any',
      format: 'auto',
    })
    expect(await refusals({ yaml })).toEqual([
      'dragoman.yaml:1:60: upstreams.lab.apiKey: the environment variable NOT_SET is not set',
    ])
  })

  it('--model renames, --format overrides detection, and variables say the same', async () => {
    const flags = { upstream: 'http://127.0.0.1:8000/v1', model: 'k2', format: 'kimi' }
    const env = {
      DRAGOMAN_UPSTREAM: 'http://127.0.0.1:8000/v1',
      DRAGOMAN_MODEL: 'k2',
      DRAGOMAN_FORMAT: 'kimi',
    }
    expect(await route({ flags })).toMatchObject({ model: 'k2', format: 'kimi' })
    expect(await route({ env })).toEqual(await route({ flags }))
  })

  it('an empty path means /v1, another one stays', async () => {
    expect(await urlFor('http://127.0.0.1:8000')).toBe('http://127.0.0.1:8000/v1')
    expect(await urlFor('http://127.0.0.1:8000/')).toBe('http://127.0.0.1:8000/v1')
    expect(await urlFor('https://openrouter.ai/api/v1/')).toBe('https://openrouter.ai/api/v1')
  })

  it('--upstream-key-env names the variable with the key', async () => {
    const flags = { upstream: 'https://a.example/v1', 'upstream-key-env': 'MY_KEY' }
    expect(upstreamOf(await accepted({ flags, env: { MY_KEY: 'abc' } })).apiKey?.reveal()).toBe('abc')
    expect(await refusals({ flags })).toEqual([
      '--upstream-key-env: the environment variable MY_KEY is not set',
    ])
  })

  it('the options of the one upstream are refused where the file names the upstreams', async () => {
    const flags = { model: 'k2', format: 'kimi', 'upstream-key-env': 'K' }
    const errors = await refusals({ yaml, flags, env: { NOT_SET: 'now it is' } })
    expect(errors.map((error) => error.split(':')[0])).toEqual(['--upstream-key-env', '--model', '--format'])
  })

  it('the simulator takes a model and a format', async () => {
    expect(await route({ flags: { format: 'qwen' } })).toMatchObject({
      upstream: 'simulator',
      format: 'qwen',
    })
  })

  it.each([
    ['localhost:8000', 'http://localhost:8000/v1'],
    ['localhost', 'http://localhost/v1'],
    ['127.0.0.1:11434/v1', 'http://127.0.0.1:11434/v1'],
    ['[::1]:8000/', 'http://[::1]:8000/v1'],
    ['openrouter.ai/api/v1', 'https://openrouter.ai/api/v1'],
  ])('for an address without a scheme, %s, the whole one is told', async (upstream, whole) => {
    expect(await refusals({ flags: { upstream } })).toEqual([
      `--upstream: upstreams.upstream.url: must begin with http:// or https://: write ${whole}`,
    ])
  })

  it('a wrong address is reported where it was said', async () => {
    expect(await refusals({ flags: { upstream: 'nowhere' } })).toEqual([
      '--upstream: upstreams.upstream.url: must be an address such as https://openrouter.ai/api/v1',
    ])
    expect(await refusals({ flags: { upstream: 'http://127.0.0.1:9', format: 'kimmi' } })).toEqual([
      '--format: models[0].format: there is no format "kimmi". Did you mean kimi?',
    ])
  })
})

describe('keys that lie around in the environment', () => {
  const env = { OPENROUTER_API_KEY: 'or-key', OPENAI_API_KEY: 'oa-key' }
  const keyFor = async (upstream: string): Promise<string | undefined> =>
    upstreamOf(await accepted({ flags: { upstream }, env })).apiKey?.reveal()

  it('OPENROUTER_API_KEY goes to OpenRouter', async () => {
    expect(await keyFor('https://openrouter.ai/api/v1')).toBe('or-key')
  })

  for (const url of [
    'https://openrouter.ai.evil.example/api/v1',
    'https://notopenrouter.ai/api/v1',
    'http://openrouter.ai/api/v1',
    'http://127.0.0.1:8000/v1',
    'https://api.openai.com/v1',
  ]) {
    it(`no key goes to ${url} by itself`, async () => expect(await keyFor(url)).toBeUndefined())

    it(`OPENROUTER_API_KEY does not go to ${url} on request either`, async () => {
      const flags = { upstream: url, 'upstream-key-env': 'OPENROUTER_API_KEY' }
      const yaml = JSON.stringify({
        upstreams: { a: { url, headers: { authorization: 'Bearer ${OPENROUTER_API_KEY}' } } },
      })
      expect((await refusals({ flags, env }))[0]).toContain('OPENROUTER_API_KEY is only sent to')
      expect((await refusals({ yaml, env }))[0]).toContain('OPENROUTER_API_KEY is only sent to')
    })
  }

  it('OPENAI_BASE_URL is the upstream, with OPENAI_API_KEY, where nothing else names one', async () => {
    const common = { ...env, OPENAI_BASE_URL: 'https://api.example/v1' }
    const upstream = upstreamOf(await accepted({ env: common }))
    expect(upstream).toMatchObject({ name: 'openai', url: 'https://api.example/v1' })
    expect(upstream.apiKey?.reveal()).toBe('oa-key')

    const yaml = 'upstreams: { lab: { url: "https://lab.example/v1" } }'
    expect(upstreamOf(await accepted({ env: common, yaml }))).toMatchObject({ name: 'lab', apiKey: null })
    const flags = { upstream: 'https://b.example/v1' }
    expect(upstreamOf(await accepted({ env: common, flags })).apiKey).toBeNull()
  })

  it('OPENAI_API_KEY alone starts nothing', async () => {
    expect((await accepted({ env })).upstreams).toBe('simulator')
  })

  it('OPENAI_BASE_URL that points at the gateway itself is left alone', async () => {
    const own = { OPENAI_BASE_URL: 'http://localhost:12377/v1' }
    expect((await accepted({ env: own })).upstreams).toBe('simulator')
    expect(await warnings({ env: own })).toEqual([
      '$OPENAI_BASE_URL: is the address of the gateway itself and is not used as its upstream',
    ])
    expect((await accepted({ env: own, flags: { port: '8080' } })).upstreams).not.toBe('simulator')
  })
})

function upstreamOf(config: Awaited<ReturnType<typeof accepted>>) {
  const upstream = config.upstreams === 'simulator' ? undefined : [...config.upstreams.values()][0]
  if (upstream === undefined) throw new Error('no upstream')
  return upstream
}

async function port(around: Around): Promise<number> {
  return (await accepted(around)).listen.port
}

async function userFiles(around: Around): Promise<readonly string[]> {
  return (await load(around)).watched.slice(1)
}

async function route(around: Around): Promise<ModelRoute | undefined> {
  return matchModel(await accepted(around), 'any')
}

async function urlFor(upstream: string): Promise<string> {
  return upstreamOf(await accepted({ flags: { upstream } })).url
}

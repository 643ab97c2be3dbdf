import { describe, expect, it } from 'vitest'
import type { LoadResult, LoadedConfig } from '../../src/config/load.ts'
import { createConfigWatcher, type ConfigWatcher } from '../../src/config/watcher.ts'
import { load } from './fake-world.ts'

interface Watched {
  readonly watcher: ConfigWatcher
  readonly seen: string[]
  /** Runs what was delayed. */
  readonly pass: () => void
  readonly delayed: () => number
}

async function watch(next: () => Promise<LoadResult>): Promise<Watched> {
  const seen: string[] = []
  const pending = new Set<() => void>()
  const watcher = createConfigWatcher({
    initial: await loaded('listen: { port: 1 }'),
    load: next,
    onChange: ({ config }, { previous, needsRestart }) =>
      seen.push(`${previous.listen.port} to ${config.listen.port} ${needsRestart.join(' ')}`.trim()),
    onError: ({ errors }) => seen.push(errors.map(({ message }) => message).join()),
    delay: (run) => {
      pending.add(run)
      return () => pending.delete(run)
    },
  })
  const pass = (): void => {
    const due = [...pending]
    pending.clear()
    for (const run of due) run()
  }
  return { watcher, seen, pass, delayed: () => pending.size }
}

async function loaded(yaml: string): Promise<LoadedConfig> {
  const result = await load({ yaml })
  if (!result.ok) throw new Error('refused')
  return result
}

describe('createConfigWatcher', () => {
  it('a right file takes the place of the old one', async () => {
    const { watcher, seen } = await watch(() => load({ yaml: 'listen: { port: 2 }' }))
    const before = watcher.current
    expect((await watcher.reload()).listen.port).toBe(2)
    expect(watcher.current.listen.port).toBe(2)
    expect(before.listen.port).toBe(1)
    expect(seen).toEqual(['1 to 2 listen.port'])
  })

  it('a wrong file is reported and the old one stays', async () => {
    const { watcher, seen } = await watch(() => load({ yaml: 'metrics: 3' }))
    const before = watcher.current
    expect(await watcher.reload()).toBe(before)
    expect(watcher.current).toBe(before)
    expect(seen).toEqual(['must be true or false'])
  })

  it('a failure to read is reported and the old one stays', async () => {
    const { watcher, seen } = await watch(() => Promise.reject(new Error('disk on fire')))
    expect((await watcher.reload()).listen.port).toBe(1)
    expect(seen).toEqual(['the configuration cannot be read: disk on fire'])
  })

  it.each([
    ['is gone', undefined],
    ['is empty', ''],
    ['is empty', '# listen: { port: 1 }\n'],
  ])(
    'a file that %s is reported and the old one stays, until it says something again',
    async (fate, lost) => {
      const texts = [lost, lost, 'listen: { port: 2 }']
      const { watcher, seen } = await watch(() => {
        const yaml = texts.shift()
        return load(yaml === undefined ? {} : { yaml })
      })
      const before = watcher.current
      expect(await watcher.reload()).toBe(before)
      expect(await watcher.reload()).toBe(before)
      expect((await watcher.reload()).listen.port).toBe(2)
      const message = `dragoman.yaml: ${fate}; the gateway does without it after a restart only`
      expect(seen).toEqual([message, message, '1 to 2 listen.port'])
    },
  )

  it('a file that appears where none was is taken, and then missed', async () => {
    const user = { '/home/ada/.config/dragoman/config.yaml': 'metrics: false' }
    const worlds = [{ yaml: 'listen: { port: 1 }', files: user }, { yaml: 'listen: { port: 1 }' }]
    const { watcher, seen } = await watch(() => load(worlds.shift() ?? {}))
    expect((await watcher.reload()).metrics).toBe(false)
    expect((await watcher.reload()).metrics).toBe(false)
    expect(seen).toEqual(['1 to 1', expect.stringContaining('/dragoman/config.yaml: is gone')])
  })

  it('many changes of the file are one reload, once they are over', async () => {
    let loads = 0
    const { watcher, seen, pass, delayed } = await watch(() => {
      loads++
      return load({ yaml: 'listen: { port: 2 }' })
    })
    for (let change = 0; change < 5; change++) watcher.fileChanged()
    expect({ loads, delayed: delayed() }).toEqual({ loads: 0, delayed: 1 })
    pass()
    await watcher.reload()
    expect(loads).toBe(2)
    expect(seen[0]).toBe('1 to 2 listen.port')
  })

  it('a reload makes a pending one needless', async () => {
    const { watcher, delayed } = await watch(() => load({ yaml: '' }))
    watcher.fileChanged()
    await watcher.reload()
    expect(delayed()).toBe(0)
  })

  it('of two reloads at once, the later one wins', async () => {
    const waiting: ((result: LoadResult) => void)[] = []
    const { watcher, seen } = await watch(() => new Promise((resolve) => waiting.push(resolve)))
    const both = Promise.all([watcher.reload(), watcher.reload()])
    await Promise.resolve()
    expect(waiting).toHaveLength(1)
    waiting[0]?.(await loaded('listen: { port: 2 }'))
    await Promise.race([both, new Promise((resolve) => setImmediate(resolve))])
    waiting[1]?.(await loaded('listen: { port: 3 }'))
    await both
    expect(seen).toEqual(['1 to 2 listen.port', '2 to 3 listen.port'])
  })

  it('reads nothing and says nothing after it was stopped', async () => {
    let loads = 0
    const { watcher, seen, delayed } = await watch(() => {
      loads++
      return load({ yaml: 'metrics: 3' })
    })
    const reloading = watcher.reload()
    watcher.fileChanged()
    watcher.stop()
    watcher.fileChanged()
    await Promise.all([reloading, watcher.reload()])
    expect({ seen, delayed: delayed(), loads }).toEqual({ seen: [], delayed: 0, loads: 0 })
  })

  it('a new address or size of headers waits for a restart, until the old one is back', async () => {
    const files = ['listen: { port: 1, host: "::1" }', 'limits: { headerBytes: 2048 }', 'listen: { port: 1 }']
    const { watcher, seen } = await watch(() => load({ yaml: files.shift() ?? '' }))
    await watcher.reload()
    await watcher.reload()
    await watcher.reload()
    expect(seen).toEqual(['1 to 1 listen.host', '1 to 12377 listen.port limits.headerBytes', '12377 to 1'])
  })

  it('no configuration without keys takes the place of one that others can reach', async () => {
    const seen: string[] = []
    const key = `keys: [{ name: a, sha256: "${'0'.repeat(64)}" }]`
    const watcher = createConfigWatcher({
      initial: await loaded(`listen: { host: 0.0.0.0 }\n${key}`),
      load: () => load({ yaml: 'listen: { host: 127.0.0.1 }' }),
      onChange: () => seen.push('taken'),
      onError: ({ errors }) => seen.push(...errors.map(({ path, message }) => `${path}: ${message}`)),
      delay: () => () => {},
    })
    expect((await watcher.reload()).keys).toHaveLength(1)
    expect(seen).toEqual([
      'keys: the gateway listens on 0.0.0.0 until it is restarted, and clients need keys there',
    ])
  })
})

import { describe, expect, it } from 'vitest'
import { BlockPool, ChunkLog } from '../../src/inspection/chunk-log.ts'
import { type ExchangeSource, withRecordings } from '../../src/inspection/exchange-source.ts'
import { listExchanges } from '../../src/inspection/list-exchanges.ts'
import { LiveExchanges } from '../../src/inspection/live-exchanges.ts'

function memory(bytes: number): LiveExchanges {
  return new LiveExchanges({ bytes, now: () => performance.now(), redact: (text) => text })
}

function about(requestId: string): Parameters<LiveExchanges['open']>[0] {
  const asked = { path: '/v1/messages', query: {} }
  return { requestId, dialect: 'anthropic-messages', asked, userAgent: undefined }
}

function read({ chunks }: ReturnType<ChunkLog['chunksOf']>): string[] {
  return chunks.map((chunk) => Buffer.from(chunk).toString('utf8'))
}

describe('exchanges in memory', () => {
  it('ten thousand of them are listed page by page, each once', async () => {
    const live = memory(1e9)
    live.watcher = { changed: () => {}, gone: () => {} }
    for (let at = 0; at < 10_000; at++) live.open(about(`r${at}`)).end(200, 0)
    const pages = async (cursor: string | null): Promise<string[]> => {
      const { exchanges, next } = await listExchanges(live, cursor, 500)
      const ids = exchanges.map(({ id }) => id)
      return next === null ? ids : [...ids, ...(await pages(next))]
    }
    expect(new Set(await pages(null)).size).toBe(10_000)
  })

  it('never take more than they may, whatever is written into them', () => {
    const live = memory(300_000)
    for (let at = 0; at < 200; at++) {
      const exchange = live.open(about(`r${at}`))
      exchange.clientRequest(Buffer.alloc(3000))
      for (let chunk = 0; chunk < 20; chunk++) exchange.clientChunk('é'.repeat(chunk * 100))
      expect(live.usedBytes).toBeLessThanOrEqual(300_000)
    }
    expect(live.has('r199')).toBe(true)
    expect(live.has('r0')).toBe(false)
  })

  it('tell nobody while nobody looks', () => {
    const live = memory(1e6)
    const told: string[] = []
    live.open(about('before')).end(200, 0)
    live.watcher = { changed: (id) => told.push(id), gone: (id) => told.push(id) }
    live.open(about('behind')).end(200, 0)
    expect(new Set(told)).toEqual(new Set(['behind']))
  })
})

interface Flood {
  readonly live: LiveExchanges
  readonly clock: { ms: number }
  readonly pour: (from: number, to: number) => void
}

/** The numbers of those that are still there. */
function kept(live: LiveExchanges, from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, at) => from + at).filter((at) => live.has(`r${at}`))
}

describe('exchanges that come by the hundred in a second', () => {
  const request = Buffer.from('{"model":"m"}')

  /** So many have come in the same moment that no more are kept whole. */
  function flooded(): Flood {
    const clock = { ms: 0 }
    const live = new LiveExchanges({ bytes: 1e9, now: () => clock.ms, redact: (text) => text })
    const pour = (from: number, to: number): void => {
      for (let at = from; at < to; at++) {
        const exchange = live.open(about(`r${at}`))
        exchange.clientRequest(request)
        exchange.clientChunk('said')
        exchange.end(200, 0)
      }
    }
    pour(0, 1000)
    return { live, clock, pour }
  }

  it('are not there beyond the first thousand, but for the latest, and those as an outline', async () => {
    const { live, pour } = flooded()
    pour(1000, 2000)
    const { usedBytes } = live
    pour(2000, 3000)
    expect(kept(live, 0, 3000)).toEqual(Array.from({ length: 1016 }, (_, at) => (at < 1000 ? at : 1984 + at)))
    expect((await live.find('r2999'))?.details().keeps).toBe('outline')
    const listed = await live.listedAfter(null)
    expect(listed).toHaveLength(1016)
    expect(listed.map(({ id }) => id)).toContain('r2999')
    expect(live.usedBytes).toBe(usedBytes)
  })

  it('twenty of them are kept whole in every second', () => {
    const { live, clock, pour } = flooded()
    clock.ms += 1000
    pour(1000, 2000)
    expect(kept(live, 1000, 1984)).toEqual(Array.from({ length: 20 }, (_, at) => 1000 + at))
  })

  it('are listed as an outline if something went wrong in them', async () => {
    const { live, pour } = flooded()
    const { usedBytes } = live
    const failed = live.open(about('failed'))
    failed.clientRequest(request)
    failed.clientChunk('said')
    failed.tell('problem', 'truncated-call', 'The call was cut off.')
    expect(live.has('failed')).toBe(false)
    failed.end(502, 0)
    pour(1000, 1100)
    const shown = await live.find('failed')
    expect(shown?.details()).toMatchObject({ keeps: 'outline', told: [{ code: 'truncated-call' }] })
    expect(await shown?.stage('client-response', 0)).toEqual({ chunks: [], next: null })
    expect(await shown?.request(1e6)).toBeUndefined()
    expect(live.usedBytes).toBeGreaterThan(usedBytes)
    live.limit(0)
    expect(live.usedBytes).toBe(0)
  })

  it('are kept whole while somebody looks', async () => {
    const { live, pour } = flooded()
    live.watcher = { changed: () => {}, gone: () => {} }
    pour(1000, 1100)
    expect(kept(live, 1000, 1100)).toHaveLength(100)
    const shown = await live.find('r1099')
    expect(shown?.details().keeps).toBe('everything')
  })

  it('that were under way as an outline when somebody came to look are listed at their end', () => {
    const { live } = flooded()
    const exchange = live.open(about('under-way'))
    live.watcher = { changed: () => {}, gone: () => {} }
    exchange.end(200, 0)
    expect(live.has('under-way')).toBe(true)
  })

  it('are shown by their recording where there is one', async () => {
    const { live } = flooded()
    const failed = live.open(about('failed'))
    failed.tell('problem', 'truncated-call', 'The call was cut off.')
    failed.end(502, 0)
    const whole = await live.find('r0')
    const recorded: ExchangeSource = {
      listedAfter: () => Promise.resolve([]),
      find: () => Promise.resolve(whole),
    }
    const source = withRecordings(live, recorded)
    expect(await source.find('failed')).toBe(whole)
  })
})

describe('exchanges that fill the memory faster than anybody could look', () => {
  const SIZE = 20_000

  /** A memory for fifty exchanges, which is full, and a clock that stands still. */
  function flooded(): Flood {
    const clock = { ms: 0 }
    const live = new LiveExchanges({ bytes: 50 * SIZE, now: () => clock.ms, redact: (text) => text })
    const pour = (from: number, to: number): void => {
      for (let at = from; at < to; at++) {
        const exchange = live.open(about(`r${at}`))
        exchange.clientRequest(Buffer.alloc(SIZE - 2048))
        exchange.end(200, 0)
      }
    }
    pour(0, 1000)
    return { live, clock, pour }
  }

  it('are there if they are the latest, and so are the first for which there was room', () => {
    const { live } = flooded()
    expect(kept(live, 984, 1000)).toHaveLength(16)
    expect(kept(live, 50, 984)).toEqual([])
    expect(kept(live, 0, 50).length).toBeGreaterThan(30)
  })

  it('push each other out again if some time has passed', () => {
    const { live, clock, pour } = flooded()
    clock.ms += 8000
    pour(1000, 1100)
    expect(kept(live, 984, 1084)).toEqual(Array.from({ length: 25 }, (_, at) => 984 + at))
    clock.ms += 16_000
    pour(1100, 1134)
    expect(kept(live, 1084, 1134)).toHaveLength(50)
  })

  it('are kept if something went wrong in them', () => {
    const { live, pour } = flooded()
    const failed = live.open(about('failed'))
    failed.failed({ kind: 'upstream', code: 'upstream_status', message: 'no' })
    failed.end(502, 0)
    const repaired = live.open(about('repaired'))
    repaired.tell('repair', 'trailing-comma', 'A comma was removed.')
    repaired.end(200, 0)
    pour(1000, 1040)
    expect([live.has('failed'), live.has('repaired'), live.has('r1000')]).toEqual([true, true, false])
  })

  it('are all kept while somebody looks, the oldest going first', () => {
    const { live, pour } = flooded()
    live.watcher = { changed: () => {}, gone: () => {} }
    pour(1000, 1050)
    expect(kept(live, 1000, 1050)).toHaveLength(50)
  })
})

describe('a log of chunks', () => {
  const lengths = [1, 16_383, 3, 40_000, 16_384, 5]
  const texts = lengths.map((length, at) => 'aé𝄞'.repeat(length).slice(at % 2))

  it('gives back every chunk as it was, also across its blocks', () => {
    const log = new ChunkLog(new BlockPool())
    for (const text of [...texts, ...lengths.map((length) => 'x'.repeat(length))]) {
      log.add('said', Buffer.from(text), 1)
      log.add('got', text, 2.25)
    }
    expect(read(log.chunksOf('got'))).toEqual([...texts, ...lengths.map((length) => 'x'.repeat(length))])
    expect(read(log.chunksOf('said'))).toEqual(read(log.chunksOf('got')))
    expect([...new Set(log.chunksOf('said').times), ...new Set(log.chunksOf('got').times)]).toEqual([1, 2.25])
  })

  it('begins a block where a header does not fit into the last one any more', () => {
    for (let room = 0; room < 20; room++) {
      const log = new ChunkLog(new BlockPool())
      log.add('said', Buffer.alloc(16_384 - 8 - room), 0)
      log.add('got', 'behind', 0)
      expect(read(log.chunksOf('got'))).toEqual(['behind'])
    }
  })

  it('knows of an upstream that was asked again only what it was asked and said since', () => {
    const log = new ChunkLog(new BlockPool())
    log.add('asked', 'first', 0)
    log.add('said', Buffer.from('refused'), 0)
    log.add('got', 'ping', 1)
    log.beginAnew()
    log.add('asked', 'again', 2)
    log.add('said', Buffer.from('answered'), 2)
    expect(read(log.chunksOf('said'))).toEqual(['answered'])
    expect(read(log.chunksOf('asked'))).toEqual(['again'])
    expect(log.chunksOf('said').times).toEqual([2])
    expect(read(log.chunksOf('got'))).toEqual(['ping'])
  })

  it('keeps what was read of it when its blocks are used by another', () => {
    const pool = new BlockPool()
    const log = new ChunkLog(pool)
    log.add('got', 'mine', 0)
    const got = log.chunksOf('got')
    log.giveBack()
    new ChunkLog(pool).add('got', 'yours', 0)
    expect(Buffer.from(got.chunks[0] ?? '').toString('utf8')).toBe('mine')
    expect(read(log.chunksOf('got'))).toEqual([])
  })
})

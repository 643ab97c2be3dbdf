import { describe, expect, it } from 'vitest'
import { BlockPool, ChunkStore, StoredStage } from '../../src/inspection/chunk-store.ts'
import { listExchanges } from '../../src/inspection/list-exchanges.ts'
import { LiveExchanges } from '../../src/inspection/live-exchanges.ts'

function memory(bytes: number): LiveExchanges {
  return new LiveExchanges({ bytes, now: () => performance.now(), redact: (text) => text })
}

function about(requestId: string): Parameters<LiveExchanges['open']>[0] {
  const asked = { path: '/v1/messages', query: {} }
  return { requestId, dialect: 'anthropic-messages', asked, userAgent: undefined }
}

describe('exchanges in memory', () => {
  it('ten thousand of them are listed page by page, each once', async () => {
    const live = memory(1e9)
    for (let at = 0; at < 10_000; at++) live.open(about(`r${at}`)).end(200)
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
    live.open(about('before')).end(200)
    live.watcher = { changed: (id) => told.push(id), gone: (id) => told.push(id) }
    live.open(about('behind')).end(200)
    expect(new Set(told)).toEqual(new Set(['behind']))
  })
})

describe('a store of chunks', () => {
  it('gives back every chunk as it was, also across its blocks', () => {
    const store = new ChunkStore(new BlockPool())
    const stage = new StoredStage()
    const texts = [1, 16_383, 3, 40_000, 16_384, 5].map((length, at) => 'aé𝄞'.repeat(length).slice(at % 2))
    for (const text of texts) {
      store.add(stage, text, 0)
      store.add(stage, Buffer.from(text), 1)
    }
    const { chunks } = store.chunksOf(stage)
    expect(
      chunks.map((chunk) => Buffer.from(chunk).toString('utf8')).every((text, at) => text === texts[at >> 1]),
    ).toBe(true)
  })
})

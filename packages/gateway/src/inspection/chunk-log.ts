import type { KeptChunks } from './stage-part.ts'

/** Small answers fit into one block, and not too much of the last one is wasted. */
const BLOCK_BYTES = 16_384

/** Blocks are made so many at a time: each by itself, they would lie scattered among the buffers of connections. */
const SLAB_BLOCKS = 64

/** The length of a chunk with its source, and its time. */
const HEADER_BYTES = 8

/** Times are kept in hundredths of a millisecond, which fill four bytes after twelve hours. */
const TIMES_A_MS = 100
const LATEST = 0xff_ff_ff_ff

/**
 * What a chunk is a part of: what the upstream was asked, what it said, what the client got. `anew`: the upstream is asked
 * again, and what it was asked and said before counts no more.
 */
const sources = ['said', 'got', 'asked', 'anew'] as const
type Source = (typeof sources)[number]
export type KeptStage = Exclude<Source, 'anew'>

/**
 * Blocks of memory that exchanges write their chunks into and give back. Chunks that were kept as they are would live long
 * enough to be moved and counted by every collection of garbage, which costs more than to copy them. The blocks lie in shared
 * buffers although no other thread sees them: V8 counts every other kind of buffer when it decides whether to collect, so that
 * 32 MiB of them made it collect half again as often.
 */
export class BlockPool {
  private readonly free: Buffer[] = []

  take(): Buffer {
    return this.free.pop() ?? this.firstOfSlab()
  }

  give(blocks: readonly Buffer[]): void {
    this.free.push(...blocks)
  }

  private firstOfSlab(): Buffer {
    const slab = Buffer.from(new SharedArrayBuffer(SLAB_BLOCKS * BLOCK_BYTES))
    for (let start = BLOCK_BYTES; start < slab.length; start += BLOCK_BYTES) {
      this.free.push(slab.subarray(start, start + BLOCK_BYTES))
    }
    return slab.subarray(0, BLOCK_BYTES)
  }
}

/**
 * What the upstream was asked and said and the client got in one exchange, in the order of time: a header and the bytes of each chunk, one
 * behind the other in blocks of a pool. No object is made for a chunk, because thousands of them would outlive their answer.
 */
export class ChunkLog {
  private readonly pool: BlockPool
  private readonly blocks: Buffer[] = []
  private used = BLOCK_BYTES

  constructor(pool: BlockPool) {
    this.pool = pool
  }

  /** How many bytes of memory it takes. */
  get size(): number {
    return this.blocks.length * BLOCK_BYTES
  }

  add(source: KeptStage, chunk: string | Uint8Array, at: number): void {
    if (typeof chunk !== 'string') {
      this.addBytes(source, chunk, at)
    } else if (Buffer.byteLength(chunk) === chunk.length) {
      // Nearly all of what is sent is ASCII, which is copied in half the time that it takes to encode it.
      this.addAscii(source, chunk, at)
    } else {
      this.addBytes(source, Buffer.from(chunk), at)
    }
  }

  /** The upstream is asked again. */
  beginAnew(): void {
    if (this.blocks.length > 0) this.addHeader('anew', 0, 0)
  }

  /** The chunks of one stage; of the upstream's those since it was asked the last time. */
  chunksOf(wanted: KeptStage): KeptChunks {
    const chunks: Buffer[] = []
    const times: number[] = []
    const reader = new BlockReader(this.blocks, this.used)
    while (!reader.isAtEnd) {
      const header = reader.take(HEADER_BYTES, 'whole')
      const told = header.readUInt32LE(0)
      const source = sources[told % 4]
      const bytes = reader.take(Math.floor(told / 4), 'in parts')
      if (source === 'anew' && wanted !== 'got') {
        chunks.length = 0
        times.length = 0
      } else if (source === wanted) {
        chunks.push(bytes)
        times.push(header.readUInt32LE(4) / TIMES_A_MS)
      }
    }
    return { chunks, times }
  }

  /** Everything in it is lost. */
  giveBack(): void {
    this.pool.give(this.blocks)
    this.blocks.length = 0
    this.used = BLOCK_BYTES
  }

  private addAscii(source: Source, text: string, at: number): void {
    this.addHeader(source, text.length, at)
    for (let written = 0; written < text.length;) {
      const block = this.blockWithRoom(1)
      const part = text.slice(written, written + BLOCK_BYTES - this.used)
      block.write(part, this.used, 'latin1')
      this.used += part.length
      written += part.length
    }
  }

  private addBytes(source: Source, bytes: Uint8Array, at: number): void {
    this.addHeader(source, bytes.length, at)
    for (let written = 0; written < bytes.length;) {
      const block = this.blockWithRoom(1)
      const part = bytes.subarray(written, written + BLOCK_BYTES - this.used)
      block.set(part, this.used)
      this.used += part.length
      written += part.length
    }
  }

  private addHeader(source: Source, length: number, at: number): void {
    const block = this.blockWithRoom(HEADER_BYTES)
    block.writeUInt32LE(length * 4 + sources.indexOf(source), this.used)
    block.writeUInt32LE(Math.min(Math.round(at * TIMES_A_MS), LATEST), this.used + 4)
    this.used += HEADER_BYTES
  }

  private blockWithRoom(bytes: number): Buffer {
    const last = this.blocks.at(-1)
    if (last !== undefined && this.used + bytes <= BLOCK_BYTES) return last
    const block = this.pool.take()
    this.blocks.push(block)
    this.used = 0
    return block
  }
}

/** Reads blocks in the order in which they were written. `used`: how much of the last one was. */
class BlockReader {
  private readonly blocks: readonly Buffer[]
  private readonly used: number
  private at = 0
  private offset = 0

  constructor(blocks: readonly Buffer[], used: number) {
    this.blocks = blocks
    this.used = used
  }

  get isAtEnd(): boolean {
    const last = this.blocks.length - 1
    return this.at > last || (this.at === last && this.offset >= this.used)
  }

  /** A copy: what is shown must not change when the block is given back. */
  take(bytes: number, how: 'whole' | 'in parts'): Buffer {
    const taken = Buffer.alloc(bytes)
    for (let done = 0; done < bytes && !this.isAtEnd;) {
      const room = BLOCK_BYTES - this.offset
      if (room < (how === 'whole' ? bytes : 1)) {
        this.at++
        this.offset = 0
        continue
      }
      const count = this.blocks[this.at]?.copy(taken, done, this.offset, this.offset + bytes - done) ?? 0
      this.offset += count
      done += count
    }
    return taken
  }
}

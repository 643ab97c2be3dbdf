import type { KeptChunks } from './stage-part.ts'

/** Small answers fit into one block, and not too much of the last one is wasted. */
const BLOCK_BYTES = 16_384

/** What an entry of the lists takes. */
const ENTRY_BYTES = 32

/**
 * Blocks of memory that exchanges write their chunks into and give back. Chunks that were kept as they are would live long
 * enough to be moved and counted by every collection of garbage, which costs more than to copy them.
 */
export class BlockPool {
  private readonly free: Buffer[] = []

  take(): Buffer {
    return this.free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES)
  }

  give(blocks: readonly Buffer[]): void {
    this.free.push(...blocks)
  }
}

/** The chunks of the stages of one exchange, in blocks of a pool. */
export class ChunkStore {
  private readonly pool: BlockPool
  private readonly blocks: Buffer[] = []
  private used = BLOCK_BYTES

  constructor(pool: BlockPool) {
    this.pool = pool
  }

  /** Returns by how many bytes the store has grown. */
  add(stage: StoredStage, chunk: string | Uint8Array, at: number): number {
    const before = this.blocks.length
    stage.times.push(at)
    stage.firstParts.push(stage.parts.length)
    if (typeof chunk === 'string') this.addText(stage, chunk)
    else this.addBytes(stage, chunk)
    return (this.blocks.length - before) * BLOCK_BYTES + ENTRY_BYTES
  }

  chunksOf({ parts, firstParts, times }: StoredStage): KeptChunks {
    const chunks = firstParts.map((first, chunk) => {
      const of = parts.slice(first, firstParts[chunk + 1]).map((part) => this.bytesOf(part))
      const [only] = of
      return of.length === 1 && only !== undefined ? only : Buffer.concat(of)
    })
    return { chunks, times }
  }

  /** Everything in it is lost. */
  giveBack(): void {
    this.pool.give(this.blocks)
    this.blocks.length = 0
    this.used = BLOCK_BYTES
  }

  private addText(stage: StoredStage, text: string): void {
    // Nearly all of what is sent is ASCII, which is copied in half the time that it takes to encode it.
    if (Buffer.byteLength(text) === text.length) this.addAscii(stage, text)
    else this.addBytes(stage, Buffer.from(text))
  }

  private addAscii(stage: StoredStage, text: string): void {
    for (let at = 0; at < text.length;) {
      if (this.used === BLOCK_BYTES) this.beginBlock()
      const part = text.slice(at, at + BLOCK_BYTES - this.used)
      this.blocks.at(-1)?.write(part, this.used, 'latin1')
      this.keepPart(stage, part.length)
      at += part.length
    }
  }

  private addBytes(stage: StoredStage, bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      if (this.used === BLOCK_BYTES) this.beginBlock()
      const part = bytes.subarray(at, at + BLOCK_BYTES - this.used)
      this.blocks.at(-1)?.set(part, this.used)
      this.keepPart(stage, part.length)
      at += part.length
    }
  }

  private beginBlock(): void {
    this.blocks.push(this.pool.take())
    this.used = 0
  }

  private keepPart({ parts }: StoredStage, length: number): void {
    parts.push(((this.blocks.length - 1) * BLOCK_BYTES + this.used) * SHIFT + length)
    this.used += length
  }

  private bytesOf(part: number): Buffer {
    const position = Math.floor(part / SHIFT)
    const start = position % BLOCK_BYTES
    const block = this.blocks[Math.floor(position / BLOCK_BYTES)]
    // What is shown must not change when the block is given back.
    return Buffer.from(block?.subarray(start, start + (part % SHIFT)) ?? [])
  }
}

/** The position of a part and its length are one number, as three lists of numbers would take three times the room. */
const SHIFT = 32_768

/** One stage in a store: where each chunk lies, and when it came. */
export class StoredStage {
  readonly times: number[] = []
  readonly parts: number[] = []
  readonly firstParts: number[] = []

  clear(): void {
    this.times.length = 0
    this.parts.length = 0
    this.firstParts.length = 0
  }
}

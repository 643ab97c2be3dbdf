import type { KeptChunks } from './stage-part.ts'

/** Small answers fit into one block, and not too much of the last one is wasted. */
const BLOCK_BYTES = 16_384

/** From this size on a chunk is kept as it is, if nobody else has a part of its memory: to copy it would cost more. */
export const LARGE_BYTES = 4096

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

/** The chunks of the stages of one exchange: the large ones as they came, the others in blocks of a pool. */
export class ChunkStore {
  private readonly pool: BlockPool
  private readonly blocks: Buffer[] = []
  private readonly large: Uint8Array[] = []
  private used = BLOCK_BYTES

  constructor(pool: BlockPool) {
    this.pool = pool
  }

  /** Returns by how many bytes the store has grown. */
  add(stage: StoredStage, chunk: string | Uint8Array, at: number): number {
    const before = this.blocks.length
    stage.times.push(at)
    stage.firstParts.push(stage.parts.length)
    if (typeof chunk !== 'string' && isLargeOwn(chunk)) {
      this.large.push(chunk)
      // Below zero, so that no part of a block is taken for it.
      stage.parts.push(-this.large.length)
      return chunk.length + ENTRY_BYTES
    }
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
    this.large.length = 0
    this.used = BLOCK_BYTES
  }

  private addText(stage: StoredStage, text: string): void {
    const room = BLOCK_BYTES - this.used
    const block = this.blocks.at(-1)
    // To count the bytes is cheaper than to write in pieces.
    if (block !== undefined && text.length <= room && Buffer.byteLength(text) <= room) {
      this.keepPart(stage, block.write(text, this.used))
      return
    }
    let rest = text
    while (rest !== '') {
      if (BLOCK_BYTES - this.used < 4) this.beginBlock()
      const { read, written } = encoder.encodeInto(rest, this.room())
      this.keepPart(stage, written)
      rest = rest.slice(read)
      if (rest !== '') this.used = BLOCK_BYTES
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

  private room(): Uint8Array {
    return this.blocks.at(-1)?.subarray(this.used) ?? new Uint8Array(0)
  }

  private beginBlock(): void {
    this.blocks.push(this.pool.take())
    this.used = 0
  }

  private keepPart({ parts }: StoredStage, length: number): void {
    parts.push(((this.blocks.length - 1) * BLOCK_BYTES + this.used) * SHIFT + length)
    this.used += length
  }

  private bytesOf(part: number): Uint8Array {
    if (part < 0) return this.large[-part - 1] ?? new Uint8Array(0)
    const position = Math.floor(part / SHIFT)
    const start = position % BLOCK_BYTES
    const block = this.blocks[Math.floor(position / BLOCK_BYTES)]
    // What is shown must not change when the block is given back.
    return Buffer.from(block?.subarray(start, start + (part % SHIFT)) ?? [])
  }
}

/** Part of a larger memory, a chunk would keep all of it. */
function isLargeOwn({ length, buffer }: Uint8Array): boolean {
  return length >= LARGE_BYTES && length === buffer.byteLength
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

const encoder = new TextEncoder()

import { createReadStream } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { recordingPlace } from '../recorder/recording-folder.ts'
import type { Redactor } from '../security/redact.ts'
import {
  byPlace,
  type ExchangeSource,
  type ListedExchange,
  type Place,
  type ShownExchange,
} from './exchange-source.ts'
import { modelIn, RecordedShown } from './recorded-exchange.ts'
import { RecordingScanner, type ScannedRecording } from './recording-scan.ts'

/** How many files are remembered that were looked through. */
const MOST_REMEMBERED = 2000

/** A file is read in steps of this size. */
const STEP_BYTES = 1_048_576

interface Known {
  readonly stamp: string
  readonly scanned: ScannedRecording
  readonly model: string
}

interface FilePlace extends Place {
  readonly path: string
}

/** The recordings in a folder, or in one file. Each is looked through when it is first shown, and never held whole. */
export class RecordedExchanges implements ExchangeSource {
  private readonly at: string
  private readonly redact: Redactor
  private readonly known = new Map<string, Known>()
  private readonly files: 'ours' | 'any'

  /** `files`: whether only those count that have the name of a recording, or any that holds one. */
  constructor(at: string, files: 'ours' | 'any', redact: Redactor) {
    this.at = at
    this.files = files
    this.redact = redact
  }

  async listedAfter(place: Place | null): Promise<readonly ListedExchange[]> {
    const all = await this.places()
    const later = place === null ? all : all.filter((each) => byPlace(place, each) < 0)
    return later.toSorted(byPlace).map((each) => ({
      time: each.time,
      id: each.id,
      look: () => this.lookAt(each),
    }))
  }

  async find(id: string): Promise<ShownExchange | undefined> {
    const place = (await this.places()).find((each) => each.id === id)
    return place === undefined ? undefined : this.lookAt(place)
  }

  private async lookAt(place: FilePlace): Promise<ShownExchange | undefined> {
    const known = await this.look(place.path)
    if (known === undefined) return undefined
    return new RecordedShown(place.path, place, known.scanned, known.model, this.redact)
  }

  private async places(): Promise<readonly FilePlace[]> {
    const found = await Promise.all((await this.paths()).map((path) => this.placeOf(path)))
    return found.filter((place) => place !== undefined)
  }

  /** A folder that is not there yet has no recordings. */
  private async paths(): Promise<readonly string[]> {
    const isFolder = await stat(this.at).then(
      (found) => found.isDirectory(),
      () => null,
    )
    if (isFolder === null) return []
    if (!isFolder) return [this.at]
    const names = await readdir(this.at).catch(() => [])
    return names.filter((name) => name.endsWith('.json')).map((name) => join(this.at, name))
  }

  /** The name of a recording says when it was made. In any other file that has to be looked for. */
  private async placeOf(path: string): Promise<FilePlace | undefined> {
    const named = recordingPlace(basename(path))
    if (named !== undefined) return { path, ...named }
    if (this.files === 'ours') return undefined
    const known = await this.look(path)
    if (known === undefined) return undefined
    const time = known.scanned.values.get('time')
    return { path, id: basename(path), time: typeof time === 'string' ? time : '' }
  }

  /** Undefined where the file holds no recording, or cannot be read. */
  private async look(path: string): Promise<Known | undefined> {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined) return undefined
    const stamp = `${found.size} ${found.mtimeMs}`
    const before = this.known.get(path)
    if (before?.stamp === stamp) return isRecording(before.scanned) ? before : undefined
    try {
      const scanned = await scanRecording(path)
      const known = { stamp, scanned, model: await modelIn(path, scanned) }
      this.remember(path, known)
      return isRecording(scanned) ? known : undefined
    } catch {
      return undefined
    }
  }

  private remember(path: string, known: Known): void {
    if (this.known.size >= MOST_REMEMBERED) {
      const [oldest = ''] = this.known.keys()
      this.known.delete(oldest)
    }
    this.known.set(path, known)
  }
}

/** Looks through a file without holding it. */
export async function scanRecording(path: string): Promise<ScannedRecording> {
  const scanner = new RecordingScanner()
  for await (const chunk of createReadStream(path, { highWaterMark: STEP_BYTES })) {
    scanner.push(chunk)
    // What is no JSON may be a disk; a recording tells what it is at its beginning.
    if (!scanner.mayBeRecording) break
  }
  return scanner.end()
}

export function isRecording({ values }: ScannedRecording): boolean {
  return typeof values.get('dragomanRecording') === 'number'
}

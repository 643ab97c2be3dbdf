import { isDeepStrictEqual } from 'node:util'
import type { RecordConfig } from '../config/config.ts'
import { createRecorder, type Recorder, type RecorderOptions } from './recorder.ts'

/** The recorder that the configuration in force asks for. */
export class FollowingRecorder {
  current: Recorder | undefined
  private config: RecordConfig | null = null
  private readonly options: Omit<RecorderOptions, 'config'>
  /** Exchanges that began under an older configuration end in its recorder. */
  private readonly retired: Recorder[] = []

  constructor(config: RecordConfig | null, options: Omit<RecorderOptions, 'config'>) {
    this.options = options
    this.reconfigure(config)
  }

  reconfigure(config: RecordConfig | null): void {
    if (isDeepStrictEqual(config, this.config)) return
    if (this.current !== undefined) this.retired.push(this.current)
    this.config = config
    this.current = config === null ? undefined : createRecorder({ ...this.options, config })
  }

  async close(): Promise<void> {
    const recorders = this.current === undefined ? this.retired : [...this.retired, this.current]
    await Promise.all(recorders.map((recorder) => recorder.close()))
  }
}

import { mkdirSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { pino } from 'pino'
import type { LogConfig } from '../config/config.ts'
import type { Redactor } from '../security/redact.ts'
import { PrettyStream } from './pretty-stream.ts'

/** Where the gateway says what it does. Fields are redacted; bodies and arguments never get here. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = Readonly<Record<string, unknown>>

/** More than this waiting to be written is dropped: a full disk must not fill the memory. */
const MOST_WAITING_BYTES = 4_194_304

export interface LoggerOptions {
  readonly config: LogConfig
  readonly redact: Redactor
  readonly isTerminal: boolean
  readonly onDrop: () => void
}

export function createLogger({
  config,
  redact,
  isTerminal,
  onDrop,
}: LoggerOptions): Logger & { flush(): void } {
  const file = config.file === null ? null : openLog(config.file)
  const destination = pino.destination({
    dest: file ?? 2,
    sync: false,
    maxLength: MOST_WAITING_BYTES,
  })
  destination.on('drop', onDrop)
  // A log that cannot be written is no reason to stop serving.
  destination.on('error', onDrop)
  const stream = isTerminal && file === null ? new PrettyStream(destination) : destination
  const log = pino(
    {
      level: config.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
    },
    { write: (line) => stream.write(redact(line)) },
  )
  if (config.file !== null && file === null) {
    log.error({ file: config.file }, 'the log file cannot be opened; its lines go here')
  }
  return {
    debug: (fields, message) => log.debug(fields, message),
    info: (fields, message) => log.info(fields, message),
    warn: (fields, message) => log.warn(fields, message),
    error: (fields, message) => log.error(fields, message),
    flush: () => destination.flush(),
  }
}

// Opened here and not by the writer: that one would throw at the end of the process if it could not.
function openLog(path: string): number | null {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(path, 'a', 0o600)
  } catch {
    return null
  }
}

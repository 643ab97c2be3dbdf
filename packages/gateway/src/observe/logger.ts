import type { LogConfig } from '../config/config.ts'
import type { Redactor } from '../security/redact.ts'
import { openLogFile, PatientWriter, STDERR } from './patient-writer.ts'
import { PrettyStream } from './pretty-stream.ts'

/** The log of the gateway. Its fields are redacted. Bodies and arguments are never logged. */
export interface Logger {
  debug(fields: LogFields, message: string): void
  info(fields: LogFields, message: string): void
  warn(fields: LogFields, message: string): void
  error(fields: LogFields, message: string): void
}

export type LogFields = Readonly<Record<string, unknown>>

export interface LoggerOptions {
  readonly config: LogConfig
  readonly redact: Redactor
  readonly isTerminal: boolean
  readonly onDrop: (lines: number) => void
}

/** A log whose level and file can change while it is in use. */
export interface ServiceLogger extends Logger {
  reconfigure(config: LogConfig): void
  /** Opens the file again: a program that rotates logs has renamed the old one. */
  reopen(): void
  /** Writes the lines that still wait, as far as the destination takes them. */
  close(): Promise<void>
}

const levels = ['debug', 'info', 'warn', 'error'] as const

type Level = (typeof levels)[number]

export function createLogger({ config, redact, isTerminal, onDrop }: LoggerOptions): ServiceLogger {
  let { file } = config
  let writer: PatientWriter
  let stream: { write(text: string): unknown }
  let lowest = levels.indexOf(config.level)
  let retired: Promise<unknown> = Promise.resolve()
  const log = (level: Level, fields: LogFields, message: string): void => {
    if (levels.indexOf(level) >= lowest) stream.write(redact(lineOf(level, fields, message)))
  }
  const open = (): void => {
    const opened = file === null ? null : openLogFile(file)
    writer = new PatientWriter(opened ?? STDERR, onDrop)
    stream = isTerminal && opened === null ? new PrettyStream(writer) : writer
    if (file !== null && opened === null) {
      log('error', { file }, 'the log file cannot be opened; its lines go here')
    }
  }
  const openAnew = (): void => {
    const old = writer
    open()
    retired = Promise.all([retired, old.close()])
  }
  open()
  return {
    debug: (fields, message) => log('debug', fields, message),
    info: (fields, message) => log('info', fields, message),
    warn: (fields, message) => log('warn', fields, message),
    error: (fields, message) => log('error', fields, message),
    reconfigure(next) {
      lowest = levels.indexOf(next.level)
      if (next.file === file) return
      file = next.file
      openAnew()
    },
    reopen() {
      if (file !== null) openAnew()
    },
    async close() {
      await Promise.all([retired, writer.close()])
    },
  }
}

function lineOf(level: Level, fields: LogFields, message: string): string {
  const members = JSON.stringify(fields).slice(1, -1)
  const said = members === '' ? '' : `${members},`
  return `{"level":"${level}","time":"${timeNow()}",${said}"msg":${JSON.stringify(message)}}\n`
}

/** The date is formatted once a second. For every line it would take as long as the rest of the line. */
let second = -1
let untilSecond = ''

function timeNow(): string {
  const now = Date.now()
  const at = Math.floor(now / 1000)
  if (at !== second) {
    second = at
    untilSecond = new Date(now).toISOString().slice(0, -'123Z'.length)
  }
  return `${untilSecond}${String(now % 1000).padStart(3, '0')}Z`
}

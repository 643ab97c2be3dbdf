import { readableFormat } from './shared-options.ts'
import { channels, finishReasons, type ParseSettings } from './parse-settings.ts'
import { areTools } from './tools-file.ts'
import { isObject } from '../base/is-object.ts'

/** A line of `parse --jsonl`: the text of one answer, in the pieces in which it is pushed. */
export interface ParseRequest extends ParseSettings {
  readonly pieces: readonly string[]
}

/** An error in a line, in words for whoever wrote it. */
class LineError extends Error {}

/** Parses a line. `readParseRequest` reads its fields. */
export function parseRequestLine(line: string): Readonly<Record<string, unknown>> {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    throw new LineError(`not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
  if (!isObject(value)) throw new LineError('not a JSON object')
  return value
}

/** Reads the fields of a line. A field that is missing or null is taken from `defaults`. */
export function readParseRequest(
  fields: Readonly<Record<string, unknown>>,
  defaults: ParseSettings,
): ParseRequest {
  const format = read(fields, 'format', isText, 'a string')
  return {
    pieces: readPieces(fields),
    format: format === undefined ? defaults.format : readableFormat(format),
    model: read(fields, 'model', isText, 'a string') ?? defaults.model,
    tools: read(fields, 'tools', areTools, 'an array of objects') ?? defaults.tools,
    channel: read(fields, 'channel', isChannel, `one of ${channels.join(', ')}`) ?? defaults.channel,
    promptOpensReasoning:
      read(fields, 'promptOpensReasoning', isBoolean, 'true or false') ?? defaults.promptOpensReasoning,
    promptTail: read(fields, 'promptTail', isText, 'a string') ?? defaults.promptTail,
    finishReason:
      read(fields, 'finishReason', isFinishReason, `one of ${finishReasons.join(', ')}`) ??
      defaults.finishReason,
  }
}

function readPieces(fields: Readonly<Record<string, unknown>>): readonly string[] {
  const raw = read(fields, 'raw', isText, 'a string')
  const pieces = read(fields, 'chunks', isTexts, 'an array of strings') ?? (raw === undefined ? raw : [raw])
  if (pieces === undefined) throw new LineError('"raw" is missing: the text to parse, as a string')
  return pieces
}

function read<Value>(
  fields: Readonly<Record<string, unknown>>,
  name: string,
  is: (value: unknown) => value is Value,
  expected: string,
): Value | undefined {
  const value = Object.hasOwn(fields, name) ? fields[name] : undefined
  if (value === undefined || value === null) return undefined
  if (!is(value)) throw new LineError(`"${name}" must be ${expected}`)
  return value
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every(isText)
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

function isChannel(value: unknown): value is (typeof channels)[number] {
  return channels.some((channel) => channel === value)
}

function isFinishReason(value: unknown): value is (typeof finishReasons)[number] {
  return finishReasons.some((reason) => reason === value)
}

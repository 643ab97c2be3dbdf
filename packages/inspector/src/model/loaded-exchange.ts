import { type ExchangeDetails, type StageChunk, stageIds, type StageId } from '../api.ts'
import { ask } from '../reading/ask.ts'
import type { BothReadings, Input } from '../reading/protocol.ts'
import { gateway } from './gateway.ts'
import { isRecord, parsed } from './json.ts'
import { settingsOf, usualSettings } from './workbench.ts'

export type Stages = Readonly<Record<StageId, readonly StageChunk[]>>

/** An exchange with its four stages, and what both of its answers say. */
export interface LoadedExchange extends BothReadings {
  readonly details: ExchangeDetails
  readonly stages: Stages
  /** Whether all of each stage was loaded. */
  readonly isWhole: boolean
  /** Whether nothing follows what was loaded: it is whole, and no longer runs. */
  readonly isEnded: boolean
  /** What the upstream said, and how the gateway read it. */
  readonly input: Input
}

export async function loadExchange(id: string): Promise<LoadedExchange> {
  const [details, ...loaded] = await Promise.all([
    gateway.details(id),
    ...stageIds.map((stage) => gateway.stage(id, stage)),
  ])
  const [asked = [], sent = [], said = [], got = []] = loaded.map(({ chunks }) => chunks)
  const request = parsed(textOf(sent))
  const settings = settingsOf(details.upstream?.reading, isRecord(request) ? request['tools'] : undefined)
  const input: Input = { source: said.map(({ text }) => text), as: 'auto', settings }
  const clientInput: Input = { source: got.map(({ text }) => text), as: 'auto', settings: structured }
  const isWhole = loaded.every((stage) => stage.isWhole)
  const isEnded = isWhole && details.summary.state !== 'running'
  return {
    details,
    stages: {
      'client-request': asked,
      'upstream-request': sent,
      'upstream-response': said,
      'client-response': got,
    },
    isWhole,
    isEnded,
    input,
    ...(await ask('both', { said: input, got: clientInput, isEnded })),
  }
}

/** A client takes text for text: calls come to it structured. */
const structured = { ...usualSettings, format: 'standard' }

export function textOf(chunks: readonly StageChunk[]): string {
  return chunks.map(({ text }) => text).join('')
}

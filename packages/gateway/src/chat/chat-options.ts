import type { FormatId } from '@dragoman/core'
import type { GatewayConfig } from '../config/config.ts'
import type { BuiltInServer } from '../upstream/upstreams.ts'

/** What the command line says about a chat. */
export interface ChatOptions {
  readonly config: GatewayConfig
  /** Starts the server that answers where no upstream is configured. */
  readonly startSimulator: () => Promise<BuiltInServer>
  readonly model: string | undefined
  readonly toolFormat: FormatId | 'auto' | null
  /** What to ask, instead of reading inputs. */
  readonly prompt: string | undefined
  readonly isJson: boolean
  readonly allowsWrites: boolean
  readonly allowsCommands: boolean
  /** Which conversation to go on with: the latest of this folder, or the one of a name. */
  readonly resume: { readonly name: string | undefined } | undefined
}

import type { FormatId } from '@dragoman/core'
import type { GatewayConfig } from '../config/config.ts'
import type { BuiltInServer } from '../upstream/upstreams.ts'

/** What the command line and the configuration say about a chat. */
export interface ChatOptions {
  readonly config: GatewayConfig
  /** Starts the server that answers where no upstream is configured. */
  readonly startSimulator: () => Promise<BuiltInServer>
  readonly model: string | undefined
  readonly toolFormat: FormatId | 'auto' | null
  /** The only question, in place of typed inputs. */
  readonly prompt: string | undefined
  readonly isJson: boolean
  readonly allowsWrites: boolean
  readonly allowsCommands: boolean
  /** The conversation to resume: the one of this name, or without a name the latest one of this folder. */
  readonly resume: { readonly name: string | undefined } | undefined
}

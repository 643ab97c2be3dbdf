import type { Failure } from './failure.ts'
import { quotesOthers } from './quotations.ts'

/**
 * What servers report with a status on which clients do the wrong thing: they try again what can never work, or give up
 * what would work a moment later. Null where the message is none of these.
 */
export function readMisreported(message: string): Failure | null {
  const text = message.slice(0, LONGEST_READ)
  if (quotesOthers(text)) return null
  const passing = passingFaults.find(({ words }) => words.test(text))
  if (passing !== undefined) return { ...passing.failure, message }
  const lasting = lastingFaults.find(({ words }) => words.test(text))
  if (lasting === undefined) return null
  return {
    kind: 'invalid-request',
    code: 'upstream_unsupported',
    message: `${withFullStop(message)} ${lasting.change}`,
    status: 400,
  }
}

/** A message may quote the whole request, or all that a model wrote. */
const LONGEST_READ = 1000

/** What is gone when the client tries again. */
const passingFaults: readonly { readonly words: RegExp; readonly failure: Omit<Failure, 'message'> }[] = [
  // llama.cpp says so while it writes, with status 500 or in the stream: all answers together have filled its cache.
  // The prompt of this one did fit.
  {
    words: /context size has been exceeded/i,
    failure: { kind: 'overloaded', code: 'upstream_cache_full' },
  },
  // Groq has status 413 for it, and DashScope the text of an answer.
  {
    words: /tokens per min(?:ute)? \(TPM\)|^\s*throttling\b/i,
    failure: { kind: 'rate-limit', code: 'rate_limit_exceeded', status: 429 },
  },
]

/** What stays as it is until somebody changes the server, the configuration or the request. */
const lastingFaults: readonly { readonly words: RegExp; readonly change: string }[] = [
  {
    words: /requires --jinja flag|try using --jinja/i,
    change: 'Start llama-server with --jinja, or set `tools: prompt` for this model.',
  },
  {
    words: /(?:image|audio|video) input is not supported|does not support multimodal/i,
    change: 'Start the server with the projector of the model (--mmproj), or send the request without media.',
  },
  {
    words: /missing data required for image input|is not a multimodal model|at most 0 (?:image|audio|video)/i,
    change: 'Choose a model that takes such input, or send the request without media.',
  },
  {
    words: /requires --enable-auto-tool-choice|requires --tool-call-parser/i,
    change:
      'Start the server with --enable-auto-tool-choice and --tool-call-parser, or set `parse: ours` for this upstream.',
  },
  {
    words: /does not support tools\b|no endpoints found that support tool use/i,
    change: 'Set `tools: prompt` for this model: its tools are then described in the prompt.',
  },
]

function withFullStop(text: string): string {
  const end = text.trimEnd()
  return /[.!?]$/.test(end) ? end : `${end}.`
}

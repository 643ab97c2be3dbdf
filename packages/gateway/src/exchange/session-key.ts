import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { ConversationRequest, Server } from '@dragoman/core'

/** The headers in which clients name the session that a request belongs to, and the part of it. */
const sessionHeaders = [
  'x-claude-code-session-id',
  'x-session-affinity',
  'x-session-id',
  'x-qwen-code-session-id',
  'session-id',
]
/** An agent inside a session has a conversation of its own, with another beginning. */
const agentHeaders = ['x-claude-code-agent-id', 'thread-id']

/** The key of the conversation, under the names that this server looks for. */
export function sessionFields(
  server: Server | undefined,
  request: ConversationRequest,
  clientHeaders: IncomingHttpHeaders | undefined,
): { readonly headers: Record<string, string>; readonly body: Record<string, string> } {
  const names = server?.sessionKey
  const session = names === undefined ? undefined : sessionKeyOf(request, clientHeaders)
  if (names === undefined || session === undefined) return { headers: {}, body: {} }
  const { key, isNamed } = session
  return {
    headers: Object.fromEntries((names.headers ?? []).map((name) => [name, key])),
    // A field is sent only for a client that names its sessions: the request of any other goes on as it came.
    body: names.field !== undefined && isNamed ? { [names.field]: key } : {},
  }
}

/** The key of a conversation, and whether the client named it or we found it. */
interface SessionKey {
  readonly key: string
  readonly isNamed: boolean
}

/**
 * One key for all requests of a conversation. Servers and routers use it to keep the conversation where its beginning
 * is in a cache. It is a digest: what clients call their sessions, and what stands in them, is nobody's business.
 */
function sessionKeyOf(
  request: Pick<ConversationRequest, 'system' | 'contents' | 'user' | 'extra'>,
  headers: IncomingHttpHeaders | undefined,
): SessionKey | undefined {
  const session = firstOf(headers, sessionHeaders) ?? textOf(request.extra['prompt_cache_key'])
  if (session !== undefined) {
    return { key: digest([session, firstOf(headers, agentHeaders) ?? '']), isNamed: true }
  }
  if (request.user?.includes('session') === true) return { key: digest([request.user]), isNamed: true }
  const beginning = beginningOf(request)
  return beginning === undefined ? undefined : { key: digest(beginning), isNamed: false }
}

/** What stays the same through a conversation: its instructions and the first thing that the user said. */
function beginningOf({
  system,
  contents,
}: Pick<ConversationRequest, 'system' | 'contents'>): string[] | undefined {
  const [first] = contents
  if (first === undefined) return undefined
  const said = first.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  // The line for Anthropic's billing changes with each request.
  const instructions = system
    .map(({ text }) => text)
    .filter((text) => !text.startsWith('x-anthropic-billing'))
  return [...instructions, ...said]
}

function firstOf(headers: IncomingHttpHeaders | undefined, names: readonly string[]): string | undefined {
  for (const name of names) {
    const value = textOf(headers?.[name])
    if (value !== undefined) return value
  }
  return undefined
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function digest(parts: readonly string[]): string {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part).update('\0')
  return hash.digest('hex').slice(0, 32)
}

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
  'session_id',
]
/** An agent inside a session has a conversation of its own, with another beginning. */
const agentHeaders = ['x-claude-code-agent-id', 'thread-id']

/** The key of the conversation, under the names that this server looks for, or in the header that its upstream is to get. */
export function sessionFields(
  server: Server | undefined,
  request: ConversationRequest,
  clientHeaders: IncomingHttpHeaders | undefined,
  sessionHeader?: string,
): { readonly headers: Record<string, string>; readonly body: Record<string, string> } {
  const known = server?.sessionKey ?? {}
  const { field } = known
  const headers = sessionHeader === undefined ? (known.headers ?? []) : [sessionHeader]
  const named = headers.length === 0 && field === undefined ? undefined : namedKey(request, clientHeaders)
  const key = named ?? (headers.length === 0 ? undefined : foundKey(request))
  return {
    headers: key === undefined ? {} : Object.fromEntries(headers.map((name) => [name, key])),
    // A field is sent only for a client that names its sessions: the request of any other goes on as it came.
    body: field === undefined || named === undefined ? {} : { [field]: named },
  }
}

/** What all requests of a conversation have in common: what its client calls it, or else its beginning. */
export function conversationKey(
  request: ConversationRequest,
  clientHeaders: IncomingHttpHeaders | undefined,
): string {
  return namedKey(request, clientHeaders) ?? foundKey(request) ?? ''
}

/**
 * One key for all requests of a conversation. Servers and routers use it to keep the conversation where its beginning
 * is in a cache. It is a digest: what clients call their sessions, and what stands in them, is nobody's business.
 */
export function namedKey(
  { user, extra }: Pick<ConversationRequest, 'user' | 'extra'>,
  headers: IncomingHttpHeaders | undefined,
): string | undefined {
  const session = firstOf(headers, sessionHeaders) ?? textOf(extra['prompt_cache_key'])
  if (session !== undefined) return digest([session, firstOf(headers, agentHeaders) ?? ''])
  // Claude Code names its user by account and session.
  return user !== undefined && /session/.test(user) ? digest([user]) : undefined
}

/** What stays the same through a conversation: its instructions, its tools, and the first thing that the user said. */
function foundKey({
  system,
  tools,
  contents,
}: Pick<ConversationRequest, 'system' | 'tools' | 'contents'>): string | undefined {
  const [first] = contents
  if (first === undefined) return undefined
  const said = first.blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  // The line for Anthropic's billing changes with each request.
  const instructions = system
    .map(({ text }) => text)
    .filter((text) => !text.startsWith('x-anthropic-billing'))
  const names = tools.map(({ name }) => name)
  return digest([...instructions, ...names, ...said].map(beginningOf))
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

/** Two conversations that differ only behind this much, and in nothing but words, are rare. Long prompts are common. */
const LOOKED_AT = 4096

function beginningOf(text: string): string {
  return `${text.length} ${text.slice(0, LOOKED_AT)}`
}

function digest(parts: readonly string[]): string {
  return createHash('sha256')
    .update(`${parts.join('\0')}\0`)
    .digest('hex')
    .slice(0, 32)
}

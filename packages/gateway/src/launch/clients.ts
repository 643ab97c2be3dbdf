import { basename } from 'node:path'
import { defaultDialect, type DialectId, dialectIds, dialects } from '@dragoman/core'
import type { Client, TokenLimits } from './client.ts'
import { claudeCode } from './clients/claude-code.ts'
import { codex } from './clients/codex.ts'
import { geminiCli } from './clients/gemini-cli.ts'
import { kimiCode } from './clients/kimi-code.ts'
import { opencode } from './clients/opencode.ts'
import { pi } from './clients/pi.ts'
import { qwenCode } from './clients/qwen-code.ts'

/** Every client, by the name of its program. */
export const clients: Readonly<Record<string, Client>> = {
  claude: claudeCode,
  codex,
  opencode,
  qwen: qwenCode,
  kimi: kimiCode,
  gemini: geminiCli,
  pi,
}

/** The client whose program this is, given by name or by path. */
export function clientNamed(program: string): Client | undefined {
  const name = basename(program).replace(/\.(?:exe|cmd|[cm]?js)$/, '')
  return Object.hasOwn(clients, name) ? clients[name] : undefined
}

/** Whether this version answers where the client asks. */
export function isServed(client: Client): boolean {
  return dialectOf(client) !== undefined
}

/** A model as the client would find it listed. */
export function modelList(client: Client, id: string, { window, maxOutput }: TokenLimits): object {
  const dialect = dialectOf(client) ?? defaultDialect
  return dialects[dialect].http.models.list([
    { id, ...(window === null ? {} : { window }), ...(maxOutput === null ? {} : { maxOutput }) },
  ])
}

function dialectOf({ asks }: Client): DialectId | undefined {
  return dialectIds.find((id) =>
    dialects[id].http.routes.some(({ serves, path }) => serves === 'answer' && path.startsWith(asks)),
  )
}

export function installCommand(client: Client): string {
  return `npm install -g ${client.package}`
}

/** What both OpenAI and Anthropic take as an id. OpenAI refuses more than 64 characters. */
export function isLegalId(id: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id)
}

const historyPrefix = 'hist_tool_'

/** A canonical `hist_tool_x` as `${prefix}x`; any other id as it is. */
export function withoutHistoryPrefix(id: string, prefix: string): string {
  const isHistoryId = id.startsWith(historyPrefix) && id.length > historyPrefix.length
  return isHistoryId ? prefix + id.slice(historyPrefix.length) : id
}

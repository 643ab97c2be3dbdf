/** Whether both OpenAI and Anthropic take the id. OpenAI refuses more than 64 characters. */
export function isLegalId(id: string): boolean {
  return /^[a-zA-Z0-9_-]{1,64}$/.test(id)
}

export const historyPrefix = 'hist_tool_'
/** Marks an id that had no prefix to take off: the whole id follows. */
export const rawHistoryPrefix = `${historyPrefix}raw_`

/** A canonical `hist_tool_x` as `${prefix}x`; any other id as it is. */
export function withoutHistoryPrefix(id: string, prefix: string): string {
  const raw = withoutRawPrefix(id)
  if (raw !== id) return raw
  const isHistoryId = id.startsWith(historyPrefix) && id.length > historyPrefix.length
  return isHistoryId ? prefix + id.slice(historyPrefix.length) : id
}

export function withoutRawPrefix(id: string): string {
  const isRaw = id.startsWith(rawHistoryPrefix) && id.length > rawHistoryPrefix.length
  return isRaw ? id.slice(rawHistoryPrefix.length) : id
}

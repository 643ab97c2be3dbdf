/** What is wrong with a header that is to be sent with every request, or undefined. */
export function headerNameFault(name: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) return 'is no name of a header'
  return ownHeaders.has(name.toLowerCase()) ? 'is set by the gateway itself' : undefined
}

// A line break would end the header and begin another that nobody configured.
export function headerValueFault(value: string): string | undefined {
  if (/[\r\n\0]/.test(value)) return 'must not hold a line break or a null character'
  return /[^\t\u0020-\u007E\u0080-\u00FF]/.test(value) ? 'holds characters that a header cannot' : undefined
}

const ownHeaders: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

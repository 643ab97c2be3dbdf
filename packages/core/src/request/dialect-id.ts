/** The dialects that requests are read and written in. */
export type DialectId = 'anthropic-messages' | 'openai-chat'

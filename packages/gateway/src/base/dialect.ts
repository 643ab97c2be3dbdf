/** The wire protocols that clients and upstreams speak. */
export const dialects = ['openai-chat', 'anthropic-messages'] as const

export type Dialect = (typeof dialects)[number]

export { toolCallMiddleware, toolCallMiddlewareV3, type ToolCallMiddleware } from './ai-sdk/middleware.ts'
export { convertToVercelMessages, type VercelIds, type VercelMessage } from './ai-sdk/vercel-messages.ts'
export type { AdapterOptions } from './adapter-options.ts'

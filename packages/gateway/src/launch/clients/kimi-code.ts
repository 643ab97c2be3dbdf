import { type Client, longestAnswer } from '../client.ts'

export const kimiCode: Client = {
  title: 'Kimi Code',
  package: '@moonshot-ai/kimi-code',
  asks: '/v1/chat/completions',
  clears: [],
  prepare({ base, model, key, ...limits }) {
    const { window } = limits
    const answer = longestAnswer(limits)
    return {
      env: {
        KIMI_MODEL_NAME: model,
        KIMI_MODEL_PROVIDER_TYPE: 'openai',
        KIMI_MODEL_BASE_URL: `${base}/v1`,
        KIMI_MODEL_API_KEY: key,
      },
      defaults: {
        KIMI_MODEL_CAPABILITIES: 'thinking,tool_use',
        ...(window !== null && { KIMI_MODEL_MAX_CONTEXT_SIZE: String(window) }),
        ...(answer !== null && { KIMI_MODEL_MAX_OUTPUT_SIZE: String(answer) }),
      },
      args: [],
      files: {},
    }
  },
}

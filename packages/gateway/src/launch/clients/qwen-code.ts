import { join } from 'node:path'
import { type Client, longestAnswer } from '../client.ts'

export const qwenCode: Client = {
  title: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  asks: '/v1/chat/completions',
  clears: [],
  prepare({ base, model, key, folder, ...limits }) {
    const answer = longestAnswer(limits)
    const generationConfig = limits.window === null ? {} : { contextWindowSize: limits.window }
    const provider = {
      id: model,
      name: model,
      baseUrl: `${base}/v1`,
      envKey: 'OPENAI_API_KEY',
      generationConfig,
    }
    // Choices in the user's settings have precedence over the environment. What stands in this file has precedence
    // over those settings, and all others stay.
    const settings = {
      security: { auth: { selectedType: 'openai' } },
      model: { name: model, generationConfig },
      modelProviders: { openai: [provider] },
    }
    return {
      env: {
        OPENAI_BASE_URL: `${base}/v1`,
        OPENAI_API_KEY: key,
        OPENAI_MODEL: model,
        QWEN_CODE_SYSTEM_SETTINGS_PATH: join(folder, 'settings.json'),
      },
      defaults: answer === null ? {} : { QWEN_CODE_MAX_OUTPUT_TOKENS: String(answer) },
      args: [],
      files: { 'settings.json': JSON.stringify(settings) },
    }
  },
  windowHint: ({ window, answer }) =>
    `QWEN_CODE_MAX_OUTPUT_TOKENS=${answer}, and "contextWindowSize": ${window} under "model.generationConfig" in settings.json`,
}

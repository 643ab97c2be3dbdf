import { type Client, longestAnswer } from '../client.ts'

export const opencode: Client = {
  title: 'opencode',
  package: 'opencode-ai',
  asks: '/v1/chat/completions',
  clears: [],
  prepare({ base, model, key, ...limits }) {
    const { window } = limits
    const answer = longestAnswer(limits)
    const abilities = { name: model, tool_call: true, reasoning: true }
    const content = {
      model: `dragoman/${model}`,
      small_model: `dragoman/${model}`,
      provider: {
        dragoman: {
          name: 'Dragoman',
          npm: '@ai-sdk/openai-compatible',
          options: { baseURL: `${base}/v1`, apiKey: key },
          // Without a limit opencode never shortens a conversation; it refuses half of one.
          models: {
            [model]:
              window === null || answer === null
                ? abilities
                : { ...abilities, limit: { context: window, output: answer } },
          },
        },
      },
    }
    return {
      // It is read after every file of the user, and only adds to them.
      env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(content) },
      defaults: { OPENCODE_DISABLE_AUTOUPDATE: '1' },
      args: [],
      files: {},
    }
  },
  windowHint: ({ window, answer }) =>
    `"limit": { "context": ${window}, "output": ${answer} } for the model in opencode.json`,
}

import { join } from 'node:path'
import { type Client, longestAnswer } from '../client.ts'

/** What pi takes for the window and the longest answer of a model that says nothing about them. */
const USUAL_WINDOW = 128_000
const USUAL_ANSWER = 16_384

export const pi: Client = {
  title: 'pi',
  package: '@earendil-works/pi-coding-agent',
  asks: '/v1/chat/completions',
  clears: [],
  prepare({ base, model, key, folder, ...limits }) {
    const provider = {
      name: 'Dragoman',
      baseUrl: `${base}/v1`,
      apiKey: key,
      api: 'openai-completions',
      models: [
        {
          id: model,
          name: model,
          reasoning: true,
          input: ['text'],
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
          contextWindow: limits.window ?? USUAL_WINDOW,
          maxTokens: longestAnswer(limits) ?? USUAL_ANSWER,
        },
      ],
    }
    return {
      env: {},
      defaults: {},
      // An extension adds a provider to those of the user, whose own folder stays in use.
      args: ['--extension', join(folder, 'dragoman.js'), '--provider', 'dragoman', '--model', model],
      files: {
        'dragoman.js': `export default (pi) => pi.registerProvider('dragoman', ${JSON.stringify(provider)})\n`,
      },
    }
  },
}

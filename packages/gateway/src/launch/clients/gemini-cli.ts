import { type Client, longestAnswer, type TokenLimits } from '../client.ts'

/** Gemini CLI takes every model that it does not know for one with as many tokens, and cannot be told otherwise. */
const ASSUMED_WINDOW = 1_048_576

export const geminiCli: Client = {
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  asks: '/v1beta/models/',
  clears: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI'],
  prepare({ base, model, key, folder, ...limits }) {
    // Somebody who has logged in has that choice in their settings, and it has precedence over the environment. Nothing
    // outranks it that a program may write, so the client gets a home of its own.
    const share = shareUntilCompression(limits)
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' } },
      ...(share !== null && { model: { compressionThreshold: share } }),
    }
    return {
      env: {
        GOOGLE_GEMINI_BASE_URL: base,
        GEMINI_API_KEY: key,
        GEMINI_MODEL: model,
        GEMINI_CLI_HOME: folder,
      },
      defaults: {},
      args: [],
      files: { '.gemini/settings.json': JSON.stringify(settings) },
    }
  },
  windowHint: ({ window, answer }) =>
    `"compressionThreshold": ${shareUntilCompression({ window, maxOutput: answer })} under "model" in settings.json`,
}

/** The share of the window that it assumes at which four fifths of the real one are full, beside the answer. */
function shareUntilCompression(limits: TokenLimits): number | null {
  const answer = longestAnswer(limits)
  if (limits.window === null || answer === null) return null
  return Number(((0.8 * (limits.window - answer)) / ASSUMED_WINDOW).toFixed(4))
}

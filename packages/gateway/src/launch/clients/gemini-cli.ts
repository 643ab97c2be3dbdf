import type { Client } from '../client.ts'

export const geminiCli: Client = {
  title: 'Gemini CLI',
  package: '@google/gemini-cli',
  asks: '/v1beta/models/',
  clears: ['GOOGLE_API_KEY', 'GOOGLE_GENAI_USE_GCA', 'GOOGLE_GENAI_USE_VERTEXAI'],
  prepare({ base, model, key, folder }) {
    // Somebody who has logged in has that choice in their settings, and it has precedence over the environment. Nothing
    // outranks it that a program may write, so the client gets a home of its own.
    const settings = { security: { auth: { selectedType: 'gemini-api-key' } } }
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
}

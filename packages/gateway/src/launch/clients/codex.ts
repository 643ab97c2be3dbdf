import { join } from 'node:path'
import type { Client } from '../client.ts'

/** Where Codex looks for its key. */
const keyVariable = 'DRAGOMAN_CLIENT_KEY'

const catalogue = 'models.json'

export const codex: Client = {
  title: 'Codex',
  package: '@openai/codex',
  asks: '/v1/responses',
  clears: [],
  prepare({ base, model, key, window, folder, models }) {
    // Its own folder stays in use: an override on the command line changes one value of the user's configuration.
    const overrides = {
      model: toml(model),
      model_provider: toml('dragoman'),
      'model_providers.dragoman.name': toml('Dragoman'),
      'model_providers.dragoman.base_url': toml(`${base}/v1`),
      'model_providers.dragoman.env_key': toml(keyVariable),
      'model_providers.dragoman.wire_api': toml('responses'),
      // A model that its own catalogue lacks gets no tool for patches, and a window of 272,000 tokens.
      model_catalog_json: toml(join(folder, catalogue)),
      ...(window !== null && { model_context_window: String(window) }),
    }
    return {
      env: { [keyVariable]: key },
      defaults: {},
      args: Object.entries(overrides).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
      files: { [catalogue]: JSON.stringify(models) },
    }
  },
  windowHint: ({ window }) => `codex -c model_context_window=${window}`,
}

/** A string of JSON is one of TOML too. */
function toml(text: string): string {
  return JSON.stringify(text)
}

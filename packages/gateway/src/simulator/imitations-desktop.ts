import { enveloped, text } from './error-shapes.ts'
import type { Asked, ErrorShape, ImitatedError, Imitation, Sizes } from './imitation.ts'
import { isJsonObject } from './json.ts'
import { threeDialects, hasTools, trainedWindow } from './local-server.ts'

/** Ollama calls an error after its status where it finds it in the request itself. */
const ollamaShape: ErrorShape = ({ message, type }) => ({
  error: { message, type: type ?? 'api_error', param: null, code: null },
})

const studioShape: ErrorShape = ({ message }) => ({ error: { message } })

/** The servers that load models on demand, on somebody's own machine. */
export const desktopImitations: readonly Imitation[] = [
  ollama({ name: 'ollama', cutsInSilence: true }),
  // Models that run without shifting the context, such as those on MLX.
  ollama({ name: 'ollama-no-shift' }),
  studio({
    name: 'lm-studio',
    words: (prompt, window) =>
      `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${prompt}>= n_ctx: ${window}). Try to load the model with a larger context length, or provide a shorter input.`,
  }),
  studio({
    name: 'lm-studio-0.3',
    words: (prompt, window) =>
      `Trying to keep the first ${prompt} tokens when context the overflows. However, the model is loaded with context length of only ${window} tokens, which is not enough. Try to load the model with a larger context length, or provide a shorter input`,
  }),
  studio({ name: 'lm-studio-rolling' }),
]

function ollama(variant: Pick<Imitation, 'name' | 'cutsInSilence'>): Imitation {
  return {
    ...variant,
    routes: {
      'GET /': () => 'Ollama is running',
      'GET /api/version': () => ({ version: '0.33.0' }),
      'GET /v1/models': ({ models }) => ({
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', created: 0, owned_by: 'library' })),
      }),
      'GET /api/tags': ({ models }) => ({ models: models.map((name) => ({ name, model: name })) }),
      'GET /api/ps': ({ models, window }) => ({
        models: models.map((name) => ({ name, model: name, context_length: window })),
      }),
      'POST /api/show': ({ window, abilities }) => ({
        details: { family: 'simulated' },
        model_info: {
          'general.architecture': 'simulated',
          'simulated.context_length': trainedWindow(window),
        },
        capabilities: ['completion', ...abilities],
      }),
    },
    answersAt: threeDialects,
    missing: () => ({ status: 404, body: '404 page not found' }),
    shape: ollamaShape,
    messagesShape: ({ message }) => enveloped({ status: 400, message, type: 'invalid_request_error' }),
    tooLong: ({ prompt, window }) =>
      prompt < window
        ? undefined
        : {
            status: 400,
            message: 'the prompt is longer than the context length currently available to the model',
          },
    limitFields: ['max_tokens'],
    refuses: [unknownEffort, thinkingWithoutAbility, toolsWithoutAbility],
    refusesMessages: [toolsWithoutAbility],
    refusesResponses: [unknownEffort, thinkingWithoutAbility, toolsWithoutAbility],
    responses: { reasoning: 'bare-summary', incomplete: 'never' },
    reasoningIn: ['reasoning'],
    readsReasoning: ['reasoning'],
    choiceNone: 'ignored',
    broken: ({ calls, parser }) => ({
      status: 500,
      message:
        parser === 'broken'
          ? `error parsing tool call: raw='${calls.map(callAsJson).join('\n')}]', err=invalid character ']' after top-level value`
          : 'XML syntax error on line 4: element <parameter> closed by </function>',
    }),
  }
}

function callAsJson({ name, arguments: parameters }: { name: string; arguments: object }): string {
  return JSON.stringify({ name, parameters })
}

const ollamaEfforts = new Set(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

function effortIn({ body: { reasoning_effort: effort, reasoning } }: Asked): unknown {
  return effort ?? (isJsonObject(reasoning) ? reasoning['effort'] : undefined)
}

function unknownEffort(asked: Asked): ImitatedError | undefined {
  const effort = effortIn(asked)
  if (typeof effort !== 'string' || ollamaEfforts.has(effort)) return undefined
  return {
    status: 400,
    type: 'invalid_request_error',
    message: `invalid reasoning value: '${effort}' (must be "high", "medium", "low", "max", or "none")`,
  }
}

function thinkingWithoutAbility(asked: Asked): ImitatedError | undefined {
  const effort = effortIn(asked)
  if (typeof effort !== 'string' || effort === 'none' || asked.abilities.includes('thinking'))
    return undefined
  return { status: 400, message: `"${asked.model}" does not support thinking` }
}

function toolsWithoutAbility(asked: Asked): ImitatedError | undefined {
  if (!hasTools(asked) || asked.abilities.includes('tools')) return undefined
  const tagged = asked.model.includes(':') ? asked.model : `${asked.model}:latest`
  return { status: 400, message: `registry.ollama.ai/library/${tagged} does not support tools` }
}

interface StudioVariant {
  readonly name: string
  /** What it says of a prompt that is too long. Without this it cuts the prompt, and says nothing. */
  readonly words?: (prompt: number, window: number) => string
}

function studio({ name, words }: StudioVariant): Imitation {
  return {
    name,
    routes: {
      'GET /v1/models': ({ models }) => ({
        object: 'list',
        data: models.map((id) => ({ id, object: 'model', owned_by: 'organization_owner' })),
      }),
      'GET /api/v0/models': ({ models, window, abilities }) => ({
        object: 'list',
        data: models.map((id) => ({
          id,
          object: 'model',
          type: abilities.includes('vision') ? 'vlm' : 'llm',
          state: 'loaded',
          max_context_length: trainedWindow(window),
          loaded_context_length: window,
          capabilities: abilities.includes('tools') ? ['tool_use'] : [],
        })),
      }),
      'GET /api/v1/models': ({ models, window, abilities }) => ({
        models: models.map((key) => ({
          type: 'llm',
          key,
          max_context_length: trainedWindow(window),
          loaded_instances: [{ id: key, config: { context_length: window } }],
          capabilities: {
            vision: abilities.includes('vision'),
            trained_for_tool_use: abilities.includes('tools'),
          },
        })),
      }),
    },
    answersAt: threeDialects,
    // It has no other status for paths that it does not know.
    missing: (asked) => ({
      status: 200,
      body: { error: `Unexpected endpoint or method. (${asked})` },
    }),
    shape: text,
    messagesShape: enveloped,
    ...(words === undefined && { cutsInSilence: true }),
    tooLong: ({ prompt, window }: Sizes) =>
      prompt < window || words === undefined
        ? undefined
        : {
            status: 400,
            message: words(prompt, window),
            inStream: { event: 'error', shape: studioShape },
          },
    reasoningIn: ['reasoning_content'],
    readsReasoning: ['reasoning_content', 'reasoning'],
    responses: { incomplete: 'in-completed' },
    choiceNone: 'no calls',
  }
}

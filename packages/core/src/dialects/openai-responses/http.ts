import { countOf, isJsonObject } from '../../json/objects.ts'
import { chatHttp } from '../openai-chat/http.ts'
import type { HttpDialect, ModelEntry } from '../dialect.ts'

/** Responses over HTTP. OpenAI serves them beside its chat completions, with the same keys, limits and models. */
export const responsesHttp: HttpDialect = {
  ...chatHttp,
  routes: [
    { method: 'POST', path: '/v1/responses', serves: 'answer' },
    {
      method: 'POST',
      path: '/v1/responses/input_tokens',
      serves: 'token-count',
      body: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
      read: (answer) => (isJsonObject(answer) ? (countOf(answer, 'input_tokens') ?? undefined) : undefined),
    },
  ],
  root: '/v1/responses',
  // Codex says so who it is. The list of models that it wants is another one than everybody else's.
  clientHeader: 'originator',
  upstreamPath: (base) => `${base}/responses`,
  models: {
    list: (models) => ({ ...chatHttp.models.list(models), models: models.map(codexEntry) }),
    one: (model) => chatHttp.models.one(model),
  },
}

/** Codex discards the whole list if one entry lacks one of these fields. */
function codexEntry({ id, window }: ModelEntry, at: number): object {
  return {
    slug: id,
    display_name: id,
    supported_reasoning_levels: [
      { effort: 'low', description: 'Thinks little.' },
      { effort: 'medium', description: 'Thinks as much as is usual.' },
      { effort: 'high', description: 'Thinks a lot.' },
    ],
    shell_type: 'unified_exec',
    visibility: 'list',
    supported_in_api: true,
    priority: at,
    support_verbosity: false,
    truncation_policy: { mode: 'tokens', limit: 10_000 },
    experimental_supported_tools: [],
    ...(window === undefined ? {} : { context_window: window }),
  }
}

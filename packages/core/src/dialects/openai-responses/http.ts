import { countOf, isJsonObject } from '../../json/objects.ts'
import { chatHttp } from '../openai-chat/http.ts'
import type { HttpDialect, RoutePattern } from '../dialect.ts'
import { codexModel } from './catalogue.ts'

/** Nothing is kept, so no response has this id. The path of one holds whatever stands behind its id, too. */
function keptNowhere(method: 'GET' | 'POST' | 'DELETE', path: string): RoutePattern {
  return {
    method,
    path,
    serves: 'refusal',
    failure: {
      kind: 'invalid-request',
      status: 404,
      code: 'response_not_found',
      message: 'There is no such response: nothing is kept here between requests.',
      field: 'response_id',
    },
  }
}

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
    { method: 'POST', path: '/v1/responses/compact', serves: 'compaction' },
    keptNowhere('GET', '/v1/responses/{id}'),
    keptNowhere('DELETE', '/v1/responses/{id}'),
    keptNowhere('POST', '/v1/responses/{id}/cancel'),
    {
      method: 'GET',
      path: '/v1/responses',
      serves: 'refusal',
      only: 'web-sockets',
      // By this status Codex asks over HTTP at once. Any other would have it try again and again.
      failure: {
        kind: 'invalid-request',
        status: 426,
        code: 'no_web_sockets',
        message: 'Responses are not served over a WebSocket. Ask with POST.',
      },
    },
  ],
  root: '/v1/responses',
  // Codex says so who it is. The list of models that it wants is another one than everybody else's.
  clientHeader: 'originator',
  clientParameter: 'client_version',
  // Codex would add an estimate of all earlier reasoning to our count of the prompt, which holds it already.
  answerHeaders: { 'x-reasoning-included': 'true' },
  upstreamPath: (base) => `${base}/responses`,
  models: {
    list: (models) => ({ ...chatHttp.models.list(models), models: models.map(codexModel) }),
    one: (model) => chatHttp.models.one(model),
  },
}

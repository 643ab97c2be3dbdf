import { countOf, isJsonObject } from '../../json/objects.ts'
import { createArrayFraming } from './array-stream.ts'
import type { HttpDialect, ModelEntry, RateLimit, RoutePattern } from '../dialect.ts'

/** Where models stand: below a version, or below a project of Google's cloud. */
const collections = [
  '/v1beta/models',
  '/v1/models',
  '/v1alpha/models',
  '/v1/projects/{project}/locations/{location}/publishers/{publisher}/models',
  '/v1beta1/projects/{project}/locations/{location}/publishers/{publisher}/models',
]

/** What clients ask of models of Google's beside answers. */
const unservedMethods = ['embedContent', 'batchEmbedContents', 'predict', 'predictLongRunning'] as const

/** Gemini over HTTP. */
export const geminiHttp: HttpDialect = {
  routes: collections.flatMap(routesBelow),
  root: '/v1beta',
  // Behind its colon the name of a model has a tag elsewhere; here a method, with a capital in it.
  isOwnPath: (path) => /\/models\/.+:[a-z]+[A-Z][a-zA-Z]*$/s.test(path),
  modelsPath: '/v1beta/models',
  clientHeader: 'x-goog-api-key',
  // Clients find events with a regular expression that nothing may stand in front of, except white space.
  keepAlive: '\n',
  framing: ({ path, query }) =>
    path.endsWith(':streamGenerateContent') && query['alt'] !== 'sse' ? createArrayFraming() : null,
  keyHeaders: ['x-goog-api-key'],
  keyParameters: ['key'],
  upstreamPath: (base, model, stream) =>
    `${base}/models/${escaped(model)}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
  headers: (key) => (key === undefined ? {} : { 'x-goog-api-key': key }),
  rateLimits: { read: () => null, write: writeLimit },
  models: {
    list: (models) => ({ models: models.map(modelEntry) }),
    one: modelEntry,
  },
}

function routesBelow(collection: string): RoutePattern[] {
  const path = `${collection}/{model}`
  return [
    { method: 'POST', path: `${path}:generateContent`, serves: 'answer' },
    { method: 'POST', path: `${path}:streamGenerateContent`, serves: 'answer' },
    {
      method: 'POST',
      path: `${path}:countTokens`,
      serves: 'token-count',
      // To some clients 0 says that nothing was counted.
      body: (tokens) => ({ totalTokens: Math.max(1, tokens) }),
      read: (answer) => (isJsonObject(answer) ? (countOf(answer, 'totalTokens') ?? undefined) : undefined),
    },
    ...unservedMethods.map((method) => unserved(path, method)),
  ]
}

function unserved(path: string, method: string): RoutePattern {
  const message = `Models are not served for ${method} here: they write answers, and their tokens are counted.`
  return {
    method: 'POST',
    path: `${path}:${method}`,
    serves: 'refusal',
    failure: { kind: 'not-found', status: 404, code: 'method_not_served', message },
  }
}

/** Slashes and colons may stand in the name of a model. */
function escaped(model: string): string {
  return encodeURIComponent(model.replace(/^models\//, ''))
    .replaceAll('%2F', '/')
    .replaceAll('%3A', ':')
}

function modelEntry({ id, window, maxOutput }: ModelEntry): object {
  return {
    name: `models/${id}`,
    displayName: id,
    ...(window === undefined ? {} : { inputTokenLimit: window }),
    ...(maxOutput === undefined ? {} : { outputTokenLimit: maxOutput }),
    supportedGenerationMethods: ['generateContent', 'streamGenerateContent', 'countTokens'],
  }
}

/** The dialect has no such headers. These are the ones that most servers have. */
function writeLimit(limit: RateLimit, now: number): readonly [name: string, value: string] {
  const value = limit.is === 'reset' ? `${Math.max(0, Math.ceil((limit.at - now) / 1000))}s` : limit.count
  return [`x-ratelimit-${limit.is}-${limit.unit}`, value]
}

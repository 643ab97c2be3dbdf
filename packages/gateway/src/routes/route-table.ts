/** The routes of the gateway, as data: one list for the server, the checks and the tests. */
export interface Route {
  readonly name:
    | 'messages'
    | 'count-tokens'
    | 'chat-completions'
    | 'models'
    | 'health'
    | 'live'
    | 'ready'
    | 'metrics'
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Answers without a key, also where keys are configured. */
  readonly isOpen: boolean
}

export const routes: readonly Route[] = [
  { name: 'messages', method: 'POST', path: '/v1/messages', isOpen: false },
  { name: 'count-tokens', method: 'POST', path: '/v1/messages/count_tokens', isOpen: false },
  { name: 'chat-completions', method: 'POST', path: '/v1/chat/completions', isOpen: false },
  { name: 'models', method: 'GET', path: '/v1/models', isOpen: false },
  { name: 'health', method: 'GET', path: '/health', isOpen: true },
  { name: 'live', method: 'GET', path: '/health/live', isOpen: true },
  { name: 'ready', method: 'GET', path: '/health/ready', isOpen: true },
  { name: 'metrics', method: 'GET', path: '/metrics', isOpen: false },
]

export type RouteMatch =
  | { readonly is: 'route'; readonly route: Route }
  | { readonly is: 'wrong-method'; readonly allow: string }
  | { readonly is: 'unknown' }

/** Clients differ in whether their base address ends in `/v1`: both spellings are answered. */
export function findRoute(method: string, url: string): RouteMatch {
  const path = url.split('?', 1)[0] ?? ''
  const known = routes.filter((route) => route.path === path || route.path === `/v1${path}`)
  if (known.length === 0) return { is: 'unknown' }
  const route = known.find((each) => each.method === method || (method === 'HEAD' && each.method === 'GET'))
  if (route !== undefined) return { is: 'route', route }
  const methods = known.flatMap((each) => (each.method === 'GET' ? ['GET', 'HEAD'] : [each.method]))
  return { is: 'wrong-method', allow: methods.join(', ') }
}

/** The dialect in which a path is answered, also where there is no such route. */
export function dialectOf(url: string): 'anthropic-messages' | 'openai-chat' {
  return /^(?:\/v1)?\/messages(?:[/?]|$)/.test(url) ? 'anthropic-messages' : 'openai-chat'
}

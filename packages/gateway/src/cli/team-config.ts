/** What the file for a team holds of its first user. */
export interface TeamOptions {
  /** Of the key that the first user was given. */
  readonly sha256: string
}

/** The complete example of docs/teams.md: two servers of one's own, what to fall back on, keys, limits, prices and a store. */
export function teamConfig({ sha256 }: TeamOptions): string {
  return `# yaml-language-server: $schema=./node_modules/dragoman/config.schema.json
#
# Dragoman for a team. "dragoman check" checks it, "dragoman check --explain" shows every value.
# Keys of servers stay out of this file: \${NAME} takes the environment variable NAME.

listen:
  host: 0.0.0.0 # behind nginx or HAProxy, which speak TLS
  port: 12377
  allowedHosts: [gateway.example, localhost] # the names by which clients call it; localhost to try it here
  trustedProxies: [127.0.0.1] # whose X-Forwarded-For tells the address of a client

upstreams:
  gpu1: { url: http://10.0.0.5:8000/v1 }
  gpu2: { url: http://10.0.0.6:8000/v1 }
  openrouter: { url: https://openrouter.ai/api/v1, apiKey: "\${OPENROUTER_API_KEY}" }

# The first match wins. A list inside the list is a pool, and what stands behind it is asked when the pool fails.
models:
  - match: "claude-*"
    upstream: [[gpu1, gpu2], { name: openrouter, model: moonshotai/kimi-k2-thinking }]
    model: moonshotai/Kimi-K2-Thinking
  - match: "gpt-*" # Codex
    upstream: [[gpu1, gpu2], { name: openrouter, model: moonshotai/kimi-k2-thinking }]
    model: moonshotai/Kimi-K2-Thinking
  - match: "gemini-*" # Gemini CLI
    upstream: [[gpu1, gpu2], { name: openrouter, model: moonshotai/kimi-k2-thinking }]
    model: moonshotai/Kimi-K2-Thinking

# A conversation stays on the server that has it in its cache, as long as that one is not much busier than the other.
routing: { retries: 2, retryWithin: 20s, outAfter: 5, outFor: 30s, balance: affinity }

# Who may do what. A key of its own for everybody:
#   KEY=$(openssl rand -hex 24); printf %s "$KEY" | sha256sum
keys:
  - name: alice
    sha256: "${sha256}"
    models: ["claude-*", "gpt-*", "gemini-*"]
    limits: { requestsPerMinute: 60, tokensPerMinute: 400000, concurrent: 8 }
    budget: { usd: 50, per: month }
  # - { name: ops, sha256: "<64 hex digits>", inspector: true } # sees the conversations of all

prices: # US dollars for a million tokens, by the name that the upstream is asked for
  "moonshotai/*": { input: 0.6, cacheRead: 0.15, output: 2.5 }

store: redis://127.0.0.1:6379/0 # counts for all gateways that name it; "memory" for one alone
storeFailure: open # serve, and count in memory, while it is gone

timeouts: { drain: 30s } # streams have so long to end when the gateway is stopped
# log: { level: info, file: /var/log/dragoman/dragoman.log }
`
}

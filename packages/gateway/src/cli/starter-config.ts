import { defaultDialect, type DialectId } from '@dragoman/core'

/** What the starter file is made for. */
export interface StarterOptions {
  readonly upstream: string | undefined
  /** What the upstream speaks, where it is not what most do. */
  readonly dialect?: DialectId
  /** The variable that holds the key of the upstream. */
  readonly keyVariable: string | undefined
}

/** Makes a first configuration: short and working, with the other settings as comments. */
export function starterConfig({ upstream, dialect = defaultDialect, keyVariable }: StarterOptions): string {
  const server = upstream === undefined ? openRouter : ownServer(upstream, dialect, keyVariable)
  return `# yaml-language-server: $schema=./node_modules/dragoman/config.schema.json
#
# The configuration of Dragoman. "dragoman check" checks it, "dragoman check --explain" shows every value.
# Keys stay out of this file: \${NAME} takes the environment variable NAME.

listen:
  host: 127.0.0.1 # only this machine; any other address needs keys
  port: 12377

# Who may call. Without keys, every program on this machine. The SHA-256 of a key:
#   printf %s "$KEY" | sha256sum
# keys:
#   - { name: laptop, sha256: "<64 hex digits>" }

${server}
# For models whose names do not tell how they write tool calls ("dragoman detect NAME" says what a name tells).
# formats:
#   overrides: { "my-finetune*": kimi }

# timeouts: { headers: 600s, idle: 300s }
# limits: { toolCallBytes: 4194304 }
# record: { dir: ./recordings } # every exchange, for "dragoman replay"
# log: { level: info }
`
}

const openRouter = `upstreams:
  openrouter:
    url: https://openrouter.ai/api/v1
    apiKey: "\${OPENROUTER_API_KEY}"
  # lab: { url: http://10.0.0.5:8000/v1 } # vLLM, SGLang, llama.cpp, Ollama

# Which upstream answers for which name. The first match wins; * stands for any characters.
models:
  - { match: "claude-*haiku*", upstream: openrouter, model: qwen/qwen3-coder }
  - { match: "claude-*", upstream: openrouter, model: moonshotai/kimi-k2-thinking }
  # Gemini CLI asks for Gemini models beside the one that it is told: to compress, to check for loops, to search.
  - { match: "gemini-*flash*", upstream: openrouter, model: qwen/qwen3-coder }
  - { match: "gemini-*", upstream: openrouter, model: moonshotai/kimi-k2-thinking }
  - { match: "*", upstream: openrouter }
`

function ownServer(url: string, dialect: DialectId, keyVariable: string | undefined): string {
  const spoken = dialect === defaultDialect ? '' : `    dialect: ${dialect}\n`
  const key = keyVariable === undefined ? '    # apiKey: "${NAME}"' : `    apiKey: "\${${keyVariable}}"`
  return `upstreams:
  main:
    url: ${JSON.stringify(url)}
${spoken}${key}

# Which upstream answers for which name. The first match wins; * stands for any characters.
models:
  # - { match: "claude-*", upstream: main, model: NAME-OF-THE-MODEL-THERE }
  # Gemini CLI asks for Gemini models beside the one that it is told: to compress, to check for loops, to search.
  # - { match: "gemini-*", upstream: main, model: NAME-OF-THE-MODEL-THERE }
  - { match: "*", upstream: main }
`
}

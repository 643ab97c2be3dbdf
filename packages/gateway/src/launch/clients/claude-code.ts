import { type Client, longestAnswer, type TokenLimits, type Variables } from '../client.ts'

/** A compaction window that is smaller counts as this one. */
const SMALLEST_COMPACT_WINDOW = 100_000
/** What Claude Code keeps free for an answer when it decides about compaction, at most. */
const MOST_KEPT_FREE = 20_000

export const claudeCode: Client = {
  title: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  asks: '/v1/messages',
  clears: [
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_CUSTOM_HEADERS',
    'ANTHROPIC_UNIX_SOCKET',
    'CLAUDE_CODE_API_KEY_FILE_DESCRIPTOR',
    'CLAUDE_CODE_OAUTH_TOKEN',
    'CLAUDE_CODE_OAUTH_TOKEN_FILE_DESCRIPTOR',
    'CLAUDE_CODE_SUBAGENT_MODEL',
    'CLAUDE_CODE_USE_ANTHROPIC_AWS',
    'CLAUDE_CODE_USE_BEDROCK',
    'CLAUDE_CODE_USE_FOUNDRY',
    'CLAUDE_CODE_USE_GATEWAY',
    'CLAUDE_CODE_USE_MANTLE',
    'CLAUDE_CODE_USE_VERTEX',
  ],
  prepare({ base, model, key, ...limits }) {
    return {
      env: {
        ANTHROPIC_BASE_URL: base,
        ANTHROPIC_AUTH_TOKEN: key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_SMALL_FAST_MODEL: model,
        ANTHROPIC_DEFAULT_FABLE_MODEL: model,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        ANTHROPIC_DEFAULT_OPUS_MODEL: model,
        ANTHROPIC_DEFAULT_SONNET_MODEL: model,
        // The `env` of the user's settings file has precedence over the environment. Where it names another server,
        // the conversation would go there; this keeps the address and the key that are set here.
        CLAUDE_CODE_PROVIDER_MANAGED_BY_HOST: '1',
      },
      defaults: { CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', ...room(limits) },
      args: [],
      files: {},
    }
  },
  windowHint({ window, answer }) {
    return Object.entries(room({ window, maxOutput: answer }))
      .map(([name, value]) => `${name}=${value}`)
      .join(' ')
  },
}

/** Claude Code takes an unknown model for one with 200,000 tokens, and would fill a smaller window until it breaks. */
function room(limits: TokenLimits): Variables {
  const { window } = limits
  const answer = longestAnswer(limits)
  return {
    ...(answer !== null && { CLAUDE_CODE_MAX_OUTPUT_TOKENS: String(answer) }),
    ...(window !== null && answer !== null && roomIn(window, answer)),
  }
}

/**
 * Told a small window, Claude Code keeps 13,000 tokens free beside the answer, and its own instructions alone are about
 * 20,000: it would compact at every turn. So it is told a share of the smallest window that it counts with.
 */
function roomIn(window: number, answer: number): Variables {
  if (window >= SMALLEST_COMPACT_WINDOW) {
    return {
      CLAUDE_CODE_MAX_CONTEXT_TOKENS: String(window),
      CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(window),
    }
  }
  return {
    CLAUDE_CODE_AUTO_COMPACT_WINDOW: String(SMALLEST_COMPACT_WINDOW),
    CLAUDE_AUTOCOMPACT_PCT_OVERRIDE: String(shareUntilCompaction(window, answer)),
  }
}

/** The percentage of the smallest window at which nine tenths of this one are full, beside the answer. */
function shareUntilCompaction(window: number, answer: number): number {
  const counted = SMALLEST_COMPACT_WINDOW - Math.min(answer, MOST_KEPT_FREE)
  return Math.max(1, Math.floor((90 * (window - answer)) / counted))
}

import type { EffortWay, ThinkingWays } from '../request/thinking-ways.ts'

/** The words of OpenAI's dialect for efforts, as servers came to take them one after the other. */
const threeEfforts = ['low', 'medium', 'high']
const everyEffort = ['none', 'minimal', ...threeEfforts, 'xhigh', 'max']

/** The field of the chat dialect. Most servers hand its word on to the model. */
export function effortFor(words: readonly string[], readBy: EffortWay['readBy'] = 'model'): EffortWay {
  return { field: 'reasoning_effort', words, readBy }
}

/** The words that DeepSeek's newest models know at their vendor. */
export const deepseekEffort: EffortWay = {
  ...effortFor(['low', 'high', 'max']),
  insteadOf: { xhigh: 'high' },
}

/** The field of responses. */
function responsesEffort(words: readonly string[], readBy: EffortWay['readBy'] = 'model'): EffortWay {
  return { field: 'reasoning.effort', words, readBy }
}

/** The field of the messages dialect. */
function messagesEffort(words: readonly string[]): EffortWay {
  return { field: 'output_config.effort', words, readBy: 'model' }
}

const templateArguments = 'chat_template_kwargs'

/** Servers on which nothing but the template decides. */
export const byTemplate: ThinkingWays = { templateArguments }

/** Efforts alone, for models that know three of them. */
export const byThreeEfforts: ThinkingWays = { effort: effortFor(threeEfforts) }

export const vllmThinking = {
  // Up to here `none` is refused.
  chat: { templateArguments, effort: effortFor(threeEfforts) },
  since18: { templateArguments, effort: effortFor(['none', ...threeEfforts]) },
  since19: {
    templateArguments,
    effort: effortFor(['none', ...threeEfforts]),
    budget: { field: 'thinking_token_budget' },
  },
  since21: {
    templateArguments,
    effort: effortFor(everyEffort),
    budget: { field: 'thinking_token_budget' },
  },
  /** There half the effort is little. */
  deepseekV4: {
    templateArguments,
    effort: { ...effortFor(everyEffort), insteadOf: { medium: 'low' } },
    budget: { field: 'thinking_token_budget' },
  },
  /** It takes `thinking` as well, and ignores it. */
  messages: { templateArguments, effort: messagesEffort(threeEfforts) },
  /** It checks the word against those that OpenAI had when it was built, and gives the template nothing else. */
  responses: { effort: responsesEffort(threeEfforts) },
} satisfies Record<string, ThinkingWays>

export const sglangThinking = {
  chat: { templateArguments, effort: effortFor(['none', ...threeEfforts, 'max']) },
  messages: {
    // Without a parser for reasoning it answers 400 to these two words.
    on: { 'thinking.type': 'adaptive' },
    saysOn: 'where it is off',
    off: { 'thinking.type': 'disabled' },
    effort: messagesEffort([...threeEfforts, 'max']),
    // A budget it takes, but does not keep to.
  },
} satisfies Record<string, ThinkingWays>

export const llamaCppThinking = {
  chat: { templateArguments, effort: effortFor(everyEffort), budget: { field: 'thinking_budget_tokens' } },
  // It reads the budget alone. With none left the model ends its thinking at once.
  messages: {
    off: { 'thinking.type': 'enabled', 'thinking.budget_tokens': 0 },
    budget: { field: 'thinking.budget_tokens', beside: { 'thinking.type': 'enabled' } },
  },
} satisfies Record<string, ThinkingWays>

/** Fireworks. */
export const byServersEfforts: ThinkingWays = {
  off: { reasoning_effort: 'none' },
  effort: effortFor(threeEfforts, 'server'),
}

export const ollamaThinking = {
  // Older versions know no more words than these.
  chat: { ...byServersEfforts, unsaid: 'on' },
  // It takes two more, and makes of them the nearest of these.
  since33: { ...byServersEfforts, effort: effortFor([...threeEfforts, 'max'], 'server'), unsaid: 'on' },
  responses: {
    off: { 'reasoning.effort': 'none' },
    effort: responsesEffort(threeEfforts, 'server'),
    unsaid: 'on',
  },
  responsesSince33: {
    off: { 'reasoning.effort': 'none' },
    effort: responsesEffort([...threeEfforts, 'max'], 'server'),
    unsaid: 'on',
  },
} satisfies Record<string, ThinkingWays>

export const studioThinking: ThinkingWays = {
  off: { reasoning_effort: 'none' },
  effort: effortFor(['minimal', ...threeEfforts, 'xhigh'], 'server'),
}

/** What several vendors took over from the messages dialect. */
export const byThinkingType = {
  on: { 'thinking.type': 'enabled' },
  off: { 'thinking.type': 'disabled' },
} satisfies ThinkingWays

/** Unless Moonshot is told so, the model is not shown what it thought before the last words of the user. */
export const moonshotThinking = {
  ...byThinkingType,
  on: { ...byThinkingType.on, 'thinking.keep': 'all' },
} satisfies ThinkingWays

/** The same at Z.ai. */
export const zaiThinking = {
  ...byThinkingType,
  on: { ...byThinkingType.on, 'thinking.clear_thinking': false },
} satisfies ThinkingWays

/** What several vendors made of the argument of Qwen's template. */
export const byEnableThinking = {
  on: { enable_thinking: true },
  off: { enable_thinking: false },
} satisfies ThinkingWays

/** MiniMax leaves it to the model how much it thinks. Where its server speaks Messages, it does not think unasked. */
export const minimaxThinking = {
  chat: { on: { 'thinking.type': 'adaptive' }, off: { 'thinking.type': 'disabled' } },
  messages: { on: { 'thinking.type': 'adaptive' }, off: { 'thinking.type': 'disabled' }, unsaid: 'off' },
} satisfies Record<string, ThinkingWays>

export const byReasoningObject: ThinkingWays = {
  on: { 'reasoning.enabled': true },
  off: { 'reasoning.enabled': false },
}

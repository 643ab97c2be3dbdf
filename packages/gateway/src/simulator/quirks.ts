import type { ChatRequest } from './chat-request.ts'
import type { LaidOut } from './lay-out.ts'
import type { ScriptedAnswer } from './script.ts'
import type { SimulatorSettings } from './settings.ts'

/** One way in which a server misbehaves. Each part says where it shows; what is left out is as it should be. */
export interface Quirk {
  /** For people. */
  readonly means: string
  /** The settings that it changes for this request. */
  readonly settings?: (request: ChatRequest) => SimulatorSettings
  /** Why it answers a request with 400, in the words of a server; undefined where it takes the request. */
  readonly refuses?: (request: ChatRequest) => string | undefined
  readonly answer?: (answer: ScriptedAnswer) => ScriptedAnswer
  /** Changes the fields of an answer, and why it says that it ended. */
  readonly laidOut?: (laidOut: LaidOut, answer: ScriptedAnswer) => LaidOut
  /** How an answer travels. */
  readonly delivery?: 'one-piece'
  /** What is answered to everything, the list of models included. */
  readonly instead?: {
    readonly status: number
    readonly contentType: 'application/json' | 'text/html'
    readonly body: string
  }
}

const hiddenWindow = 65_536

/** A server that reads the calls itself, and loses them. It does not look at answers that may hold no call. */
const losesCalls: Pick<Quirk, 'settings'> = { settings: () => ({ noneMeansText: true }) }

export const quirks = {
  'lost-calls': {
    means: 'the parser of the server swallows calls: an empty answer',
    ...losesCalls,
    answer: (answer) => (isRead(answer) ? { ...answer, text: '', calls: [] } : answer),
  },
  'announced-calls': {
    means: 'finish_reason says tool_calls, and no call came',
    ...losesCalls,
    answer: (answer) => (isRead(answer) ? { ...answer, text: '', calls: [] } : answer),
    laidOut: (laidOut, { request }) =>
      offersTools(request) && laidOut.parts.length === 0
        ? { ...laidOut, finishReason: 'tool_calls' }
        : laidOut,
  },
  'first-call': {
    means: 'of several calls only the first comes',
    answer: (answer) => ({ ...answer, calls: answer.calls.slice(0, 1) }),
  },
  'choice-ignored': {
    means: 'a forced tool choice is ignored, and the model rather talks',
    answer: (answer) =>
      isForced(answer.request) ? { ...answer, text: '[simulated] Hello.', calls: [] } : answer,
  },
  'choice-refused': {
    means: 'HTTP 400 to a forced tool choice',
    refuses: (request) =>
      isForced(request) ? 'tool_choice: only "auto" and "none" are supported.' : undefined,
  },
  'tools-refused': {
    means: 'HTTP 400 to tools: the model knows only those in its prompt',
    settings: () => ({ toolSupport: false }),
  },
  'results-refused': {
    means: 'HTTP 400 to the results of tools',
    refuses: ({ messages }) =>
      messages.some(({ role }) => role === 'tool')
        ? 'Unexpected role "tool": only system, user and assistant are supported.'
        : undefined,
  },
  'open-reasoning': {
    means: 'thoughts stand in the text, closed by </think> that nothing opened',
    answer: (answer) => ({
      ...answer,
      thought: '',
      text: `A simulated thought: let me see.\n</think>\n\n${answer.text}`,
    }),
  },
  'reasoning-refused': {
    means: 'HTTP 400 to reasoning in the history; off is a choice, and the model thinks otherwise',
    settings: ({ thinking }) => ({ thinking: thinking === false ? 'none' : 'field' }),
    refuses: ({ messages }) =>
      messages.some(({ role, hasReasoning }) => role === 'assistant' && hasReasoning === true)
        ? 'messages: property "reasoning_content" is unsupported.'
        : undefined,
  },
  'no-usage': {
    means: 'no usage in streams',
    answer: (answer) => ({ ...answer, request: { ...answer.request, wantsUsage: false } }),
  },
  'always-stop': {
    means: 'finish_reason is stop, whatever happened',
    laidOut: (laidOut) => ({ ...laidOut, finishReason: 'stop' }),
  },
  'cut-as-whole': {
    means: 'a call that the limit cut is reported as whole',
    laidOut: (laidOut) =>
      laidOut.finishReason === 'length' && laidOut.parts.some(({ type }) => type === 'call')
        ? { ...laidOut, finishReason: 'tool_calls' }
        : laidOut,
  },
  'no-stream': {
    means: 'JSON although a stream was asked for',
    settings: () => ({ faults: ['json'] }),
  },
  'one-piece': {
    means: 'the events of a stream come all at once, at its end',
    delivery: 'one-piece',
  },
  'effort-refused': {
    means: 'HTTP 400 to every wish about thinking',
    refuses: ({ wishesThinking, model }) =>
      wishesThinking ? `"${model}" does not support thinking` : undefined,
  },
  'images-refused': {
    means: 'HTTP 400 to images',
    refuses: ({ hasImages }) => (hasImages ? 'This model does not support image input.' : undefined),
  },
  'hidden-window': {
    means: 'HTTP 400 to more tokens than the window has, which is told nowhere else',
    refuses: ({ maxTokens: asked }) =>
      asked !== undefined && asked > hiddenWindow
        ? `This model's maximum context length is ${hiddenWindow} tokens. However, you requested ${asked} output tokens and your prompt contains 12 input tokens, for a total of ${asked + 12} tokens.`
        : undefined,
  },
  'key-refused': {
    means: 'HTTP 401 to everything',
    instead: {
      status: 401,
      contentType: 'application/json',
      body: '{"error":{"message":"Invalid API key.","type":"authentication_error","code":"invalid_api_key"}}',
    },
  },
  html: {
    means: 'a web page in place of every answer',
    instead: {
      status: 200,
      contentType: 'text/html',
      body: '<!doctype html><title>Welcome</title><p>This is a page.</p>',
    },
  },
} as const satisfies Readonly<Record<string, Quirk>>

export type QuirkName = keyof typeof quirks

export const quirkNames: readonly QuirkName[] = Object.keys(quirks).filter(isQuirk)

function isQuirk(name: string): name is QuirkName {
  return Object.hasOwn(quirks, name)
}

/** The records of these names, each seen as what any of them may be. */
export function quirksNamed(names: readonly QuirkName[]): Quirk[] {
  return names.map((name) => quirks[name])
}

function isForced({ toolChoice }: ChatRequest): boolean {
  return toolChoice === 'required' || typeof toolChoice === 'object'
}

/** Whether the parser of the server looks at the answer. */
function isRead({ request, settings }: ScriptedAnswer): boolean {
  return settings.toolSupport && offersTools(request)
}

function offersTools({ tools, toolChoice }: ChatRequest): boolean {
  return tools.length > 0 && toolChoice !== 'none'
}

import type { FormatId } from '../formats/format-id.ts'
import type { JsonObject } from '../json/objects.ts'
import type { RepairCode } from '../problems.ts'
import type { ConversationRequest, SystemText } from '../request/conversation-request.ts'
import type { DecodedMessages, DecodedRequest } from '../request/decoding.ts'
import type { Notes } from '../request/notes.ts'
import type { EncodedRequest, Target } from '../request/target.ts'
import type { ToolIdPlaces } from '../request/tool-history.ts'
import type { HistoryDialect, UpstreamHistory } from '../request/upstream-history.ts'
import type { AnswerSink } from '../answer/answer.ts'
import type { AnswerFlaw } from '../answer/calls/order.ts'
import type { CallPolicy } from '../answer/calls/policy.ts'
import type { Failure } from '../answer/failure.ts'
import type { PatchOptions } from '../answer/patch.ts'
import type { WireAnswer } from '../answer/stream.ts'
import type { WholeAsEvents, WholeCollector } from '../answer/whole.ts'

/** Everything that is to be known of a dialect. Configuration, routes, command line and adapters go by these objects. */
export interface Dialect {
  readonly request: RequestDialect
  readonly answer: AnswerDialect
  readonly errors: ErrorDialect
  readonly http: HttpDialect
  /** Left out where a dialect has no tools that a server runs. */
  readonly serverTools?: ServerToolDialect
}

/** How requests are read and written in one dialect. */
export interface RequestDialect {
  /** Reads the body of a client's request. `asked` is where it was sent, for dialects that say something there. */
  decode(body: unknown, asked?: AskedAt): DecodedRequest
  /** Writes the body for an upstream. */
  encode(request: ConversationRequest, target: Target): EncodedRequest
  readonly messages: MessageCodec
  /**
   * The format that decides ids and reasoning where the configuration names none: servers of such a dialect check them
   * by its rules, whatever model runs there. Null where the model decides.
   */
  readonly format: FormatId | null
  /**
   * Which of the fields that we only pass on may come from clients that need a key. An upstream can have fields that
   * change its templates, its routing or where it fetches from; whoever pays for it decides about those.
   */
  readonly passedFields: readonly string[]
  readonly longestToolName: number
  /** Whether a request without a limit for the answer is refused. */
  readonly demandsLimit: boolean
  /** How many tokens a body of the dialect allows an answer; undefined where it says nothing. */
  maxTokensIn(body: JsonObject): number | undefined
  /**
   * The field by which a client leaves its conversation with the server and sends only what is new. Null where the
   * dialect has none.
   */
  readonly threadField: string | null
  /** How clients name what an answer held before. Left out where a dialect has no such names. */
  readonly references?: ReferenceDialect
}

/** In some dialects a client names a piece of an earlier answer by its id, and leaves it to the server to know it. */
export interface ReferenceDialect {
  /** The pieces of a whole answer that a client may name, with their ids. */
  piecesOf(answer: JsonObject): readonly (readonly [id: string, piece: JsonObject])[]
  /** The body with the pieces in the place of their names. A name that nobody knows stays. */
  resolve(body: unknown, find: (id: string) => JsonObject | undefined): unknown
}

/** The address of a request, as far as it says what is asked for. */
export interface AskedAt {
  /** As it came, without the query. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
}

/** The messages of a dialect without the request around them: what a kept history is read from and written as. */
export interface MessageCodec extends HistoryDialect {
  /** How the dialect's own tool ids begin. */
  readonly idPrefix: string
  readonly places: MessagePlaces
  decode(given: DialectMessages, notes: Notes): DecodedMessages
  encode(
    system: readonly SystemText[],
    history: UpstreamHistory,
    target: Target,
    notes: Notes,
  ): WrittenMessages
}

/** Where messages have what may have to change in a request that otherwise goes out as its client wrote it. */
export interface MessagePlaces extends ToolIdPlaces<unknown> {
  /** The field of the request that has them. */
  readonly field: string
  /** The message with this reasoning, if it calls tools and has none; else the very message. */
  withReasoning(message: unknown, thought: string): unknown
}

/** The messages of a client, as they stand in its request. */
export interface DialectMessages {
  readonly messages: unknown
  /** Anthropic's instructions, which stand beside the messages. */
  readonly system?: unknown
}

export interface WrittenMessages {
  readonly messages: readonly JsonObject[]
  /** Anthropic's instructions. The chat dialect has them among its messages. */
  readonly system?: unknown
}

/** How answers are read and written. A whole answer is a stream of one chunk in every pairing. */
export interface AnswerDialect {
  /** In front of the id that an answer gets here. */
  readonly idPrefix: string
  /** Who is told the usage in a stream: every client, or only one that asks for it. */
  readonly usageInStream: 'always' | 'on-demand'
  /** Whether the proof that comes with reasoning is all that the upstream wants back with it, as a signature. */
  readonly proofIsSignature: boolean
  /** Whether a client of the dialect takes this id of a call, which an upstream made. */
  isLegalCallId(id: string): boolean
  /** What is a failure for clients of the dialect, although clients of others can be told it. */
  readonly refuses?: readonly AnswerFlaw[]
  /** Takes off what some servers wrap around the data of an event. */
  unwrap(data: unknown): unknown
  /** Where the data of an event names the model, in those that do. */
  readonly modelPath: readonly string[]
  /** Reads the upstream's events for a client of another dialect: one event in, calls of the policy out. */
  decode(policy: CallPolicy): WireAnswer
  /** Passes the upstream's events to a client of the same dialect: the event itself, or the event edited. */
  patch(options: PatchOptions): WireAnswer
  /** Writes the answer of an upstream of another dialect. */
  encode(options: EncodeOptions): AnswerEncoder
  readonly whole: {
    toEvents(body: string): WholeAsEvents
    collect(): WholeCollector
    /** The JSON of an answer that says just this text and has ended, for text that came in no answer. */
    ofText(text: string, origin?: TextOrigin): string
    /**
     * The events that end an answer which has begun, with this text. `first` is the data of its first event. Null where
     * the dialect cannot go on so.
     */
    rest(text: string, first: JsonObject): string | null
  }
}

/** Who wrote a text that came in no answer, and when: seconds. */
export interface TextOrigin {
  readonly model: string
  readonly created: number
}

/** Writes an answer in one dialect. */
export interface AnswerEncoder extends AnswerSink {
  /**
   * What is sent into the stream while its client waits, where that depends on what was sent before. Null while nothing of
   * the kind may stand in the stream.
   */
  keepAlive?(): string | null
}

/** What an answer needs to be written in a dialect that it did not come in. */
export interface EncodeOptions {
  readonly write: (text: string) => void
  readonly id: string
  /** The name by which the client asked. */
  readonly model: string
  /** Seconds. */
  readonly created: number
  /** Whether the client asked for a chunk with the usage, where the dialect leaves that to it. */
  readonly includeUsage: boolean
  /** An estimate of the prompt: asked only where the answer tells it before the upstream does. */
  readonly inputTokens: () => number
  /** What the client asked for, for answers that repeat it, or that have to call a tool what the client calls it. */
  readonly request?: ConversationRequest | undefined
  /**
   * The signature of reasoning: `field` is where the upstream had it, `proof` what came with it. `text` is the reasoning
   * itself, where the client is shown none of it.
   */
  readonly signature: (field: string, proof: string | null, text?: string) => string
  /** Is told what was changed, or why the answer was given up, where nobody but the encoder can know. */
  readonly told?: EncoderReports | undefined
}

export interface EncoderReports {
  repair(code: RepairCode, message: string): void
  /** The answer has failed, and the client has been told so. */
  failed(failure: Failure): void
}

/** Tools that a server runs itself while it answers, such as a search of the web. */
export interface ServerToolDialect {
  /** `vendor`: whoever else serves the dialect serves it without these tools. */
  readonly runBy: 'vendor' | 'anyone'
  /**
   * What a client is told whose request has no tools but these, where nobody runs them. Null for every other request:
   * the model can do something with the other tools, or needs none.
   */
  refuse(request: ConversationRequest, options: RefusalOptions): RefusedServerTools | null
}

export interface RefusalOptions {
  /** What is the answer's own in its ids: letters and digits. */
  readonly id: string
}

export type RefusedServerTools = {
  /** The types of the tools. */
  readonly tools: readonly string[]
} & (
  | {
      readonly is: 'answer'
      /** The whole answer, or all of its stream where the request asks for one. */
      readonly text: string
    }
  | { readonly is: 'failure'; readonly failure: Failure }
)

export interface ErrorDialect {
  status(failure: Failure): number
  /** The body of a response. */
  body(failure: Failure, requestId?: string): object
  /** The last event of a stream that has begun. `requestId` is for dialects whose streams begin with an answer that has an id. */
  event(failure: Failure, requestId?: string): string
  /** What follows that event in a write of its own, for clients that find no error in an event. Left out where all do. */
  readonly afterEvent?: (failure: Failure) => string
  /**
   * Whether clients act on such a failure only in a stream, so that a client that streams is told it there. `client`: what
   * it says in `http.clientHeader`.
   */
  inStream?(failure: Failure, client: string | undefined): boolean
}

/** How requests and answers travel over HTTP. */
export interface HttpDialect {
  /** What a server of the dialect answers to. */
  readonly routes: readonly RoutePattern[]
  /** Everything below this path is answered in the dialect, errors for unknown routes too. */
  readonly root: string
  /** Whether only clients of the dialect ask there, where that is not below its root. */
  isOwnPath?(path: string): boolean
  /** Where clients list models, and ask for one of them behind a slash; `/v1/models` where it is left out. */
  readonly modelsPath?: string
  /** The header by which a client is known on a path that the dialects share. Null where there is none. */
  readonly clientHeader: string | null
  /** The parameter of an address by which it is known there too. */
  readonly clientParameter?: string
  /** Headers that each answer to a client has. */
  readonly answerHeaders?: Readonly<Record<string, string>>
  /** What is sent into a stream while its client waits. Null where clients of the dialect take nothing of the kind. */
  readonly keepAlive: string | null
  /** How a stream is framed for who asked there, where that is not as events. */
  framing?(asked: AskedAt): StreamFraming | null
  /** Where clients of the dialect show their key, beside `authorization: Bearer`: headers in lower case, and parameters. */
  readonly keyHeaders: readonly string[]
  readonly keyParameters: readonly string[]
  /** Where an upstream takes requests for answers. `base` is the path of its address, without a slash at its end. */
  upstreamPath(base: string, model: string, stream: boolean): string
  /** The headers of every request to an upstream, with the key that it is shown. */
  headers(key?: string): Record<string, string>
  readonly rateLimits: RateLimitDialect
  /** Models as clients list them. */
  readonly models: {
    list(models: readonly ModelEntry[]): object
    one(model: ModelEntry): object
  }
}

/** The events of a stream in another frame. It is made anew for each stream. */
export interface StreamFraming {
  readonly contentType: string
  /** Takes whole events, or what is sent while the client waits. */
  write(events: string): string
  end(): string
  /** The body of a failure in the place of a stream. */
  failure(body: object): unknown
}

/** A model by the name that clients ask for, and what is known of it. */
export interface ModelEntry {
  readonly id: string
  /** Tokens of prompt and answer together. */
  readonly window?: number
  /** The longest answer in tokens. */
  readonly maxOutput?: number
  /** Whether it sees images. */
  readonly images?: boolean
}

/**
 * A route, and what it is for. In its path `{model}` stands for the name of a model, slashes and colons included, and any
 * other word in braces for any text.
 */
export type RoutePattern = { readonly path: string } & (
  | { readonly method: 'POST'; readonly serves: 'answer' }
  /** What a client keeps in place of its conversation. The body is read like that of a request for an answer. */
  | { readonly method: 'POST'; readonly serves: 'compaction' }
  /** `body` says how many tokens a request takes; `read` reads that from the answer of a server. */
  | {
      readonly method: 'POST'
      readonly serves: 'token-count'
      readonly body: (tokens: number) => object
      readonly read: (answer: unknown) => number | undefined
    }
  /** What others have there and we have not, where clients look for more than a path that nobody knows. */
  | {
      readonly method: 'GET' | 'POST' | 'DELETE'
      readonly serves: 'refusal'
      readonly failure: Failure
      /** Left out where every request gets it. */
      readonly only?: 'web-sockets'
    }
)

/** The headers in which the servers of the dialect tell their limits, and its SDKs look for them. */
export interface RateLimitDialect {
  /** Null for a header that is none of these, or that says nothing one can understand. `now` is in milliseconds. */
  read(name: string, value: string, now: number): RateLimit | null
  write(limit: RateLimit, now: number): readonly [name: string, value: string]
}

/** One limit of an upstream, in nobody's words. */
export type RateLimit = { readonly unit: 'requests' | 'tokens' } & (
  | { readonly is: 'limit' | 'remaining'; readonly count: string }
  /** `at` is in milliseconds since 1970. */
  | { readonly is: 'reset'; readonly at: number }
)

import type { JsonObject } from '../json/objects.ts'
import type { Target } from '../request/target.ts'

/** What is known of one kind of server. Everything that sets it apart stands in its record. */
export interface Server {
  readonly id: string
  /** Its name, for people. */
  readonly title: string
  /** The hosts at which it answers. A server that people run themselves has none. */
  readonly hosts?: RegExp
  /** The port at which it listens unless told otherwise. */
  readonly port?: number
  /** What its list of models says in `owned_by`. */
  readonly owner?: RegExp
  /** What else it can be asked. */
  readonly probes: readonly Probe[]
  /**
   * Where the entry of a model in the list of models tells its window, the longest answer, and the window that it was
   * made for: paths into the entry, the best first. `providers[].context_length` is the smallest number that one of the
   * providers tells: any of them may answer.
   */
  readonly windowAt: readonly string[]
  readonly outputAt?: readonly string[]
  readonly trainedWindowAt?: readonly string[]
  /** The windows of models whose server tells none. */
  readonly knownModels?: readonly KnownModel[]
  /** What requests to it have to look like. */
  readonly takes: ServerTakes
  /** What differs for some models or versions. Every entry that fits counts, a later one over an earlier one. */
  readonly exceptions?: readonly TakesException[]
  /**
   * What the server does without a limit for the answer: it writes until the window is full, or it has a limit of its
   * own. Left out where that is not known.
   */
  readonly withoutLimit?: 'rest of the window' | number
  /** What happens to a conversation that does not fit: usually an error, with some servers nothing that is told. */
  readonly tooLong?: 'error' | 'silence'
  /** How the server is kept from reading calls itself. Left out where it cannot be kept from it. */
  readonly textCalls?: TextCalls
  /** Under which names a key for the conversation goes to it. It keeps the conversation on one warm cache. */
  readonly sessionKey?: { readonly headers?: readonly string[]; readonly field?: string }
  /** Whether it counts the tokens of a request in the shape of the dialect that has a route for that. */
  readonly countsTokens?: boolean
  /** Whether it runs the tools that servers of its dialect may run themselves, such as a search of the web. */
  readonly runsServerTools?: boolean
  /** Other names under which the server lists the same model. Two names that have one in common mean one model. */
  readonly aliasesOf?: (model: string) => readonly string[]
  /** What every request to it has in its headers, beside the key. */
  readonly headers?: Readonly<Record<string, string>>
  /** Headers of the client that are meant for this server: their names in lower case. */
  readonly clientHeaders?: readonly string[]
}

/** The parts of a target that depend on the server. */
export type ServerTakes = Partial<
  Omit<Target, 'model' | 'format' | 'sameDialect' | 'allowedFields' | 'thinkingSetBy' | 'withoutFields'>
>

/** What a server takes for some models, or since or before some version. */
export interface TakesException {
  readonly models?: RegExp
  /** The first version that it holds for. It does not hold for an unknown version, unless `until` stands here too. */
  readonly since?: string
  /** The first version that it no longer holds for. */
  readonly until?: string
  readonly takes: ServerTakes
}

/** A question to a server, beside the list of its models. */
export interface Probe {
  readonly path: string
  /** Whether the path stands below the address of the API, or at the root of the server, which is usual. */
  readonly below?: 'root' | 'api'
  /** No other server gives such an answer. So this probe finds out what an unknown server is; others would guess. */
  readonly proves?: true
  /** The body of a question about one model. Without it the question is a GET. */
  readonly body?: (model: string) => JsonObject
  /** What the answer tells; null where it is not the answer of this server. */
  readonly read: (answer: JsonObject, model: string) => ProbeAnswer | null
}

export interface ProbeAnswer {
  readonly version?: string
  /** By the name of the model. */
  readonly models?: ReadonlyMap<string, ModelFacts>
  /** What holds for the model that was asked for, or for every model of the server. */
  readonly model?: ModelFacts
}

/** What is known of a model on its server. Each fact is left out where nothing tells it. */
export interface ModelFacts {
  /** How many tokens of prompt and answer together the server holds for it. */
  readonly window?: number
  /** The longest answer in tokens. */
  readonly maxOutput?: number
  /** The window that the model was made for, where the server may have given it less. */
  readonly trainedWindow?: number
  readonly tools?: boolean
  readonly thinking?: boolean
  readonly images?: boolean
}

export interface KnownModel extends ModelFacts {
  readonly names: RegExp
}

/** How a server is made to leave the text of a model alone. */
export type TextCalls =
  /** These fields of the request do it; from the version `until` on they do not. */
  | { readonly by: 'fields'; readonly fields: JsonObject; readonly until?: string }
  /** The tools are described in the prompt, and the server is told of none. */
  | { readonly by: 'prompt' }

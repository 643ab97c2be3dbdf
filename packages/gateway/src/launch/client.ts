/** A program that can be started on the gateway: what has to be known of it, and one pure function. */
export interface Client {
  readonly title: string
  /** Its package on npm. */
  readonly package: string
  /**
   * How the paths of its requests begin. Whoever answers there knows which dialect that is; a gateway that answers
   * nothing there cannot serve this client.
   */
  readonly asks: string
  /** Variables of the user that would lead the client past the gateway, or have it ask for a model of elsewhere. */
  readonly clears: readonly string[]
  /** What this client needs in order to use the gateway. */
  prepare(situation: Situation): Preparation
  /** What a user sets who starts the client without us, so that it knows how much the model takes. */
  windowHint?(limits: KnownLimits): string
}

/** The room that a model has: all of it, and what an answer should get of it. */
export interface KnownLimits {
  readonly window: number
  readonly answer: number
}

export interface Situation extends TokenLimits {
  /** The address of the gateway, without a slash at its end. */
  readonly base: string
  readonly model: string
  readonly key: string
  /** An absolute path. The folder is the client's alone, and is gone when the client has ended. */
  readonly folder: string
  /** The model and its limits, as servers list models in the dialect of the client. */
  readonly models: object
}

/** How many tokens a model takes, as far as its server tells: null where it does not. */
export interface TokenLimits {
  /** For a request and its answer together. */
  readonly window: number | null
  /** For an answer alone. */
  readonly maxOutput: number | null
}

export interface Preparation {
  /** Variables that take the place of the user's own. */
  readonly env: Variables
  /** Variables for where the user has set none. */
  readonly defaults: Variables
  /** Arguments in front of those that the user gave. */
  readonly args: readonly string[]
  /** Texts of files, by their path inside the folder. */
  readonly files: Readonly<Record<string, string>>
}

export type Variables = Readonly<Record<string, string>>

/** As much as coding agents usually ask for. */
const USUAL_OUTPUT = 32_000

/**
 * The tokens that a client should ask for at most in one answer, or null where nothing is known. An answer as long as
 * the window would leave the conversation no room at all, so it gets a quarter.
 */
export function longestAnswer({ window, maxOutput }: TokenLimits): number | null {
  if (window === null && maxOutput === null) return null
  return Math.min(USUAL_OUTPUT, maxOutput ?? Infinity, Math.floor((window ?? Infinity) / 4))
}

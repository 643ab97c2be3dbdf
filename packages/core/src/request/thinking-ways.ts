/**
 * How a server is told whether and how much a model shall think. What a server cannot be told is left out. The names of
 * fields are paths into the body: `reasoning.effort`.
 */
export interface ThinkingWays {
  /** The field whose entries reach the template. The family of the model says which entries it reads. */
  readonly templateArguments?: string
  /** What the server itself understands as on and off, whatever the template reads. */
  readonly on?: FieldValues
  readonly off?: FieldValues
  readonly effort?: EffortWay
  readonly budget?: BudgetWay
  /** What a model does that is told nothing, where the server decides that and not the template. */
  readonly unsaid?: 'on' | 'off'
  /** `where it is off`: the server may refuse `on`. So it is told that only where the model would not think. */
  readonly saysOn?: 'where it is off'
}

/** Values of fields, by the paths of the fields. */
export type FieldValues = Readonly<Record<string, string | number | boolean>>

export interface EffortWay {
  readonly field: string
  /** The words that the server takes. It answers 400 to all others. */
  readonly words: readonly string[]
  /**
   * `server`: it makes of a word what each model understands. `model`: it hands the word on, so the word means something
   * to models that know efforts, and nothing to all others.
   */
  readonly readBy: 'server' | 'model'
  /** Words that are not known there, and what stands for them. For any other word the nearest one does. */
  readonly insteadOf?: Readonly<Record<string, string>>
}

export interface BudgetWay {
  readonly field: string
  readonly least?: number
  readonly most?: number
  /** What has to stand beside it. */
  readonly beside?: FieldValues
  /** An effort is said as a budget too, because the server knows no efforts. */
  readonly forEfforts?: true
}

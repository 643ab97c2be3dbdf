/** Which keys of the object around a call hold what. */
export interface EnvelopeShape {
  readonly nameKeys: readonly string[]
  readonly argumentKeys: readonly string[]
  readonly idKeys: readonly string[]
  /**
   * Without markers around it an object is a call only if a declared tool is named, the arguments
   * are ones it takes, and there is nothing else.
   */
  readonly isStrict?: boolean
  /** The name is the key and the arguments are its value, `{"get_weather": {…}}`. */
  readonly isNameKey?: boolean
  /** The id is written behind the arguments: the call waits for it, as it begins with its id. */
  readonly isIdLast?: boolean
  /** Names that mean that no tool is called, unless a tool of that name was declared. */
  readonly noTools?: readonly string[]
  /** Every line of the object is indented by this much, also the lines of strings that hold U+2028. */
  readonly indent?: string
}

export const usualEnvelope: EnvelopeShape = {
  nameKeys: ['name', 'tool_name'],
  argumentKeys: ['arguments', 'parameters', 'args', 'input'],
  idKeys: ['id'],
}

/** Whether the key is one that an envelope has. */
export function isEnvelopeKey({ nameKeys, argumentKeys, idKeys }: EnvelopeShape, key: string): boolean {
  return [nameKeys, argumentKeys, idKeys, ['type', 'function']].some((keys) => keys.includes(key))
}

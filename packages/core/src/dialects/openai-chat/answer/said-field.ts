import { hasOtherFields, isJsonObject, type JsonObject } from '../../../json/objects.ts'

type FieldName = 'delta' | 'message'

/**
 * In which field a choice says what it says: a stream in `delta`, or as some servers write it in `message`, beside a
 * delta without words or without any. The first that says something tells. A message at the end of deltas that said it
 * all repeats them.
 */
export class SaidField {
  private name: FieldName | null = null

  /** Null where nothing has been said yet. */
  nameIn(choice: JsonObject): FieldName | null {
    if (this.name === 'delta') return 'delta'
    const { delta, message } = choice
    if (this.name === null && saysSomething(delta)) this.name = 'delta'
    else if (saysSomething(message)) this.name = 'message'
    if (isJsonObject(message) && this.name === 'message') return 'message'
    if (isJsonObject(delta)) return 'delta'
    return isJsonObject(message) ? 'message' : null
  }
}

const silent: ReadonlySet<string> = new Set(['role'])

function saysSomething(said: unknown): boolean {
  return isJsonObject(said) && hasOtherFields(said, silent)
}

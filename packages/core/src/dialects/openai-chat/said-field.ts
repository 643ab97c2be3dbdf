import { isJsonObject, type JsonObject } from '../json-object.ts'

/**
 * In which field a choice says what it says: a stream in `delta`, or as some servers write it in `message`. The first
 * chunk tells. One that repeats the whole message at the end of its deltas has said it all before.
 */
export class SaidField {
  private name: 'delta' | 'message' | null = null

  /** Null where nothing has been said yet. */
  nameIn(choice: JsonObject): 'delta' | 'message' | null {
    if (this.name === null) {
      if (isJsonObject(choice['delta'])) this.name = 'delta'
      else if (isJsonObject(choice['message'])) this.name = 'message'
    }
    return this.name
  }
}

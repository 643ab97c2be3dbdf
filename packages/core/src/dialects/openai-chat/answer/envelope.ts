import { isJsonObject } from '../../../json/objects.ts'
import { isErrorValue } from '../../../answer/upstream-failure.ts'

/** What some gateways wrap around an answer taken off: `{"data": {…}, "success": true}`, `[{"error": …}]`. */
export function unwrapEnvelope(value: unknown): unknown {
  if (Array.isArray(value) && value.length === 1) return unwrapEnvelope(value[0])
  if (!isJsonObject(value) || 'choices' in value) return value
  const { data } = value
  return isJsonObject(data) && ('choices' in data || isErrorValue(data)) ? data : value
}

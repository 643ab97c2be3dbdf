import type { DelimitedJsonGrammar } from '../../engines/json/delimited-json.ts'
import { usualEnvelope } from '../../engines/json/envelope-shape.ts'

/** The whole answer, or a whole code fence, is the JSON of calls: no marker says so. */
export const bareJson: DelimitedJsonGrammar = {
  engine: 'delimited-json',
  id: 'bare-json',
  isSpecial: false,
  isBare: true,
  callBegin: ['{', '['],
  callEnd: [],
  envelope: { ...usualEnvelope, isStrict: true },
}

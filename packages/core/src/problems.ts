/** Everything that can be wrong in what a model wrote. A closed list: a new code is a change of the API. */
export const problemCodes = {
  'no-call': 'An opening marker was not followed by a call; it comes out as text.',
  'unclosed-call': 'The closing marker is missing, but the arguments were complete: the call counts.',
  'truncated-call': 'The output ended inside a call; the call does not count.',
  'invalid-arguments':
    'The arguments are not JSON and no safe repair makes them so; the call does not count.',
  'arguments-not-object': 'The arguments are valid JSON, but not an object. They are passed on as they are.',
  'unknown-tool':
    'The model called a tool that was not offered. The call is passed on so that the client can say so.',
  'unresolved-name': 'No tool name could be found for a call; it comes out as text.',
  'type-mismatch':
    'A value does not fit the type in the tool definition; it is passed on as a string, or as null where it says so.',
  'duplicate-parameter': 'A parameter was written twice in one call; the last one counts.',
  'extra-field': 'The markup of a call holds a field or attribute without meaning; it is left out.',
  'missing-tag':
    'A tag before or behind a value is missing or damaged; the value begins or ends where it must.',
  'stray-text': 'Text between or after calls, or in the turn of somebody else, is passed on as text.',
  'unopened-reasoning':
    'Reasoning was closed that was never opened. If the prompt opens it, say so (promptOpensReasoning, models[].startsInReasoning).',
  'unclosed-reasoning':
    'Nothing closed the reasoning but the end of the answer: it is given as the answer as well.',
  overflow: 'More was held back than limits.toolCallBytes allows.',
} as const

export type ProblemCode = keyof typeof problemCodes

/** Every change we make so that a client can use what a model wrote. Each one made is reported. */
export const repairCodes = {
  'empty-arguments': 'Missing, empty or null arguments became {}.',
  'unwrapped-arguments': 'Arguments inside a JSON string, or a parameter of their own, were taken out of it.',
  'trailing-comma': 'A comma before a closing bracket was removed.',
  'control-character': 'A raw control character in a JSON string was escaped.',
  'invalid-escape':
    'A backslash in a JSON string that begins no escape was doubled; one with a letter between values was taken for a line break.',
  'unescaped-quote': 'A quote or mark inside a text was not escaped; it is a part of the text.',
  'python-literal': 'Python spelling (single quotes, True, False, None) was rewritten as JSON.',
  'surplus-closer': 'A closing bracket too many was removed.',
  'missing-closer': 'Missing closing brackets were added where the end marker of the call stood.',
  'resolved-name': 'A call without a tool name was given the only one that fits.',
  namespace: 'A namespace in front of the name of an offered tool was left out.',
  'foreign-tags': 'The arguments stood in foreign tags; they were read by the names that the tool declares.',
  'declared-type': 'A value of another type got the one that the tool declares.',
  'turn-token': 'A token that ends a turn had leaked into the text and was removed.',
  residue: 'A marker that belongs to nothing, or a call in the text behind structured ones, was removed.',
  'repeated-call': 'A structured call that repeats one in the text was left out.',
  'filled-field':
    'What every message, block or structured call has (a role, usage, a stop reason, an id…) was missing or could not stay; it was filled in.',
  'encoded-arguments': 'The arguments of a structured call were a JSON value; they became its text.',
  'dropped-choice': 'Of several choices only the first went to the client.',
  'late-signature': 'The signature of reasoning came when something else had been said; it was left out.',
  'forbidden-call': 'A call was written that the client does not allow; it was removed.',
  'rescued-call':
    'The upstream could not read a call, and sent it in an error or as the name of a tool. It was read.',
  flushed: 'More was held back than limits.toolCallBytes allows; it was passed on as text.',
} as const

export type RepairCode = keyof typeof repairCodes

import { countOf, type JsonObject } from '../../json/objects.ts'
import { quotesOthers } from '../quotations.ts'
import { otherMatters, overflowCodes, type Wording, wordings } from './wordings.ts'

/** What an upstream says is too long, with the numbers that it told. */
export interface Overflow {
  /**
   * `prompt`: the prompt alone does not fit. `sum`: prompt and asked output together do not. `output`: the asked output
   * alone is more than the model may write.
   */
  readonly what: 'prompt' | 'sum' | 'output'
  /** Left out where the server told only a lower bound, or a number of characters. */
  readonly promptTokens?: number
  /** What was asked for. */
  readonly outputTokens?: number
  /** Prompt and asked output together, where the server told neither of them alone. */
  readonly totalTokens?: number
  /** How many tokens fit; for a prompt, how many a prompt may have. */
  readonly window?: number
  /** For `output`: the most that may be asked for. */
  readonly mostOutput?: number
}

/** An error as far as it can tell that something is too long. */
interface ToldError {
  readonly message: string
  readonly code?: string | null
  readonly type?: string | null
  /** All fields of the error: some servers have the numbers there. */
  readonly fields?: JsonObject
}

/** The one code for a prompt, or a sum, that is too long, whatever words the upstream has for it. */
export const contextOverflow = 'context_length_exceeded'

/** What an upstream's error says is too long; null where it is about something else. */
export function readOverflow({ message, code, type, fields = {} }: ToldError): Overflow | null {
  const text = message.slice(0, LONGEST_READ).replaceAll(/(?<=\d),(?=\d{3}(?!\d))/g, '')
  if (otherMatters.test(text) || quotesOthers(text)) return null
  for (const wording of wordings) {
    const match = wording.words.exec(text)
    if (match !== null) return withFields(fromNumbers(wording, numbersIn(match.groups ?? {})), fields)
  }
  const isOverflow = [code, type].some((word) => typeof word === 'string' && overflowCodes.has(word))
  return isOverflow ? withFields({ what: 'prompt' }, fields) : null
}

/** A message may repeat the whole request, and every wording is looked for in it. */
const LONGEST_READ = 4000

interface Numbers {
  readonly prompt?: number | undefined
  readonly output?: number | undefined
  readonly total?: number | undefined
  readonly window?: number | undefined
  readonly most?: number | undefined
  readonly characters?: number | undefined
  readonly isBound: boolean
}

function numbersIn(groups: Readonly<Record<string, string | undefined>>): Numbers {
  const { prompt, more, output, total, window, most, characters, bound } = groups
  return {
    prompt: sumOf(numberOf(prompt), numberOf(more)),
    output: numberOf(output),
    total: numberOf(total),
    window: numberOf(window),
    most: numberOf(most),
    characters: numberOf(characters),
    isBound: bound !== undefined,
  }
}

function sumOf(number: number | undefined, more = 0): number | undefined {
  return number === undefined ? undefined : number + more
}

function numberOf(digits: string | undefined): number | undefined {
  const number = Number(digits)
  return Number.isSafeInteger(number) ? number : undefined
}

function fromNumbers(wording: Wording, numbers: Numbers): Overflow {
  const { output, total, window, most: mostOutput = window } = numbers
  const prompt = promptOf(wording, numbers)
  const what = wording.what === 'by numbers' ? whatBy(numbers, prompt) : wording.what
  return {
    what,
    ...(prompt !== undefined && { promptTokens: prompt }),
    ...(output !== undefined && { outputTokens: output }),
    ...(total !== undefined && prompt === undefined && { totalTokens: total }),
    ...(window !== undefined && { window }),
    ...(what === 'output' && mostOutput !== undefined && { mostOutput }),
  }
}

/** The length of the prompt in tokens, where it is told exactly. */
function promptOf(
  { what, clips }: Wording,
  { prompt, output, total, window, isBound }: Numbers,
): number | undefined {
  if (isBound) return undefined
  if (prompt === undefined)
    return total !== undefined && what === 'by numbers' ? total - (output ?? 0) : undefined
  const isClipped = clips === true && window !== undefined && prompt + (output ?? 0) === window + 1
  return isClipped ? undefined : prompt
}

function whatBy({ output, window, characters }: Numbers, prompt: number | undefined): 'prompt' | 'sum' {
  if (output === undefined || output === 0 || window === undefined) return 'prompt'
  // A token is at least a character: a prompt with fewer characters than the window has tokens fits by itself.
  if (characters !== undefined) return characters < window ? 'sum' : 'prompt'
  return prompt !== undefined && prompt >= window ? 'prompt' : 'sum'
}

/** llama.cpp has the numbers in fields too, and in older versions nowhere else. */
function withFields(overflow: Overflow, fields: JsonObject): Overflow {
  const promptTokens = overflow.promptTokens ?? countOf(fields, 'n_prompt_tokens')
  const window = overflow.window ?? countOf(fields, 'n_ctx')
  return {
    ...overflow,
    ...(promptTokens !== null && { promptTokens }),
    ...(window !== null && { window }),
  }
}

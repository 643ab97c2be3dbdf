import { getWriting, writingForModel } from './find-writing.ts'
import type { HistoryProblem } from './history.ts'
import type {
  Asked,
  BrokenCalls,
  ChoiceNone,
  ImitatedError,
  Imitation,
  Refusal,
  Said,
  Way,
} from './imitation.ts'
import { abilities as allAbilities } from './imitation.ts'
import { getImitation } from './imitations.ts'
import { isJsonObject, type JsonObject } from './json.ts'
import { charactersFor, promptSize } from './prompt-size.ts'
import { describeProblems, type ScriptedAnswer } from './script.ts'
import {
  resolveSettings,
  settingsForModel,
  type ResolvedSettings,
  type SimulatorSettings,
} from './settings.ts'
import type { Writing } from './writing.ts'

/** An imitated server at work on one request: what it does before its model is asked, and to what the model says. */
export interface Imitated {
  /** What it says instead of asking the model. */
  readonly refusal: Said | undefined
  /** The request as the model gets it. */
  readonly body: JsonObject
  readonly settings: SimulatorSettings
  readonly inItsShape: (error: ImitatedError) => Said
  /** What becomes of the model's answer. */
  readonly deliver: (answer: ScriptedAnswer) => ScriptedAnswer | FailedAnswer
}

/** The server fails at what its model wrote. */
interface FailedAnswer {
  readonly said: Said
  /** What a stream has said before it fails: the text before the calls. */
  readonly begun: ScriptedAnswer
}

/** Plays the server that the settings name; undefined where they name none, or where the body is no request. */
export function imitate(body: unknown, given: SimulatorSettings, way: Way): Imitated | undefined {
  if (given.server === undefined || !isJsonObject(body)) return undefined
  const imitation = getImitation(given.server)
  const model = typeof body['model'] === 'string' ? body['model'] : ''
  const { name, settings } = settingsForModel(model, resolveSettings(given))
  const asked = { body, model: name, abilities: abilitiesOf(settings) }
  return new ImitatedRequest(imitation, asked, settings, way)
}

/** The window of a server that is given none. */
export const usualWindow = 131_072

function abilitiesOf({ abilities = allAbilities, toolSupport }: ResolvedSettings): Asked['abilities'] {
  return toolSupport ? abilities : abilities.filter((ability) => ability !== 'tools')
}

const usualLimitFields = ['max_completion_tokens', 'max_tokens']
const reasoningFields = ['reasoning', 'reasoning_content', 'reasoning_details']

class ImitatedRequest implements Imitated {
  readonly #imitation: Imitation
  readonly #asked: Asked
  readonly #chosen: ResolvedSettings
  readonly #way: Way
  readonly #window: number
  readonly #prompt: number
  readonly #problems: HistoryProblem[] = []
  readonly refusal: Said | undefined
  readonly body: JsonObject
  readonly settings: SimulatorSettings

  constructor(imitation: Imitation, asked: Asked, settings: ResolvedSettings, way: Way) {
    this.#imitation = imitation
    this.#asked = asked
    this.#chosen = settings
    this.#way = way
    this.#window = settings.window ?? usualWindow
    this.#prompt = promptSize(asked.body).prompt
    const error = this.#findRefusal()
    this.refusal = error && this.inItsShape(error)
    this.body = this.#bodyForModel()
    const { abilities } = asked
    this.settings = {
      ...settings,
      toolSupport: abilities.includes('tools'),
      ...(!abilities.includes('thinking') && { thinking: 'none' }),
      ...(imitation.commentsInStreams === true && { comments: true }),
    }
  }

  inItsShape = (error: ImitatedError): Said => {
    const { shape, messagesShape = shape } = this.#imitation
    const { status, inStream } = error
    if (this.#way === 'messages') return { status, body: messagesShape(error) }
    if (inStream === undefined || this.#asked.body['stream'] !== true) return { status, body: shape(error) }
    const { shape: streamed = shape, ...event } = inStream
    return { status, body: shape(error), inStream: { ...event, body: streamed(error) } }
  }

  deliver = (answer: ScriptedAnswer): ScriptedAnswer | FailedAnswer => {
    const played = this.#withServersTouch(answer)
    if (played.calls.length === 0) return played
    // The parser of a server looks only at answers to requests with tools in fields of their own.
    const how = played.settings.toolSupport ? this.#delivery() : 'text'
    const writing = ownWriting(this.#asked.model, this.#chosen, played.writing)
    switch (how) {
      case 'structured':
        return this.#chosen.field === 'content' ? { ...played, writing: getWriting('standard') } : played
      case 'swallowed':
        return { ...played, writing: getWriting('standard'), calls: [] }
      case 'text':
        return { ...played, writing }
      case 'stripped':
        return { ...played, writing: withoutSpecialTokens(writing) }
      case 'broken':
      case 'broken-mute':
        return this.#broken(played, writing, how)
    }
  }

  #findRefusal(): ImitatedError | undefined {
    const { withoutParser, tooLong, cutsInSilence } = this.#imitation
    const refusals = [
      ...this.#refusals(),
      ...(this.#chosen.parser === 'none' && withoutParser !== undefined ? [withoutParser] : []),
    ]
    for (const refuse of refusals) {
      const error = refuse(this.#asked)
      if (error !== undefined) return error
    }
    if (cutsInSilence === true) return undefined
    const { body } = this.#asked
    return tooLong({ ...promptSize(body), output: this.#limit(), window: this.#window })
  }

  #refusals(): readonly Refusal[] {
    const { refuses = [], refusesMessages = [], refusesResponses = [] } = this.#imitation
    return { chat: refuses, messages: refusesMessages, responses: refusesResponses, contents: refuses }[
      this.#way
    ]
  }

  #limit(): number | undefined {
    const { limitFields = usualLimitFields } = this.#imitation
    const { body } = this.#asked
    const { generationConfig: config } = body
    const limits: Record<Way, unknown[]> = {
      chat: limitFields.map((field) => body[field]),
      messages: [body['max_tokens']],
      responses: [body['max_output_tokens']],
      contents: [isJsonObject(config) ? config['maxOutputTokens'] : undefined],
    }
    return limits[this.#way].filter((value) => typeof value === 'number').find((value) => value >= 1)
  }

  #bodyForModel(): JsonObject {
    const { tool_choice: choice, max_completion_tokens: _, ...rest } = this.#asked.body
    const { messages, tools } = rest
    const keepsChoice = !this.#isChoiceDropped(choice)
    const most = this.#mostTokens()
    const hasTools = this.#asked.abilities.includes('tools')
    return {
      ...rest,
      ...(Array.isArray(messages) && { messages: messages.map((each, index) => this.#message(each, index)) }),
      ...(keepsChoice && choice !== undefined && { tool_choice: choice }),
      ...(most !== undefined && this.#way === 'chat' && { max_tokens: most }),
      ...(most !== undefined && this.#way === 'responses' && { max_output_tokens: most }),
      // A server that does not refuse tools leaves them out where the model's template has no place for them.
      ...(!hasTools && tools !== undefined && { tools: [] }),
    }
  }

  #isChoiceDropped(choice: unknown): boolean {
    const { choiceNone, namedChoice } = this.#imitation
    if (choiceNone === 'ignored') return true
    if (isNone(choice)) return choiceNone !== 'no calls'
    return namedChoice === 'ignored' && isJsonObject(choice) && ('function' in choice || 'name' in choice)
  }

  /** The most tokens that the answer may have; undefined where nothing limits it. */
  #mostTokens(): number | undefined {
    const { cutsInSilence, withoutLimit = Infinity } = this.#imitation
    const asked = this.#limit()
    if (cutsInSilence === true) return asked
    return Math.max(1, Math.min(asked ?? withoutLimit, this.#window - this.#prompt))
  }

  /** Puts reasoning that this server reads into the one field that the script of the model knows. */
  #message(message: unknown, index: number): unknown {
    if (!isJsonObject(message) || message['role'] !== 'assistant') return message
    const { readsReasoning, name } = this.#imitation
    const { reasoning, reasoning_content: content, reasoning_details: details, ...rest } = message
    const texts: JsonObject = { reasoning, reasoning_content: content, reasoning_details: details }
    const sent = reasoningFields.filter((field) => isSaid(texts[field]))
    const read = sent.filter((field) => readsReasoning.includes(field))
    if (sent.length > 0 && read.length === 0 && this.#way === 'chat') {
      this.#problems.push({
        code: 'unread-reasoning',
        message: `messages[${index}]: the reasoning stands in ${sent.join(' and ')}, but ${name} reads ${readsReasoning.join(' and ') || 'none'}`,
      })
    }
    const text = read
      .map((field) => texts[field])
      .map((said) => (typeof said === 'string' ? said : JSON.stringify(said)))
    return read.length === 0 ? rest : { ...rest, reasoning_content: text[0] }
  }

  #withServersTouch(answer: ScriptedAnswer): ScriptedAnswer {
    const { reasoningIn, inlineReasoning = {}, responses } = this.#imitation
    const { body } = this.#asked
    const promptTokens = Math.min(this.#prompt, this.#window)
    const historyProblems = [...this.#problems, ...answer.historyProblems]
    const staysInline = Object.entries(inlineReasoning).some(([field, value]) => body[field] === value)
    return {
      ...answer,
      request: { ...answer.request, promptLength: charactersFor(promptTokens) },
      ...(this.#way === 'chat' && { thoughtFields: reasoningIn }),
      ...(responses !== undefined && { responses }),
      historyProblems,
      ...(this.#problems.length > 0 && { text: describeProblems(historyProblems) }),
      ...(staysInline && { settings: { ...answer.settings, thinking: 'inline' } }),
    }
  }

  #delivery(): Delivery {
    const { parser = 'structured' } = this.#chosen
    const { tool_choice: choice, skip_special_tokens: skips } = this.#asked.body
    const { choiceNone } = this.#imitation
    if (isNone(choice)) return deliveries[choiceNone](parser, skips !== false)
    return parser === 'none' ? 'text' : parser
  }

  #broken(
    answer: ScriptedAnswer,
    writing: TextWriting,
    parser: 'broken' | 'broken-mute',
  ): ScriptedAnswer | FailedAnswer {
    const { isStream } = answer.request
    const { calls } = answer
    const lead = leadOf(answer, writing)
    const written = writtenBy(answer, writing)
    const does: BrokenCalls = this.#imitation.broken?.({ lead, written, calls, parser, isStream }) ?? 'text'
    if (does === 'text') return { ...answer, writing }
    const structured = { ...answer, writing: getWriting('standard') }
    if (does === 'cut') return { ...structured, calls: calls.map(cutInMiddle) }
    return { said: this.inItsShape(does), begun: { ...structured, text: lead, calls: [] } }
  }
}

type Delivery = 'structured' | 'text' | 'stripped' | 'swallowed' | 'broken' | 'broken-mute'
type TextWriting = Extract<Writing, { kind: 'text' }>

/** How calls of a model come that was told to make none. */
const deliveries: Readonly<
  Record<ChoiceNone, (parser: NonNullable<SimulatorSettings['parser']>, skipsSpecial: boolean) => Delivery>
> = {
  // Nothing asks for these: such a model has no calls.
  'no calls': () => 'swallowed',
  text: () => 'text',
  'text without special tokens': (_, skipsSpecial) => (skipsSpecial ? 'stripped' : 'text'),
  swallowed: (parser, skipsSpecial) => (parser !== 'none' ? 'swallowed' : skipsSpecial ? 'stripped' : 'text'),
  ignored: (parser) => (parser === 'none' ? 'text' : parser),
}

function isNone(choice: unknown): boolean {
  return choice === 'none' || (isJsonObject(choice) && choice['type'] === 'none')
}

function isSaid(reasoning: unknown): boolean {
  return (typeof reasoning === 'string' || Array.isArray(reasoning)) && reasoning.length > 0
}

/** How the model writes calls by itself. A name that tells nothing stands for the most usual writing. */
function ownWriting(model: string, { format }: ResolvedSettings, scripted: Writing): TextWriting {
  const candidates = [scripted, writingForModel(model, format), getWriting('hermes')]
  const found = candidates.find((each) => each.kind === 'text')
  if (found === undefined) throw new Error('No writing is text.')
  return found
}

function leadOf({ text }: ScriptedAnswer, writing: TextWriting): string {
  return writing.isBare === true ? '' : (writing.text?.(text) ?? text) + writing.gap
}

function writtenBy({ calls, startIndex }: ScriptedAnswer, writing: TextWriting): string {
  return writing.calls(calls, startIndex) + (writing.end ?? '')
}

const specialToken = /<[|｜][^|｜<>\s]+[|｜]>|\[(?:TOOL_CALLS|CALL_ID|ARGS)\]/g

function withoutSpecialTokens(writing: TextWriting): TextWriting {
  return {
    ...writing,
    calls: (calls, startIndex) => writing.calls(calls, startIndex).replaceAll(specialToken, ''),
    ...(writing.end !== undefined && { end: writing.end.replaceAll(specialToken, '') }),
  }
}

function cutInMiddle<Call extends ScriptedAnswer['calls'][number]>(call: Call): Call {
  const json = JSON.stringify(call.arguments)
  return { ...call, json: json.slice(0, Math.ceil(json.length / 2)) }
}

import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ConversationRequest,
  detectModel,
  dialects,
  type FormatId,
  isPromptFormat,
  makeSignature,
  type ModelFacts,
  promptFormatIds,
  type Server,
  takesOf,
  type TextCalls,
  wishOf,
  withToolsInPrompt,
} from '@dragoman/core'
import type { ModelRoute } from '../config/match-model.ts'
import { answerPath, basePath, headersFor } from '../upstream/upstream-request.ts'
import { type Exchange, exchange, type HttpQuestion, type Line } from './http.ts'
import { type Question, type QuestionName, questions } from './questions.ts'
import { type Answer, readAnswer, type Thought } from './read-answer.ts'

/** How the model hears of the tools, and who reads its calls. */
export type CallMode =
  /** In fields of their own, and the server reads the calls. */
  | { readonly is: 'native' }
  /** The server shows the tools to the model, and is kept from reading the calls by these fields. */
  | { readonly is: 'text'; readonly fields: Extract<TextCalls, { by: 'fields' }>['fields'] }
  /** In the prompt, as text of this format. */
  | { readonly is: 'prompt'; readonly format: FormatId }

export interface PatientOptions extends Line {
  /** The rule of the configuration. Its model is the one that is asked for; null where the server is to say one. */
  readonly rule: Pick<ModelRoute, 'format' | 'tools' | 'startsInReasoning' | 'thinking' | 'window'> & {
    readonly model: string | null
  }
  readonly redact: (text: string) => string
}

/** Nobody waits longer than this for a server that is busy. */
const LONGEST_WAIT_MS = 15_000

/** The upstream that is examined, with what is known of it so far. */
export class Patient {
  readonly line: Line
  readonly rule: PatientOptions['rule']
  readonly redact: (text: string) => string
  /** The model that is asked. Empty until it is known. */
  model: string
  server: Server | undefined
  version: string | undefined
  facts: ModelFacts = {}
  /** How tools are offered from now on: what the configuration says, or what a check found to work. */
  mode: CallMode
  private readonly answers = new Map<QuestionName, Promise<Answer>>()
  private listed: Promise<Exchange> | undefined

  constructor({ rule, redact, ...line }: PatientOptions) {
    this.line = line
    this.rule = rule
    this.redact = redact
    this.model = rule.model ?? ''
    this.mode = rule.tools === 'prompt' ? { is: 'prompt', format: this.promptFormat } : { is: 'native' }
  }

  get upstream(): Line['upstream'] {
    return this.line.upstream
  }

  /** The format in which tools can stand in the prompt of this model. */
  get promptFormat(): FormatId {
    const { format } = this.rule
    const own = format === 'auto' ? detectModel(this.model).format : format
    return isPromptFormat(own) ? own : promptFormatIds[0]
  }

  /** The answer to the question for the list of models. */
  list(): Promise<Exchange> {
    return (this.listed ??= exchange(this.line, {
      path: `${basePath(this.upstream)}/models`,
      method: 'GET',
      headers: headersFor(this.upstream, false),
      body: null,
    }))
  }

  /** The answer to one of the questions, which is asked once. */
  answer(name: QuestionName): Promise<Answer> {
    const known = this.answers.get(name)
    if (known !== undefined) return known
    const asked = this.ask(questions[name])
    this.answers.set(name, asked)
    return asked
  }

  /** Asks again, in another way: later checks go by this answer. */
  askAgain(name: QuestionName, changes: Partial<Question> = {}): Promise<Answer> {
    const asked = this.ask({ ...questions[name], ...changes })
    this.answers.set(name, asked)
    return asked
  }

  /** The answers that there are, of those that are named. */
  async given(...names: readonly QuestionName[]): Promise<Answer[]> {
    return Promise.all(names.flatMap((name) => this.answers.get(name) ?? []))
  }

  async ask(question: Question, mode: CallMode = this.mode): Promise<Answer> {
    const { upstream, model, rule, redact } = this
    const isStream = question.delivery === 'stream'
    const request = requestFor(model, { reasoning: wishOf(rule.thinking), ...question })
    const { body, toolNames, notes } = this.encode(request, mode)
    const answer = await this.patiently({
      path: answerPath(upstream, model, isStream),
      method: 'POST',
      headers: headersFor(upstream, isStream),
      body: JSON.stringify({ ...body, ...upstream.body }),
    })
    const isPrompted = mode.is === 'prompt'
    return readAnswer(answer, {
      dialect: upstream.dialect,
      parser: {
        format: isPrompted ? mode.format : rule.format,
        model,
        calls: 'read',
        tools: request.tools.map(({ name, parameters }) => ({
          name: isPrompted ? name : toolNames.toUpstream(name),
          parameters,
        })),
        promptOpensReasoning: rule.startsInReasoning ?? undefined,
      },
      clientToolName: (name) => toolNames.toClient(name),
      notes,
      redact,
    })
  }

  /** A server that has too much to do is asked once more, after the time that it says. */
  private async patiently(question: HttpQuestion): Promise<Exchange> {
    const first = await exchange(this.line, question)
    if (first.status !== 429 && first.status !== 503) return first
    const seconds = Number(first.headers['retry-after'] ?? '2')
    await sleep(Math.min(seconds >= 0 ? seconds * 1000 : 2000, LONGEST_WAIT_MS))
    return exchange(this.line, question)
  }

  /** The signature by which reasoning goes back to where it came from. */
  sign({ field, proof }: Thought): string {
    const { proofIsSignature } = dialects[this.upstream.dialect].answer
    if (proofIsSignature && proof !== null) return proof
    return makeSignature({
      format: this.format,
      field,
      model: this.model,
      ...(proof === null ? {} : { proof }),
    })
  }

  private get format(): FormatId {
    const { format } = this.rule
    if (format !== 'auto') return format
    return dialects[this.upstream.dialect].request.format ?? detectModel(this.model).format
  }

  private encode(request: ConversationRequest, mode: CallMode) {
    const { server, model, version, upstream, facts } = this
    const { request: sent } = mode.is === 'prompt' ? withToolsInPrompt(request, mode.format) : { request }
    return dialects[upstream.dialect].request.encode(sent, {
      model,
      format: this.format,
      demandsReasoning: false,
      // What is wished of the thinking is what the configuration would say.
      thinkingSetBy: 'user',
      thinks: facts.thinking,
      ...takesOf(server, model, version),
      // Whether the server itself obeys a choice is what is asked.
      forcedToolChoice: 'send',
      namedToolChoice: 'send',
      ...(mode.is === 'text' ? { callsInText: mode.fields, forcedToolChoice: 'nudge' } : {}),
    })
  }
}

function requestFor(model: string, question: Question): ConversationRequest {
  const { delivery, contents, tools, toolChoice, reasoning, maxTokens } = question
  return {
    model,
    system: [],
    contents,
    tools,
    toolChoice,
    parallelToolCalls: undefined,
    stream: delivery === 'stream',
    wantsUsage: true,
    maxTokens,
    temperature: 0,
    topP: undefined,
    topK: undefined,
    stopSequences: [],
    reasoning,
    outputFormat: undefined,
    user: undefined,
    extra: {},
  }
}

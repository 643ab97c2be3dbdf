import { detectModel, textCallsOf } from '@dragoman/core'
import { type CallWay, findWay } from '../call-ways.ts'
import { type Check, fail, type Finding, note, ok, warn } from '../finding.ts'
import { type CallVerdict, describeVerdict, isCall, judgeCall } from '../judge-call.ts'
import type { Patient } from '../patient.ts'
import { type QuestionName, questions, time, weather } from '../questions.ts'
import type { Answer } from '../read-answer.ts'

/** Whether calls of tools arrive. */
export const callChecks: readonly Check[] = [
  {
    id: 'call-streamed',
    title: 'a call, streamed',
    needs: ['stream'],
    run: (patient) => call(patient, 'call'),
  },
  {
    id: 'call-whole',
    title: 'a call, whole',
    needs: ['call-streamed'],
    run: (patient) => call(patient, 'wholeCall'),
  },
  { id: 'two-calls', title: 'two calls at once', needs: ['call-streamed'], run: twoCalls },
  { id: 'forced-call', title: 'a forced call', needs: ['call-streamed'], run: forcedCall },
]

/** A model that thinks longer than the usual limit gets this one when it is asked again. */
const MORE_TOKENS = 1500

async function call(patient: Patient, name: QuestionName): Promise<Finding> {
  const verdict = await askTwice(patient, name)
  if (isCall(verdict)) return arrived(patient, verdict)
  const found = await findWay(patient, questions[name], await patient.answer(name))
  return found === null ? lost(patient, verdict) : mended(patient, verdict, found)
}

function arrived({ model, rule, mode }: Patient, verdict: CallVerdict): Finding {
  const seen = describeVerdict(verdict)
  if (verdict.is === 'in-error') return note(seen, 'The parser of the server fails on calls of this model.')
  const format = verdict.is === 'text' ? verdict.format : null
  if (format === null || rule.format !== 'auto' || mode.is === 'prompt' || isToldBy(model)) return ok(seen)
  const advice = `The name ${model} does not tell the format: the lines below do.`
  return { status: 'note', seen, advice, remedy: { model: { format } } }
}

/** Whether the name of a model says how it writes calls. */
function isToldBy(model: string): boolean {
  const { format, isTold } = detectModel(model)
  return format !== 'standard' || isTold === true
}

/** A model may decide not to call. Only one that does so twice does not call. */
async function askTwice(patient: Patient, name: QuestionName): Promise<CallVerdict> {
  const first = judgeCall(await patient.answer(name))
  if (isCall(first) || first.is === 'refused') return first
  return judgeCall(await patient.askAgain(name, first.is === 'cut' ? { maxTokens: MORE_TOKENS } : {}))
}

function mended(patient: Patient, verdict: CallVerdict, { advice, remedy }: CallWay): Finding {
  const flags = flagsFor(patient, verdict)
  return warn(describeVerdict(verdict), `${advice}${flags === '' ? '' : ` Better: ${flags}`}`, remedy)
}

function lost(patient: Patient, verdict: CallVerdict): Finding {
  const { server, version } = patient
  const flags = flagsFor(patient, verdict)
  const advice =
    verdict.is === 'declined'
      ? 'This model does not call tools, neither by fields nor by words: choose another one.'
      : flags === ''
        ? nextSteps(patient)
        : `To let it read calls, ${flags}`
  const isStubborn = server !== undefined && textCallsOf(server, version) === undefined
  const honest = isStubborn ? ` ${server.title} cannot be kept from reading calls itself.` : ''
  return fail(describeVerdict(verdict), advice + honest)
}

/** What is left to do where the server loses calls, and the model writes none that is told in its prompt how to. */
function nextSteps({ server, mode }: Patient): string {
  const tried =
    mode.is === 'prompt'
      ? 'The tools are in the prompt already.'
      : 'With the tools in the prompt (tools: prompt) no call arrived either.'
  const parser = choosesParser.has(server?.id ?? '') ? 'start it with another --tool-call-parser, ' : ''
  return `${tried} What is left: ${parser}take a newer version of the server, or another model.`
}

/** The servers whose parser of calls is chosen when they are started. */
const choosesParser: ReadonlySet<string> = new Set(['vllm', 'sglang'])

/** What a server has to be started with to read calls itself. */
const startFlags: Readonly<Record<string, string>> = {
  vllm: 'start vLLM with --enable-auto-tool-choice and the --tool-call-parser of the model.',
  sglang: 'start SGLang with the --tool-call-parser of the model.',
  'llama.cpp': 'start llama-server with --jinja.',
  ollama: 'choose a model that "ollama show" gives the capability tools.',
}

function flagsFor({ server }: Patient, { is }: CallVerdict): string {
  return is === 'refused' || is === 'unread' ? (startFlags[server?.id ?? ''] ?? '') : ''
}

async function twoCalls(patient: Patient): Promise<Finding> {
  const { refusal, failure, calls, text } = await patient.answer('twoCalls')
  const trouble = refusal ?? failure
  if (trouble !== null) {
    return warn(
      `the answer failed: ${trouble.message}`,
      'Agents that call several tools at once may stop here.',
    )
  }
  const names = calls.filter(({ isWhole }) => isWhole).map(({ name }) => name)
  if (names.includes(weather.name) && names.includes(time.name)) return ok('both came')
  if (names.length > 0) {
    return note(`only ${names.join(', ')} came`, 'Agents still work: they make one call after the other.')
  }
  return note(text === '' ? 'nothing came' : 'the model talks instead', 'Agents still work if one call does.')
}

async function forcedCall(patient: Patient): Promise<Finding> {
  const required = obeyed(await patient.answer('required'), weather.name)
  const named = obeyed(await patient.answer('named'), time.name)
  const seen = `required: ${required.seen}; by name: ${named.seen}`
  const { forcedToolChoice, namedToolChoice } = patient.server?.takes ?? {}
  const isAskedInWords = forcedToolChoice !== undefined && forcedToolChoice !== 'send'
  const isMended = required.is === 'obeyed' || isAskedInWords
  const isNameMended = named.is === 'obeyed' || isAskedInWords || namedToolChoice === 'alone'
  if (required.is === 'obeyed' && named.is === 'obeyed') return ok(seen)
  if (isMended && isNameMended) return ok(`${seen}; the gateway asks for it in another way`)
  const isRefused = required.is === 'refused' || named.is === 'refused'
  return isRefused
    ? warn(seen, 'A client that forces a call gets an error. Most agents leave the choice to the model.')
    : note(seen, 'A client that forces a call may get text. Most agents leave the choice to the model.')
}

function obeyed(
  { refusal, failure, calls }: Answer,
  name: string,
): { readonly is: string; readonly seen: string } {
  if (refusal !== null) return { is: 'refused', seen: `refused (${refusal.message})` }
  if (failure !== null) return { is: 'ignored', seen: `no call (${failure.message})` }
  const isThere = calls.some((each) => each.isWhole && each.name === name)
  return isThere ? { is: 'obeyed', seen: 'obeyed' } : { is: 'ignored', seen: 'ignored' }
}

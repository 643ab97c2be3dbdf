import { isRecord } from '../../support/is-record.ts'
import { eventsIn, type Json } from './upstream.ts'

/** Whether a value is as the dialect's public schema wants it; else what is wrong, and where. */
type Check = (value: unknown, at: string) => string[]

const fault = (at: string, wanted: string, value: unknown): string[] => [
  `${at}: ${wanted}, not ${JSON.stringify(value)?.slice(0, 80)}`,
]
const kind =
  (wanted: string, isRight: (value: unknown) => boolean): Check =>
  (value, at) =>
    isRight(value) ? [] : fault(at, wanted, value)

const text = kind('a text', (value) => typeof value === 'string')
const someText = kind('a text that is not empty', (value) => typeof value === 'string' && value !== '')
const number = kind('a number', (value) => typeof value === 'number')
const integer = kind('a whole number', Number.isInteger)
const boolean = kind('true or false', (value) => typeof value === 'boolean')
const object = kind('an object', isRecord)
const is = (...words: readonly unknown[]): Check => kind(words.join(' or '), (value) => words.includes(value))
const orNull =
  (check: Check): Check =>
  (value, at) =>
    value === null ? [] : check(value, at)
const optional =
  (check: Check): Check =>
  (value, at) =>
    value === undefined ? [] : check(value, at)
const listOf =
  (check: Check): Check =>
  (value, at) =>
    Array.isArray(value)
      ? value.flatMap((item: unknown, index) => check(item, `${at}[${index}]`))
      : fault(at, 'a list', value)
/** Fields that the schema does not name may stand beside those that it does. */
const fields =
  (wanted: Readonly<Record<string, Check>>): Check =>
  (value, at) =>
    isRecord(value)
      ? Object.entries(wanted).flatMap(([field, check]) => check(value[field], `${at}.${field}`))
      : fault(at, 'an object', value)
const byType =
  (kinds: Readonly<Record<string, Check>>): Check =>
  (value, at) => {
    const check = isRecord(value) ? kinds[String(value['type'])] : undefined
    return check === undefined ? fault(at, 'a known type', value) : check(value, at)
  }

const part = byType({
  output_text: fields({ text, annotations: listOf(object), logprobs: optional(listOf(object)) }),
  summary_text: fields({ text }),
  reasoning_text: fields({ text }),
})

const status = is('in_progress', 'completed', 'incomplete')
const callOf = (own: Readonly<Record<string, Check>>): Check =>
  fields({ id: someText, call_id: callId, status, ...own })
const callId = kind(
  'an id of 1 to 64 characters',
  (value) => typeof value === 'string' && value !== '' && value.length <= 64,
)

const item = byType({
  message: fields({ id: someText, status, role: is('assistant'), content: listOf(part) }),
  // Neither is null: what is not there is left out.
  reasoning: fields({
    id: someText,
    summary: listOf(part),
    content: optional(listOf(part)),
    encrypted_content: optional(text),
  }),
  function_call: callOf({ name: someText, arguments: text, namespace: optional(someText) }),
  custom_tool_call: callOf({ name: someText, input: text, namespace: optional(someText) }),
  tool_search_call: callOf({ arguments: object, execution: is('client') }),
  local_shell_call: callOf({
    action: fields({ type: is('exec'), command: listOf(text), env: object }),
  }),
  shell_call: callOf({ action: fields({ commands: listOf(text) }) }),
  apply_patch_call: callOf({
    operation: fields({ type: is('create_file', 'update_file', 'delete_file'), path: text }),
  }),
})

const usage = fields({
  input_tokens: integer,
  input_tokens_details: fields({ cached_tokens: integer, cache_write_tokens: integer }),
  output_tokens: integer,
  output_tokens_details: fields({ reasoning_tokens: integer }),
  total_tokens: integer,
})

/** The schema knows functions alone. Tools of other kinds are repeated as the client defined them. */
const tool: Check = (value, at) =>
  isRecord(value) && value['type'] === 'function'
    ? fields({
        name: someText,
        description: orNull(text),
        parameters: orNull(object),
        strict: orNull(boolean),
      })(value, at)
    : fields({ type: someText })(value, at)

const format = byType({
  text: object,
  json_object: object,
  json_schema: fields({ name: someText, description: orNull(text), schema: orNull(object), strict: boolean }),
})

const mode = is('auto', 'none', 'required')
const toolChoice: Check = (value, at) => {
  if (!isRecord(value)) return mode(value, at)
  const isList = value['type'] === 'allowed_tools'
  return fields(isList ? { tools: listOf(fields({ type: someText })), mode } : { type: someText })(value, at)
}

const response = fields({
  id: someText,
  object: is('response'),
  created_at: integer,
  completed_at: orNull(integer),
  status: is('in_progress', 'completed', 'incomplete', 'failed'),
  error: orNull(fields({ code: someText, message: text })),
  incomplete_details: orNull(fields({ reason: is('max_output_tokens', 'content_filter') })),
  model: text,
  output: listOf(item),
  instructions: orNull(text),
  previous_response_id: is(null),
  tools: listOf(tool),
  tool_choice: toolChoice,
  truncation: is('auto', 'disabled'),
  parallel_tool_calls: boolean,
  text: fields({ format, verbosity: optional(is('low', 'medium', 'high')) }),
  temperature: number,
  top_p: number,
  presence_penalty: number,
  frequency_penalty: number,
  top_logprobs: integer,
  reasoning: fields({
    effort: orNull(is('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max')),
    summary: orNull(is('auto', 'concise', 'detailed')),
  }),
  usage: orNull(usage),
  max_output_tokens: orNull(integer),
  max_tool_calls: orNull(integer),
  store: is(false),
  background: is(false),
  service_tier: text,
  metadata: object,
  safety_identifier: orNull(text),
  prompt_cache_key: orNull(text),
})

const lifecycle = fields({ response })
const ofItem = { output_index: integer, item_id: someText }
const inContent = { ...ofItem, content_index: integer }
const inSummary = { ...ofItem, summary_index: integer }
const logprobs = listOf(object)

const events: Readonly<Record<string, Check>> = {
  'response.created': lifecycle,
  'response.in_progress': lifecycle,
  'response.completed': lifecycle,
  'response.incomplete': lifecycle,
  'response.failed': lifecycle,
  'response.output_item.added': fields({ output_index: integer, item }),
  'response.output_item.done': fields({ output_index: integer, item }),
  'response.content_part.added': fields({ ...inContent, part }),
  'response.content_part.done': fields({ ...inContent, part }),
  'response.output_text.delta': fields({ ...inContent, delta: text, logprobs }),
  'response.output_text.done': fields({ ...inContent, text, logprobs }),
  'response.reasoning_summary_part.added': fields({ ...inSummary, part }),
  'response.reasoning_summary_part.done': fields({ ...inSummary, part }),
  'response.reasoning_summary_text.delta': fields({ ...inSummary, delta: text }),
  'response.reasoning_summary_text.done': fields({ ...inSummary, text }),
  'response.function_call_arguments.delta': fields({ ...ofItem, delta: text }),
  'response.function_call_arguments.done': fields({ ...ofItem, arguments: text, name: someText }),
  'response.custom_tool_call_input.delta': fields({ ...ofItem, delta: text }),
  'response.custom_tool_call_input.done': fields({ ...ofItem, input: text }),
  // Some clients read the fields of the event, others the error in it.
  error: fields({
    code: someText,
    message: text,
    param: orNull(text),
    error: fields({ type: someText, code: someText, message: text, param: orNull(text) }),
  }),
  keepalive: object,
}

/** What the public schema of the dialect finds wrong in a stream. It knows every event that the encoder writes. */
export function faultsIn(stream: string): string[] {
  return eventsIn(stream).flatMap((event, at) => {
    const type = String(event['type'])
    const check = events[type]
    if (check === undefined) return [`${at}: nobody knows the event ${type}`]
    return fields({ sequence_number: is(at) })(event, type).concat(check(event, type))
  })
}

/** The same for a whole response. */
export function faultsInWhole(body: Json): string[] {
  return response(body, 'response')
}

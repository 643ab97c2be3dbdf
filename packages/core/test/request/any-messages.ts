import * as fc from 'fast-check'

type Fields = Record<string, unknown>

// Messages in every form that a dialect has for a thing. Left out is what is repaired: calls without a result, results
// in another order, texts that a server refuses for being empty.

const text = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' })
const anyText = fc.oneof(text, fc.constant(''))
const toolText = fc.oneof(
  anyText,
  text.map((value) => `[tool error] ${value}`),
)
/** As it comes out of a body: JSON knows no -0. */
const anyJson = fc.json({ maxDepth: 2 }).map((json): unknown => JSON.parse(json))
const parameters = fc.dictionary(fc.string(), anyJson, { maxKeys: 3 })
const name = fc.constantFrom('Bash', 'Read', 'web_fetch')
const mark = fc.constant({ type: 'ephemeral' })

/** Fields that no version of a dialect has. */
const vendorFields = fields({ x_vendor: anyJson, y_vendor: fc.boolean() })

/** An object with some of these fields. */
function fields(some: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Fields> {
  return fc.record(some, { requiredKeys: [], noNullPrototype: true })
}

/** An object with all of the first fields and some of the others. */
function object(
  all: Record<string, fc.Arbitrary<unknown>>,
  some: Record<string, fc.Arbitrary<unknown>> = {},
): fc.Arbitrary<Fields> {
  return fc.tuple(fc.record(all), fields(some), vendorFields).map((parts) => Object.assign({}, ...parts))
}

function is<T>(value: T): fc.Arbitrary<T> {
  return fc.constant(value)
}

// OpenAI Chat

const textPart = object({ type: is('text'), text: anyText }, { cache_control: mark })
const refusalPart = object({ type: is('refusal'), refusal: text })
const imagePart = object({
  type: is('image_url'),
  image_url: fc.oneof(
    object({ url: is('https://a.example/i.png') }, { detail: is('low') }),
    object({ url: is('data:image/png;base64,AAAA') }),
  ),
})
const audioPart = object({
  type: is('input_audio'),
  input_audio: object({ data: is('AAAA'), format: is('wav') }),
})
const filePart = object({
  type: is('file'),
  file: fc.oneof(
    object({ file_id: is('file_1') }),
    object({ file_data: is('data:application/pdf;base64,JVBE') }, { filename: text }),
  ),
})
const unknownPart = object({ type: is('hologram'), beam: anyJson })
const parts = fc.array(fc.oneof(textPart, imagePart, audioPart, filePart, unknownPart), { maxLength: 3 })

const systemMessage = object(
  {
    role: fc.constantFrom('system', 'developer'),
    content: fc.oneof(anyText, fc.array(textPart, { maxLength: 3 })),
  },
  { name: text },
)
const userMessage = object({ role: is('user'), content: fc.oneof(anyText, parts) }, { name: text })
const chatCall = fc.record({
  more: vendorFields,
  isCustom: fc.boolean(),
  called: object({ name, arguments: parameters.map((value) => JSON.stringify(value, null, 1)) }),
  answered: object(
    {
      content: fc.oneof(
        toolText,
        fc.array(fc.oneof(object({ type: is('text'), text: toolText }), imagePart), {
          minLength: 1,
          maxLength: 3,
        }),
      ),
    },
    { name: is('') },
  ),
})
const assistantMessage = object(
  { role: is('assistant') },
  {
    content: fc.oneof(anyText, is(null), fc.array(fc.oneof(textPart, refusalPart), { maxLength: 3 })),
    refusal: fc.oneof(anyText, is(null)),
    reasoning_content: fc.oneof(anyText, is(null)),
    reasoning: anyText,
    reasoning_details: fc.array(object({ type: is('reasoning.text'), text }), { maxLength: 2 }),
    name: text,
    audio: fc.oneof(is(null), is({ id: 'audio_1' })),
    function_call: is(null),
  },
)
const chatTurn = fc.oneof(
  systemMessage.map((message) => ({ message, calls: [] })),
  userMessage.map((message) => ({ message, calls: [] })),
  fc.record({ message: assistantMessage, calls: fc.array(chatCall, { maxLength: 3 }) }),
)

export const anyChatMessages: fc.Arbitrary<Fields[]> = fc
  .array(chatTurn, { maxLength: 6 })
  .map((turns) => turns.flatMap(chatMessages).concat([{ role: 'user', content: 'And?' }]))

interface ChatTurn {
  readonly message: Fields
  readonly calls: readonly ChatCall[]
}

interface ChatCall {
  readonly more: Fields
  /** Of a tool that takes a text. */
  readonly isCustom: boolean
  readonly called: Fields
  readonly answered: Fields
}

function chatMessages({ message, calls }: ChatTurn, turn: number): Fields[] {
  if (calls.length === 0) return [message]
  const toolCalls: Fields[] = []
  const results: Fields[] = []
  for (const [at, { more, isCustom, called, answered }] of calls.entries()) {
    const id = `call_${turn}_${at}`
    const custom = { name: called['name'], input: called['arguments'] }
    toolCalls.push({
      ...more,
      id,
      ...(isCustom ? { type: 'custom', custom } : { type: 'function', function: called }),
    })
    const named = 'name' in answered ? { name: called['name'] } : {}
    results.push({ role: 'tool', tool_call_id: id, ...answered, ...named })
  }
  return [{ ...message, tool_calls: toolCalls }, ...results]
}

/** As most templates want them: no fields that are null, and instructions under the one role that all know. */
export const plainChatMessages: fc.Arbitrary<Fields[]> = anyChatMessages.map((messages) =>
  messages.map((message) => ({
    ...Object.fromEntries(
      Object.entries(message).filter(([field, value]) => field === 'content' || value !== null),
    ),
    role: message['role'] === 'developer' ? 'system' : message['role'],
  })),
)

// Anthropic Messages

const textBlock = object(
  { type: is('text'), text },
  { cache_control: mark, citations: fc.oneof(is(null), is([])) },
)
const image = object(
  {
    type: is('image'),
    source: fc.oneof(
      object({ type: is('base64'), media_type: is('image/png'), data: is('AAAA') }),
      object({ type: is('url'), url: is('https://a.example/i.png') }),
      object({ type: is('file'), file_id: is('file_1') }),
    ),
  },
  { cache_control: mark },
)
const document = object(
  {
    type: is('document'),
    source: fc.oneof(
      object({ type: is('text'), media_type: is('text/plain'), data: text }),
      object({ type: is('base64'), media_type: is('application/pdf'), data: is('JVBE') }),
      object({ type: is('content'), content: fc.array(textBlock, { maxLength: 2 }) }),
    ),
  },
  { title: fc.oneof(text, is(null)), context: text },
)
const unknownBlock = object({ type: is('hologram'), beam: anyJson })
const shown = fc.oneof(textBlock, image, document, unknownBlock)
const thought = fc.oneof(
  object({ type: is('thinking'), thinking: anyText, signature: is('EqQB') }),
  object({ type: is('redacted_thinking'), data: is('EmwK') }),
)
const use = fc.record({
  called: object({ type: is('tool_use'), name, input: parameters }, { cache_control: mark }),
  answered: object(
    { type: is('tool_result') },
    {
      content: fc.oneof(
        anyText,
        fc.array(fc.oneof(shown, object({ type: is('text'), text: is('') })), { maxLength: 3 }),
      ),
      is_error: fc.oneof(fc.boolean(), is(null)),
      cache_control: mark,
    },
  ),
})
const anthropicTurn = fc.record({
  asked: fc.oneof(text, fc.array(shown, { minLength: 1, maxLength: 3 })),
  askedMore: vendorFields,
  answered: fc.oneof(
    text,
    fc
      .tuple(
        fc.array(thought, { maxLength: 2 }),
        fc.array(fc.oneof(textBlock, unknownBlock), { minLength: 1, maxLength: 2 }),
      )
      .map(([thoughts, texts]) => thoughts.concat(texts)),
  ),
  answeredMore: vendorFields,
  uses: fc.array(use, { maxLength: 3 }),
})

export const anyAnthropicMessages: fc.Arbitrary<{ system?: unknown; messages: Fields[] }> = fc
  .record({
    system: fc.option(fc.oneof(text, fc.array(textBlock, { minLength: 1, maxLength: 3 })), {
      nil: undefined,
    }),
    turns: fc.array(anthropicTurn, { maxLength: 4 }),
    isResultAlone: fc.boolean(),
  })
  .map(({ system, turns, isResultAlone }) => {
    const messages: Fields[] = []
    let results: Fields[] = []
    const ask = (asked: string | Fields[], more: Fields): void => {
      const content = results.length === 0 ? asked : [...results, ...blocksOf(asked)]
      messages.push({ role: 'user', content, ...more })
    }
    for (const [at, turn] of turns.entries()) {
      ask(turn.asked, turn.askedMore)
      const ids = turn.uses.map((_, n) => `toolu_${at}_${n}`)
      const calls = turn.uses.map(({ called }, n) => ({ ...called, id: ids[n] }))
      const content = calls.length === 0 ? turn.answered : [...blocksOf(turn.answered), ...calls]
      messages.push({ role: 'assistant', content, ...turn.answeredMore })
      results = turn.uses.map(({ answered }, n) => Object.assign({ tool_use_id: ids[n] }, answered))
    }
    if (isResultAlone && results.length > 0) messages.push({ role: 'user', content: results, x_vendor: 1 })
    else ask('And?', {})
    return system === undefined ? { messages } : { system, messages }
  })

function blocksOf(content: string | Fields[]): Fields[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content
}

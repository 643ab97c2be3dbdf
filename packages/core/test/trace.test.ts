import { describe, expect, it } from 'vitest'
import { formats } from '../src/formats/registry.ts'
import { createTracer, heldReasons, type OutputTrace, type SourceSpan, traceOutput } from '../src/trace.ts'
import { sampleTools } from './support/modes.ts'

const tools = sampleTools

/** A letter for each character: what it became. */
const letters: Readonly<Record<SourceSpan['kind'], string>> = {
  text: 't',
  reasoning: 'r',
  markup: '.',
  name: 'N',
  arguments: 'A',
  removed: 'x',
  repaired: 'p',
  held: 'h',
}

function lettersOf({ spans }: OutputTrace): string {
  return spans.map(({ kind, from, to }) => letters[kind].repeat(to - from)).join('')
}

function sourceOf(text: string, { spans }: OutputTrace, kind: SourceSpan['kind']): string[] {
  return spans.filter((span) => span.kind === kind).map(({ from, to }) => text.slice(from, to))
}

describe('what each character became', () => {
  it.each([
    [
      'text, reasoning and their markers',
      { format: 'qwen' },
      '<think>\nhm</think>\n\nHi.',
      '........rr..........ttt',
    ],
    [
      'a call with JSON arguments',
      { format: 'hermes' },
      '<tool_call>{"name": "get_weather", "arguments": {"city":"Paris"}}</tool_call>',
      '.....................NNNNNNNNNNN................AAAAAAAAAAAAAAAA.............',
    ],
    [
      'a call with a tag for each parameter',
      { format: 'minimax' },
      '<invoke name="get_weather"><parameter name="city">Oslo</parameter></invoke>',
      '..............NNNNNNNNNNN...................AAAA..AAAA.....................',
    ],
    [
      'a call written as Python',
      { format: 'pythonic' },
      '[get_weather(city="Paris")]',
      '.NNNNNNNNNNN.AAAAAAAAAAAAA.',
    ],
    ['a token that ended the turn and leaked', { format: 'qwen' }, 'Hi.<|im_end|>', 'tttxxxxxxxxxx'],
    [
      'a bracket too many',
      { format: 'hermes' },
      '<tool_call>{"name": "get_weather", "arguments": {}}}</tool_call>',
      '.....................NNNNNNNNNNN................AA.x............',
    ],
    [
      'the part of the JSON that a repair changed',
      { format: 'hermes' },
      '<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo", "days": None}}</tool_call>',
      '.....................NNNNNNNNNNN................AAAAAAAAAAAAAAAAAAAAAAAAAppppA.............',
    ],
    [
      'quotes that became others',
      { format: 'hermes' },
      `<tool_call>{"name": "get_weather", "arguments": {'city': 'Oslo'}}</tool_call>`,
      '.....................NNNNNNNNNNN................ApAAAApAApAAAApA.............',
    ],
    [
      'an opener that no call follows',
      { format: 'kimi' },
      'a <|tool_call_begin|> b',
      'ttttttttttttttttttttttt',
    ],
    [
      'arguments that cannot be read',
      { format: 'hermes' },
      '<tool_call>{"name": "get_weather", "arguments": {"city" oh}}</tool_call>.',
      '.....................NNNNNNNNNNN................AAAAAAAAxxxx............t',
    ],
  ] as const)('%s', (_, options, text, expected) => {
    expect(lettersOf(traceOutput(text, { ...options, tools }))).toBe(expected)
  })

  it('a call where none was allowed is left out', () => {
    const text = 'a <|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{}<|tool_call_end|>'
    const trace = traceOutput(text, { format: 'kimi', calls: 'remove' })
    expect(lettersOf(trace)).toBe('tt' + 'x'.repeat(text.length - 2))
    expect(trace.events[trace.spans[1]?.event ?? -1]).toMatchObject({
      type: 'repair',
      code: 'forbidden-call',
    })
  })

  it('with no tools offered everything is text', () => {
    const trace = traceOutput('<tool_call>{}</tool_call>', { format: 'standard', tools: [] })
    expect(lettersOf(trace)).toBe('t'.repeat(25))
  })

  it.each(formats.filter(({ sample }) => sample !== '').map(({ id, sample }) => [id, sample] as const))(
    '%s: the name and the argument of its sample are found where they stand',
    (format, sample) => {
      const trace = traceOutput(sample, { format, tools })
      expect(sourceOf(sample, trace, 'name').join(' ')).toContain('get_weather')
      expect(sourceOf(sample, trace, 'arguments').join('')).toContain('Paris')
      const ofCall = trace.spans.filter(({ kind }) => kind === 'name' || kind === 'arguments')
      expect(new Set(ofCall.map(({ call }) => call))).toEqual(new Set([0]))
      expect(sourceOf(sample, trace, 'text').join('').trim()).toBe('')
    },
  )
})

function callOf(name: string): string {
  return `<tool_call>\n<function=${name}>\n<parameter=days>\nthree\n</parameter>\n</function>\n</tool_call>`
}

describe('the events of a trace', () => {
  const text =
    'Hi.<tool_call>{"name": "get_weather", "arguments": {"city": "Oslo",}}</tool_call>' +
    '<tool_call>{"name": "get_weather", "arguments": {}}</tool_call>'
  const trace = traceOutput(text, { format: 'hermes', tools })

  it('each stand where their text does', () => {
    const shown = trace.events.map((event, index) => {
      const { from, to } = trace.places[index] ?? { from: 0, to: 0 }
      return `${event.type} ${text.slice(from, to)}`
    })
    expect(shown).toEqual([
      'text Hi.',
      'call-start get_weather',
      'call-delta {"city": "Oslo",}',
      'repair ,',
      'call-end ',
      'call-start get_weather',
      'call-delta {}',
      'call-end ',
    ])
  })

  it('problems stand at the name or the value that they speak of', () => {
    const source = callOf('get_weather') + callOf('get_time')
    const { events, places } = traceOutput(source, { format: 'qwen', tools })
    const problems = events.flatMap((event, index) =>
      event.type === 'problem'
        ? [`${event.code} ${source.slice(places[index]?.from, places[index]?.to)}`]
        : [],
    )
    expect(problems).toEqual(['type-mismatch three', 'unknown-tool get_time'])
  })

  it('the rest of arguments that a problem interrupts stands at the end of its call', () => {
    const city = '<function=get_weather>\n<parameter=city>\nOslo\n</parameter>'
    const source = `Hi.${callOf('get_weather').replace('<function=get_weather>', city)}`
    const { events, places } = traceOutput(source, { format: 'qwen', tools })
    const deltas = events.flatMap((event, index) => (event.type === 'call-delta' ? [places[index]] : []))
    const end = source.indexOf('\n</tool_call>')
    expect(deltas).toMatchObject([{}, { from: end, to: end }])
  })

  it('belong to the call that the spans name', () => {
    const spans = trace.spans.filter(({ kind }) => kind === 'name')
    expect(spans.map(({ call, event }) => [call, event])).toEqual([
      [0, 1],
      [1, 5],
    ])
  })
})

describe('what is held', () => {
  it.each([
    ['marker', {}, 'a <tool_c', '<tool_c'],
    ['unnamed-call', { format: 'hermes' }, 'a <tool_call>{"name": "get_w', '<tool_call>{"name": "get_w'],
    [
      'whole-call',
      { format: 'hermes', delivery: 'complete' },
      '<tool_call>{"name": "get_weather", "arguments": {"city"',
      '<tool_call>{"name": "get_weather", "arguments": {"city"',
    ],
    ['value', { format: 'qwen' }, '<tool_call><function=get_weather><parameter=days>1', '1'],
    ['draft', { format: 'qwen', promptOpensReasoning: true }, 'hm <tool_call>{"name"', '<tool_call>{"name"'],
    ['candidate', { format: 'qwen' }, '{"name": "get_weather", "arg', '{"name": "get_weather", "arg'],
  ] as const)('%s', (why, options, text, held) => {
    const tracer = createTracer({ ...options, tools })
    tracer.push(text)
    const trace = tracer.trace()
    expect(trace.held).toMatchObject({ why, message: heldReasons[why] })
    expect(text.slice(trace.held?.from)).toBe(held)
    expect(trace.spans.at(-1)).toMatchObject({ kind: 'held', to: text.length })
  })

  it('is nothing once the output has ended', () => {
    const tracer = createTracer({ format: 'hermes', tools })
    tracer.push('a <tool_call>')
    tracer.end()
    expect(tracer.trace().held).toBeNull()
  })
})

it('text of the other channel beside a call is counted where it came', () => {
  const tracer = createTracer({ format: 'hermes', tools })
  tracer.push('<tool_call>{"name": "get_weather", ')
  tracer.push('\n', 'reasoning')
  tracer.push('"arguments": {}}</tool_call>')
  tracer.end()
  expect(lettersOf(tracer.trace())).toBe('.....................NNNNNNNNNNN.................AA.............')
})

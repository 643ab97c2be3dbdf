import { describe, expect, it } from 'vitest'
import { disagreementOn, type Sight, sightsOf } from './agreement.ts'
import {
  type Answer,
  type Call,
  type Finish,
  type Habits,
  hasBlocks,
  type Item,
  type Reading,
  type UpstreamError,
} from './answer.ts'
import { describeDisagreement } from './describe.ts'
import { plainHabits, plainReading } from './generate.ts'
import { readChat } from './openai-chat-client.ts'
import { clientGets } from './through.ts'
import type { View } from './view.ts'

const kimiCall =
  '<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>' +
  '{"city":"Paris"}<|tool_call_end|><|tool_calls_section_end|>'

const paris = { name: 'get_weather', arguments: '{"city":"Paris"}' }

describe('text and reasoning', () => {
  it('arrive with every character, the first ones too', () => {
    for (const view of seen(answer([text('\n\n  Hello', ' \n')]))) expect(view.text).toBe('\n\n  Hello \n')
    for (const view of seen(answer([reasoning('\n Hm', '. ')]))) expect(view.reasoning).toBe('\n Hm. ')
  })

  it('arrive with every character behind one another', () => {
    for (const view of seen(answer([reasoning('Hm. '), text('\n\nHello')]))) {
      expect(view).toMatchObject({ reasoning: 'Hm. ', text: '\n\nHello' })
    }
  })

  it('arrive with every character where the proof of the reasoning comes before the last of them', () => {
    for (const view of seen(answer([reasoning(kimiCall, 'Hm.', '\n')]))) {
      expect(view).toMatchObject({ text: 'Hm.\n', calls: [paris] })
    }
    const behindCall = [calls(call('list', '{}')), reasoning(kimiCall), reasoning('Hm.'), reasoning('\n')]
    for (const view of seen(answer(behindCall))) expect(view).toMatchObject({ text: 'Hm.\n' })
  })

  it('arrive with every character where the first was held in the block before', () => {
    const said = answer(
      [text('<'), text('Hm.', '\n'), calls(call('get_weather', '{"city":"Paris"}'))],
      'tool-calls',
      { habits: { blocks: 'apart' } },
    )
    for (const view of seen(said)) expect(view.text).toBe('<Hm.\n')
  })

  it('leave a call in the reasoning its end where the proof of the reasoning comes before it', () => {
    const open = kimiCall.slice(0, kimiCall.indexOf('<|tool_call_end|>'))
    for (const view of seen(answer([reasoning(open)]))) expect(view.calls).toEqual([paris])
  })

  it('arrive with every character where white space comes before what has to be held', () => {
    const said = answer([reasoning('\n', '<'), reasoning('<', 'Hm.'), text('Hm.')], 'stop', {
      habits: { blocks: 'apart' },
    })
    for (const view of seen(said)) expect(view).toMatchObject({ reasoning: '\n<<Hm.', text: 'Hm.' })
  })

  it('end at the same place behind a call that is no call, however much comes at once', () => {
    const items = [calls(call('get_weather', 'Paris')), text('<', 'Hm.'), text('Hm.')]
    for (const arrives of ['at once', 'event by event'] as const) {
      for (const { failure } of seen(answer(items, 'stop', { habits: { arrives } }))) {
        expect(failure).toMatchObject({ message: expect.stringContaining('get_weather') })
      }
    }
  })

  it('make no block of white space in a message', () => {
    for (const space of ['\n\n', '  ']) {
      const said = answer([text(space), calls(call('get_weather', '{"city":"Paris"}'))])
      for (const { client, view } of agreed(said)) {
        expect(view).toMatchObject({ text: hasBlocks(client) ? '' : space, calls: [paris] })
      }
    }
  })

  it('are kept behind a call without arguments where the model was stopped', () => {
    for (const view of seen(answer([calls(call('list')), text('Done.')], 'length'))) {
      expect(view).toMatchObject({ text: 'Done.', finish: 'length' })
    }
  })
})

describe('a call in the text', () => {
  const habits: [string, Item, Partial<Habits>][] = [
    ['plain content', text(kimiCall), {}],
    ['the parts of content', text(kimiCall), { contentIn: 'parts' }],
    ['reasoning_content', reasoning(kimiCall), {}],
    ['reasoning_details', reasoning(kimiCall), { reasoningIn: 'reasoning_details' }],
    ['reasoning and reasoning_details alike', reasoning(kimiCall), { reasoningIn: 'two fields' }],
  ]

  it.each(habits)('is a call in %s', (_where, item, more) => {
    for (const view of seen(answer([item], 'stop', { habits: more }))) {
      expect(view).toEqual({ text: '', reasoning: '', calls: [paris], finish: 'tool-calls', failure: null })
    }
  })

  it('is removed from every field of the reasoning that it stands in', () => {
    const item = reasoning('Hm. ', kimiCall)
    for (const view of seen(answer([item], 'stop', { habits: { reasoningIn: 'two fields' } }))) {
      expect(view).toMatchObject({ reasoning: expect.stringMatching(/^Hm\. ?$/), calls: [paris] })
    }
  })

  it('is left over from structured calls behind them, and no text', () => {
    const items = [calls(call('get_weather', '{"city":"Paris"}')), text(kimiCall)]
    for (const view of seen(answer(items))) expect(view).toMatchObject({ text: '', calls: [paris] })
  })

  it('is made once where the server structured it as well', () => {
    const items = [text(kimiCall), calls(call('get_weather', '{"city": "Paris"}'))]
    for (const view of seen(answer(items))) expect(view).toMatchObject({ text: '', calls: [paris] })
  })

  it('that is broken ends the answer, and no text follows', () => {
    const broken = kimiCall.replace('"Paris"', '"Paris" oops')
    for (const { view } of streams(answer([text('Hm.'), text(broken), text(' More.')]))) {
      expect(view?.failure).toMatchObject({ kind: 'upstream' })
      expect(view?.text).toBe('Hm.')
    }
  })
})

describe('a structured call', () => {
  it.each([
    ['a trailing comma', '{"city":"Paris",}', '{"city":"Paris"}'],
    ['single quotes and words of Python', "{'city': 'Paris', 'now': True}", '{"city":"Paris","now":true}'],
    ['raw control characters', '{"city":"Par\nis"}', '{"city":"Par\\nis"}'],
    ['a closer too many', '{"city":"Paris"}}', '{"city":"Paris"}'],
    ['another encoding around them', '"{\\"city\\":\\"Paris\\"}"', '{"city":"Paris"}'],
    ['nothing in them', '', '{}'],
    [
      'long numbers',
      '{"id":12345678901234567890,"size":1e2}',
      '{"id":"#12345678901234567890","size":"#1e2"}',
    ],
  ])('has its arguments put right where they come with %s', (_what, json, mended) => {
    for (const view of seen(answer([calls(call('get_weather', json))], 'tool-calls'))) {
      expect(view).toMatchObject({
        calls: [{ name: 'get_weather', arguments: mended }],
        finish: 'tool-calls',
      })
    }
  })

  it('has its arguments as they are where they come as an object', () => {
    const object: Call = { ...call('get_weather'), arguments: { are: 'an object', json: '{"city":"Paris"}' } }
    for (const view of seen(answer([calls(object)]))) expect(view.calls).toEqual([paris])
  })

  it('has arguments a thousand levels deep', () => {
    const json = nested(1000)
    const object: Call = { ...call('get_weather'), arguments: { are: 'an object', json } }
    for (const one of [object, call('get_weather', json)]) {
      for (const view of seen(answer([calls(one)], 'tool-calls'))) {
        expect(view.calls).toEqual([{ name: 'get_weather', arguments: json }])
      }
    }
  })

  it('is a failure, and no exception, where its arguments are deeper than the stack', () => {
    const json = nested(200_000)
    const object: Call = { ...call('get_weather'), arguments: { are: 'an object', json } }
    for (const one of [object, call('get_weather', json)]) {
      for (const { view } of sightsOf(answer([calls(one)], 'tool-calls'))) {
        expect(view?.failure).toMatchObject({ kind: 'upstream' })
      }
    }
  })

  it.each([
    ['without a name', { ...call('get_weather', '{"city":"Paris"}'), name: null }],
    ['with an empty name', { ...call('get_weather', '{"city":"Paris"}'), name: '' }],
    ['with arguments that are no JSON', call('get_weather', '{"city":', 'Paris}')],
    ['that is cut', call('get_weather', '{"city":"Par')],
  ])('%s is a failure, and nothing before it is lost', (_what, broken) => {
    const whole = call('read_file', '{"path":"a"}')
    const said = answer([reasoning('Hm.'), text('Let me see.'), calls(whole, broken)], 'tool-calls')
    for (const { view, status } of agreed(said)) {
      expect(view.failure).toMatchObject({ kind: 'upstream' })
      if (status !== 200) expect(status).toBe(502)
    }
    for (const { view } of streams(said)) {
      expect(view).toMatchObject({ reasoning: 'Hm.', text: 'Let me see.' })
      expect(view?.calls[0]).toEqual({ name: 'read_file', arguments: '{"path":"a"}' })
    }
  })

  it('in function_call beside tool_calls is one call', () => {
    const twice: Call = { ...call('get_weather', '{"city":', '"Paris"}'), legacy: 'beside' }
    for (const view of seen(answer([calls(twice)], 'tool-calls'))) expect(view.calls).toEqual([paris])
  })

  it('in function_call alone is a call', () => {
    const legacy: Call = { ...call('get_weather', '{"city":', '"Paris"}'), legacy: 'instead' }
    for (const view of seen(answer([calls(legacy)], 'tool-calls'))) expect(view.calls).toEqual([paris])
  })

  it('mixed with another comes out whole, in order', () => {
    const two: Item = {
      is: 'calls',
      calls: [call('get_weather', '{"city":', '"Paris"}'), call('read_file', '{"path":', '"a"}')],
      order: 'woven',
    }
    for (const view of seen(answer([two], 'tool-calls'))) {
      expect(view.calls).toEqual([paris, { name: 'read_file', arguments: '{"path":"a"}' }])
    }
  })

  it('loses the namespace that its name was not declared with', () => {
    for (const view of seen(answer([calls(call('functions.get_weather', '{"city":"Paris"}'))]))) {
      expect(view.calls).toEqual([paris])
    }
  })

  it('does not begin before it is whole, where only whole calls are wanted', () => {
    const said = answer([calls(call('get_weather', '{"city":', '"Par'))], 'tool-calls', {
      reading: { delivery: 'complete' },
    })
    for (const { view } of streams(said)) expect(view?.failure).toMatchObject({ kind: 'upstream' })
    for (const { received } of streams(said)) expect(received).not.toContain('"name":"get_weather"')
  })

  it('that has to wait is bounded', () => {
    const said = answer(
      [calls(call('get_weather', '{"city":', '"Paris, the capital', ' of France"}'))],
      'tool-calls',
      {
        reading: { delivery: 'complete', toolCallBytes: 16 },
      },
    )
    for (const { view, upstream } of streams(said)) {
      // A call that comes in one piece does not wait.
      if (upstream.dialect !== 'gemini') expect(view?.failure).toMatchObject({ kind: 'upstream' })
    }
  })

  it('does not begin behind a text that is beyond the limit', () => {
    const tooLong = "<|tool_calls|>[{'name': 'get_weather', 'arguments': {'city': 'Paris'}}]"
    const said = answer([text(tooLong), calls(call('get_weather', '{"city": ', '"Paris"}'))], 'stop', {
      reading: { toolCallBytes: 16 },
    })
    for (const { view } of streams(said)) {
      expect(view).toMatchObject({ calls: [], finish: null, failure: { kind: 'upstream' } })
    }
  })

  it('that has to wait leaves no empty text where there is no room for what follows it', () => {
    const nameless = { ...call('', '{"city":"Paris"}'), name: null }
    const said = answer([calls(call('get_weather', '{"city":"Paris"}'), nameless), text('Hm.')], 'stop', {
      reading: { toolCallBytes: 16 },
    })
    for (const { received } of streams(said)) expect(received).not.toContain('"text":""}')
  })
})

describe('the end of an answer', () => {
  it('whose beginning was lost on its way has one for the client', () => {
    const body = ['event: message_stop\ndata: {"type":"message_stop"}\n\n']
    const received = clientGets({
      upstream: { dialect: 'anthropic-messages', delivered: 'stream', body },
      client: { dialect: 'openai-chat', wants: 'stream' },
      reading: plainReading,
    })
    expect(readChat(received)).toMatchObject({ text: '', finish: 'stop', failure: null })
  })

  it('that speaks of calls where there is none is an ordinary one', () => {
    for (const view of seen(answer([text('Hello.')], 'tool-calls'))) {
      expect(view).toEqual({ text: 'Hello.', reasoning: '', calls: [], finish: 'stop', failure: null })
    }
  })

  it('speaks of calls where there are some', () => {
    for (const view of seen(answer([calls(call('get_weather', '{"city":"Paris"}'))], 'stop'))) {
      expect(view).toMatchObject({ calls: [paris], finish: 'tool-calls' })
    }
  })

  it.each([
    ['a structured call', calls(call('get_weather', '{"city":', '"Par'))],
    ['a call without arguments', calls(call('get_weather'))],
    ['a call in the text', text(kimiCall.slice(0, kimiCall.indexOf('ris')))],
  ])('is length where the model was stopped inside %s', (_what, item) => {
    for (const view of seen(answer([text('Hm. '), item], 'length'))) {
      expect(view).toMatchObject({ finish: 'length', failure: null })
      expect(view.calls.every(({ arguments: json }) => json === null || json === '{}')).toBe(true)
    }
  })

  it('may be told by the mark at the end of the stream alone', () => {
    for (const view of seen(answer([text('Hello.')], 'nothing'))) {
      expect(view).toMatchObject({ text: 'Hello.', finish: 'stop' })
    }
  })

  it('is a failure where the stream just ends', () => {
    for (const { view } of streams(answer([text('Hello.')], { says: 'nothing', end: 'eof' }))) {
      expect(view).toMatchObject({ text: 'Hello.', failure: { kind: 'upstream' } })
    }
  })
})

describe('an error inside a stream', () => {
  const shapes = ['string', 'object', 'array', 'beside no choices'] as const

  it.each(shapes)('in the shape "%s" is one of the client’s dialect, behind what came before', (shape) => {
    const error: UpstreamError = { shape, message: 'Boom.', type: null, code: null, isFollowedByDone: false }
    for (const { view } of streams(answer([text('Hello.')], 'stop', { error }))) {
      expect(view).toMatchObject({ text: 'Hello.', failure: { kind: 'upstream', message: 'Boom.' } })
    }
  })

  it('keeps its kind', () => {
    const error: UpstreamError = {
      shape: 'object',
      message: 'Slow down.',
      type: 'rate_limit_error',
      code: 'too_fast',
      isFollowedByDone: true,
    }
    for (const { view } of streams(answer([text('Hello.')], 'stop', { error }))) {
      expect(view).toMatchObject({ text: 'Hello.', failure: { kind: 'rate limit', message: 'Slow down.' } })
    }
  })
})

it('takes an empty data: for no event', () => {
  for (const view of seen(answer([text('Hello.')], 'stop', { habits: { emptyData: true } }))) {
    expect(view).toMatchObject({ text: 'Hello.', finish: 'stop' })
  }
})

interface More {
  readonly error?: UpstreamError
  readonly habits?: Partial<Habits>
  readonly reading?: Partial<Reading>
}

function answer(items: readonly Item[], finish: Finish['says'] | Finish = 'stop', more: More = {}): Answer {
  return {
    items: items.map((item) => (item.is === 'calls' ? { ...item, calls: item.calls.map(withId) } : item)),
    finish: typeof finish === 'string' ? { says: finish, end: 'marked' } : finish,
    error: more.error ?? null,
    habits: { ...plainHabits, ...more.habits },
    reading: { ...plainReading, ...more.reading },
  }
}

function withId(one: Call, at: number): Call {
  return { ...one, id: `call_${at}` }
}

function text(...pieces: string[]): Item {
  return { is: 'text', pieces, holds: holds(pieces) }
}

function reasoning(...pieces: string[]): Item {
  return { is: 'reasoning', pieces, holds: holds(pieces) }
}

function holds(pieces: readonly string[]): 'prose' | 'a call' {
  return pieces.join('').includes('<|') ? 'a call' : 'prose'
}

function calls(...several: Call[]): Item {
  return { is: 'calls', calls: several, order: 'one by one' }
}

function nested(depth: number): string {
  return `{"city":${'['.repeat(depth)}${']'.repeat(depth)}}`
}

function call(name: string, ...pieces: string[]): Call {
  return {
    name,
    arguments: { are: 'text', pieces: pieces.filter((piece) => piece !== '') },
    id: null,
    index: 'own',
    legacy: 'no',
  }
}

type ReadSight = Sight & { readonly view: View }

/** What every client of every upstream sees, once they agree. */
function agreed(said: Answer): ReadSight[] {
  const found = disagreementOn(said)
  if (found !== null) expect.fail(describeDisagreement(said, found))
  return sightsOf(said).filter((sight): sight is ReadSight => sight.view !== null)
}

function seen(said: Answer): View[] {
  return agreed(said).map(({ view }) => view)
}

/** What the clients that stream see of upstreams that stream: there something can come before a failure. */
function streams(said: Answer): ReadSight[] {
  return agreed(said).filter(
    ({ upstream, client }) => upstream.delivered === 'stream' && client.wants === 'stream',
  )
}

import { describe, expect, it } from 'vitest'
import { calling, result, user, weather } from './requests.ts'
import { scriptChat } from './script-chat.ts'

function problemsIn(messages: readonly unknown[], model = 'kimi-k2', more: object = {}): string[] {
  const answer = scriptChat({ model, messages, tools: [weather], ...more }, {})
  return answer.historyProblems.map(({ code, message }) => `${code} ${message}`)
}

const first = calling([
  ['functions.get_weather:0', 'get_weather', '{"city":"Paris"}'],
  ['functions.get_time:1', 'get_time'],
])
const results = [result('functions.get_weather:0'), result('functions.get_time:1')]
const second = calling([['functions.get_weather:2', 'get_weather']])
const good = [
  { role: 'system', content: 'Be brief.' },
  user('Both'),
  first,
  ...results,
  { role: 'assistant', content: 'Well.' },
  user('Again'),
  second,
  result('functions.get_weather:2'),
]

function call(id: string, name = 'a', json = '{}') {
  return calling([[id, name, json]])
}

function roundWith(more: object) {
  return [user('x'), calling([['functions.a:0', 'a']], more), result('functions.a:0')]
}

describe('the history that the model is sent', () => {
  it('a good one has no problems', () => {
    expect(problemsIn(good)).toEqual([])
    expect(problemsIn(good, 'qwen3-coder')).toEqual([])
  })

  const cases: [says: string, messages: readonly unknown[], problems: string[]][] = [
    [
      'Kimi ids count over the whole conversation',
      [
        user('x'),
        call('functions.a:0'),
        result('functions.a:0'),
        call('functions.b:0', 'b'),
        result('functions.b:0'),
      ],
      ['wrong-id messages[3].tool_calls[0]: the id is functions.b:0, it must be functions.b:1'],
    ],
    [
      'Kimi ids are no others',
      [user('x'), call('call_1'), result('call_1')],
      ['wrong-id messages[1].tool_calls[0]: the id is call_1, it must be functions.a:0'],
    ],
    [
      'an id is used once',
      [
        user('x'),
        call('functions.a:0'),
        result('functions.a:0'),
        call('functions.a:0'),
        result('functions.a:0'),
      ],
      ['repeated-id messages[3].tool_calls[0]: the id functions.a:0 was used before'],
    ],
    [
      'a call has an id',
      [user('x'), call('')],
      ['missing-id messages[1].tool_calls[0]: the call has no id', 'unanswered-call the end: no result for '],
    ],
    [
      'a call has its result directly after it',
      [user('x'), call('functions.a:0'), user('well?'), result('functions.a:0')],
      [
        'unanswered-call messages[2]: no result for functions.a:0',
        'unexpected-result messages[3]: the result for functions.a:0 does not stand directly after its call',
      ],
    ],
    [
      'a result has a call',
      [user('x'), call('functions.a:0'), result('call_other')],
      [
        'unexpected-result messages[2]: the result for call_other has no call',
        'unanswered-call the end: no result for functions.a:0',
      ],
    ],
    [
      'a result comes once',
      [user('x'), call('functions.a:0'), result('functions.a:0'), result('functions.a:0')],
      ['unexpected-result messages[3]: the result for functions.a:0 does not stand directly after its call'],
    ],
    [
      'arguments are the JSON of an object',
      [
        user('x'),
        call('functions.a:0', 'a', '{"x":'),
        result('functions.a:0'),
        call('functions.a:1', 'a', '[]'),
        result('functions.a:1'),
      ],
      [
        'invalid-arguments messages[1].tool_calls[0]: the arguments of a are not the JSON of an object',
        'invalid-arguments messages[3].tool_calls[0]: the arguments of a are not the JSON of an object',
      ],
    ],
    [
      'only the assistant calls',
      [{ ...call('functions.a:0'), role: 'user' }, result('functions.a:0')],
      ['role-order messages[0]: tool_calls in a message of the user'],
    ],
    [
      'roles are known',
      [{ role: 'robot', content: 'x' }],
      ['unknown-role messages[0]: there is no role "robot"'],
    ],
  ]
  for (const [says, messages, problems] of cases) {
    it(says, () => expect(problemsIn(messages)).toEqual(problems))
  }

  it('other families take any id that is new, and all take results in any order', () => {
    const messages = [
      user('x'),
      calling([
        ['call_1', 'a'],
        ['call_2', 'b'],
      ]),
      result('call_2'),
      result('call_1'),
    ]
    expect(problemsIn(messages, 'qwen3-coder')).toEqual([])
    expect(problemsIn(messages, 'standard')).toEqual([])
    expect(problemsIn([user('x'), first, ...results.toReversed()])).toEqual([])
  })

  it('the system speaks first, but where the template shows it wherever it stands', () => {
    const messages = [user('x'), { role: 'system', content: 'late' }, user('y')]
    expect(problemsIn(messages, 'qwen3-coder')).toEqual([
      'role-order messages[1]: system after the conversation began',
    ])
    expect(problemsIn(messages, 'kimi-k2')).toEqual([])
    expect(problemsIn(messages, 'standard')).toEqual([])
  })

  it('Mistral takes ids of nine letters and digits', () => {
    expect(problemsIn([user('x'), call('abcDEF123'), result('abcDEF123')], 'mistral-large')).toEqual([])
    expect(problemsIn([user('x'), call('call_1'), result('call_1')], 'mistral-large')).toEqual([
      'wrong-id messages[1].tool_calls[0]: the id is call_1, it must be nine letters and digits',
    ])
  })

  it('Mistral takes only turns that alternate, from the user on', () => {
    const round = [call('abcDEF123'), result('abcDEF123')]
    const said = { role: 'assistant', content: 'Well.' }
    expect(problemsIn([user('x'), ...round, said, user('y')], 'mistral-large')).toEqual([])
    expect(problemsIn([user('x'), user('y')], 'mistral-large')).toEqual([
      'role-order messages[1]: user after user: the roles must alternate',
    ])
    expect(problemsIn([said, user('x')], 'mistral-large')).toEqual([
      'role-order messages[0]: the conversation must begin with the user',
    ])
    expect(problemsIn([user('x'), ...round, user('y')], 'mistral-large')).toEqual([
      'role-order messages[3]: the assistant must speak after a tool',
    ])
    expect(problemsIn([user('x'), user('y')], 'qwen3-coder')).toEqual([])
  })

  it('a call has a name', () => {
    expect(problemsIn([user('x'), call('call_1', ''), result('call_1')], 'standard')).toEqual([
      'missing-name messages[1].tool_calls[0]: the call has no name',
    ])
  })

  it('models that think want their thoughts back with their calls', () => {
    const missing = [
      'missing-reasoning messages[1]: thinking is on, but the message with tool_calls has no reasoning_content',
    ]
    expect(problemsIn(roundWith({}), 'kimi-k2-thinking')).toEqual(missing)
    expect(problemsIn(roundWith({ reasoning_content: '' }), 'kimi-k2-thinking')).toEqual(missing)
    expect(problemsIn(roundWith({}), 'deepseek-v4', { thinking: { type: 'enabled' } })).toEqual(missing)
    expect(problemsIn(roundWith({ reasoning_content: 'hm' }), 'kimi-k2-thinking')).toEqual([])
    expect(problemsIn(roundWith({ reasoning: 'hm' }), 'kimi-k2-thinking')).toEqual(missing)
    expect(problemsIn(roundWith({ content: '<think>hm</think>' }), 'kimi-k2-thinking')).toEqual(missing)
    expect(problemsIn(roundWith({}), 'kimi-k2')).toEqual([])
    expect(problemsIn(roundWith({}), 'qwen3+think')).toEqual([])
  })

  it('the answer names what is wrong, a few of many', () => {
    const stray = [user('x'), ...['a', 'b', 'c', 'd'].map((id) => result(id))]
    const { text } = scriptChat({ model: 'kimi-k2', messages: stray }, {})
    expect(text.split('\n')).toEqual([
      '[simulated] history problem: messages[1]: the result for a has no call',
      '[simulated] history problem: messages[2]: the result for b has no call',
      '[simulated] history problem: messages[3]: the result for c has no call',
      '[simulated] and 1 more',
    ])
  })
})

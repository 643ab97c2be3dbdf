import { describe, expect, it } from 'vitest'
import type { SimulatorSettings } from '../../src/simulator/settings.ts'
import { calling, request, result, time, tool, user, weather, weatherQuestion } from './requests.ts'
import { scriptChat } from './script-chat.ts'

function callsIn(body: unknown, settings: SimulatorSettings = {}): unknown[] {
  return scriptChat(body, settings).calls.map((call) => [call.name, call.arguments])
}

function thinks(model: string, more: object = {}, settings: SimulatorSettings = {}): boolean {
  return scriptChat({ ...request(weatherQuestion), model, ...more }, settings).thought !== ''
}

describe('which tool the model calls', () => {
  it('the one whose words the user says', () => {
    expect(callsIn(request(weatherQuestion, [time, weather]))).toEqual([['get_weather', { city: 'Paris' }]])
    expect(callsIn(request('Tell me the time', [weather, time]))).toEqual([['get_time', { zone: 'UTC' }]])
  })

  it('the one that is named counts more than one whose words occur', () => {
    const tools = [tool('Read', { file_path: { type: 'string' } }), tool('read_weather')]
    expect(callsIn(request('Read /tmp/a/notes.txt about the weather.', tools))).toEqual([
      ['Read', { file_path: '/tmp/a/notes.txt' }],
    ])
  })

  it('the first harmless one if the user names none', () => {
    expect(callsIn(request('Hello', [tool('delete_files'), tool('send_mail'), time]))).toEqual([
      ['get_time', { zone: 'UTC' }],
    ])
  })

  const agentTools = ['Agent', 'Task', 'Bash', 'Read'].map((name) => tool(name))

  it.each([
    ['What is in this folder?', 'Bash'],
    ['How many files are here? Use a tool.', 'Bash'],
    ['What does the file say?', 'Read'],
    ['Finish the task.', 'Bash'],
    ['Hello', 'Bash'],
    ['Use the tool Agent.', 'Agent'],
  ])('the one that fits what the user wants, and no other model unless it is named: %s', (text, name) => {
    expect(callsIn(request(text, agentTools))).toEqual([[name, {}]])
  })

  it('none if all are harmful and none was named', () => {
    const tools = [tool('delete_files')]
    expect(callsIn(request('Hello', tools))).toEqual([])
    expect(callsIn(request('Use delete_files', tools))).toEqual([['delete_files', {}]])
  })

  it.each([
    '<system-reminder>\nget_time get_time\n</system-reminder>',
    '<environment_context>\n  <cwd type="get_time">/home</cwd>\n</environment_context>',
    '<session_context>\nThe folder is get_time.\n</session_context>',
  ])('words that a client adds of its own name no tool: %s', (reminder) => {
    expect(callsIn(request(`${reminder}The weather in Oslo?${reminder}`, [time, weather]))).toEqual([
      ['get_weather', { city: 'Oslo' }],
    ])
  })

  it('tool_choice decides', () => {
    const tools = [weather, time]
    expect(callsIn(request(weatherQuestion, tools, { tool_choice: 'none' }))).toEqual([])
    const named = { type: 'function', function: { name: 'get_time' } }
    expect(callsIn(request(weatherQuestion, tools, { tool_choice: named }))).toEqual([
      ['get_time', { zone: 'UTC' }],
    ])
    expect(callsIn(request('Hello', [tool('delete_files')], { tool_choice: 'required' }))).toEqual([
      ['delete_files', {}],
    ])
  })

  it('several at once where the user or the settings say so', () => {
    const both = 'I want both the weather in Rome and the time.'
    expect(callsIn(request(both, [weather, time]))).toEqual([
      ['get_weather', { city: 'Rome' }],
      ['get_time', { zone: 'UTC' }],
    ])
    expect(callsIn(request('The weather in Rome and Oslo, in parallel.', [weather, time]))).toEqual([
      ['get_weather', { city: 'Rome' }],
      ['get_weather', { city: 'Oslo' }],
    ])
    expect(callsIn(request('Hello', [weather, time]), { parallel: 2 })).toHaveLength(2)
    expect(callsIn(request(both, [weather, time], { parallel_tool_calls: false }))).toHaveLength(1)
  })

  it('one after the other where the user says "then"', () => {
    const ask = user('Read notes.txt, then run `wc -l notes.txt` with Bash.')
    const tools = [
      tool('Bash', { command: { type: 'string' } }),
      tool('Read', { file_path: { type: 'string' } }),
    ]
    const first = calling([['functions.Read:0', 'Read']])
    const second = calling([['functions.Bash:1', 'Bash']])
    const rounds = [
      [ask],
      [ask, first, result('functions.Read:0')],
      [ask, first, result('functions.Read:0'), second, result('functions.Bash:1', '3 notes.txt')],
    ]
    expect(rounds.map((messages) => callsIn({ model: 'kimi-k2', tools, messages }))).toEqual([
      [['Read', { file_path: 'notes.txt' }]],
      [['Bash', { command: 'wc -l notes.txt' }]],
      [],
    ])
  })

  it('as many rounds as the settings say', () => {
    const messages = [
      user(weatherQuestion),
      calling([['functions.get_weather:0', 'get_weather']]),
      result('functions.get_weather:0'),
    ]
    expect(callsIn({ model: 'kimi-k2', tools: [weather], messages }, { rounds: 2 })).toHaveLength(1)
    expect(callsIn({ model: 'kimi-k2', tools: [weather], messages })).toHaveLength(0)
  })
})

describe('what the model says', () => {
  const done = [
    user(weatherQuestion),
    calling([['functions.get_weather:0', 'get_weather']]),
    result('functions.get_weather:0', '18 °C'),
  ]

  it('quotes the result', () => {
    expect(scriptChat({ model: 'kimi-k2', tools: [weather], messages: done }, {}).text).toBe(
      '[simulated] get_weather answered: 18 °C',
    )
  })

  it('quotes the result also where a client adds a reminder behind it', () => {
    const messages = [...done, user('<system-reminder>Be brief.</system-reminder>')]
    expect(scriptChat({ model: 'kimi-k2', tools: [weather], messages }, {}).text).toContain('18 °C')
  })

  it('says plainly that it is a simulation', () => {
    expect(scriptChat(request('Hi there', []), {})).toMatchObject({
      text: '[simulated] You said: Hi there',
      calls: [],
    })
    expect(scriptChat(request(weatherQuestion), {}).text).toBe('[simulated] I will call get_weather.')
  })

  it('answers in JSON where a schema asks for it', () => {
    const schema = {
      type: 'object',
      properties: { title: { type: 'string' }, score: { type: 'integer' } },
      required: ['title', 'score'],
    }
    const format = { type: 'json_schema', json_schema: { name: 'x', schema } }
    const { text } = scriptChat(request('A title for "Blue whale", 7', [], { response_format: format }), {})
    expect(JSON.parse(text)).toEqual({ title: 'Blue whale', score: 7 })
  })

  it('thinks where the request, the name or the settings ask for it', () => {
    expect(thinks('kimi-k2')).toBe(false)
    expect(thinks('kimi-k2-thinking')).toBe(true)
    expect(thinks('kimi-k2-thinking', { thinking: { type: 'disabled' } })).toBe(false)
    expect(thinks('kimi-k2', { reasoning_effort: 'high' })).toBe(true)
    expect(thinks('kimi-k2+think')).toBe(true)
    expect(thinks('kimi-k2-thinking', {}, { thinking: 'none' })).toBe(false)
  })

  it('is the same for the same seed', () => {
    const pick = tool('pick', { n: { type: 'integer', minimum: 1, maximum: 1_000_000 } })
    expect(callsIn(request('pick', [pick]), { seed: 7 })).toEqual(
      callsIn(request('pick', [pick]), { seed: 7 }),
    )
    expect(callsIn(request('pick', [pick]), { seed: 7 })).not.toEqual(
      callsIn(request('pick', [pick]), { seed: 8 }),
    )
  })

  for (const [body, says] of [
    [null, 'JSON object'],
    [{ model: 'x' }, 'messages'],
    [{ messages: [user('x')] }, 'model'],
    [{ model: 'x', messages: [{}] }, 'messages[0]'],
    [{ model: 'x', messages: [user('x')], tools: [{}] }, 'tools[0]'],
  ] as const) {
    it(`refuses ${JSON.stringify(body)}`, () => {
      expect(() => scriptChat(body, {})).toThrow(says)
    })
  }
})

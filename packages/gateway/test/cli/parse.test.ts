import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { dragoman } from './in-process.ts'
import { binary, kimiCall, sample, withFile } from './run-cli.ts'

const parsedCall = { id: 'functions.get_time:0', name: 'get_time', arguments: '{"zone": "UTC"}' }

describe('dragoman parse', () => {
  it('prints what a file means as JSON', async () => {
    const { code, stdout, stderr } = await dragoman([
      'parse',
      '--tools',
      sample('tools.json'),
      sample('kimi.txt'),
    ])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain('\n  "toolCalls": [\n')
    expect(JSON.parse(stdout)).toEqual({
      content: "I'll check the weather and the time in Lisbon.",
      reasoning: 'Two things to find out: the forecast and the local time. Both tools can run at once.',
      toolCalls: [
        { id: 'functions.get_weather:0', name: 'get_weather', arguments: '{"city": "Lisbon", "days": 3}' },
        { id: 'functions.get_time:1', name: 'get_time', arguments: '{"zone": "Europe/Lisbon"}' },
      ],
      problems: [],
      repairs: [],
    })
  })

  for (const operands of [[], ['-']]) {
    it(`reads standard input for ${operands.length === 0 ? 'no operand' : operands.join()}`, async () => {
      const { stdout } = await dragoman(['parse', '--format', 'kimi', ...operands], {
        input: `Hi.${kimiCall}`,
      })
      expect(JSON.parse(stdout)).toMatchObject({ content: 'Hi.', toolCalls: [parsedCall] })
    })
  }

  it('an empty input means nothing', async () => {
    const { code, stdout } = await dragoman(['parse'])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toEqual({
      content: '',
      reasoning: '',
      toolCalls: [],
      problems: [],
      repairs: [],
    })
  })

  it('an explicit format wins over the name of the model', async () => {
    const { stdout } = await dragoman(['parse', '-f', 'standard', '-m', 'kimi-k2'], {
      input: kimiCall,
    })
    expect(JSON.parse(stdout)).toMatchObject({ content: kimiCall, toolCalls: [] })
  })

  it('--channel reasoning reads the text as reasoning', async () => {
    const { stdout } = await dragoman(['parse', '--channel', 'reasoning'], { input: 'hm' })
    expect(JSON.parse(stdout)).toMatchObject({ content: '', reasoning: 'hm' })
  })

  it('--prompt-opens-reasoning starts inside the reasoning', async () => {
    const options = ['parse', '--format', 'kimi']
    const opened = await dragoman([...options, '--prompt-opens-reasoning'], { input: 'hm</think>Yes' })
    expect(JSON.parse(opened.stdout)).toMatchObject({ content: 'Yes', reasoning: 'hm', problems: [] })
    const closed = await dragoman([...options, '--no-prompt-opens-reasoning', '--prompt-tail', '<think>'], {
      input: 'Yes',
    })
    expect(JSON.parse(closed.stdout)).toMatchObject({ content: 'Yes', reasoning: '' })
  })

  it('a cut call is reported and not counted', async () => {
    const { code, stdout } = await dragoman(['parse', '--format', 'kimi', '--finish-reason', 'length'], {
      input: kimiCall.slice(0, kimiCall.indexOf('UTC')),
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ toolCalls: [], problems: [{ code: 'truncated-call' }] })
  })

  it('tool definitions may stand in a request, and in the shape of Anthropic', async () => {
    const tools = JSON.stringify({ tools: [{ name: 'get_time', input_schema: { type: 'object' } }] })
    await withFile('request.json', tools, async (path) => {
      const { stdout } = await dragoman(['parse', '--format', 'kimi', '--tools', path], { input: kimiCall })
      expect(JSON.parse(stdout)).toMatchObject({ toolCalls: [parsedCall], problems: [] })
    })
  })

  it('a file that cannot be read is named, with the reason', async () => {
    expect(await dragoman(['parse', '/no/such/file'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: 'dragoman: cannot read /no/such/file: no such file\n',
    })
    const directory = await dragoman(['parse', '/'])
    expect(directory).toMatchObject({ code: 1, stderr: 'dragoman: cannot read /: it is a directory\n' })
  })

  it('a file of tools that holds none is named', async () => {
    await withFile('tools.json', '{"tool":[]}', async (path) => {
      const { code, stderr } = await dragoman(['parse', '--tools', path])
      expect(code).toBe(1)
      expect(stderr).toContain(`${path} holds no tool definitions`)
    })
    await withFile('tools.json', '[', async (path) => {
      const { code, stderr } = await dragoman(['parse', '--tools', path])
      expect(code).toBe(1)
      expect(stderr).toContain(`${path} is not JSON`)
    })
  })
})

function lines(stdout: string): unknown[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
}

function* repeat(line: string, count: number): Generator<string> {
  for (let at = 0; at < count; at++) yield line
}

function wrong(id: string | null, line: number, error: string): object {
  return { id, line, error: expect.stringContaining(error) as unknown }
}

describe('dragoman parse --jsonl', () => {
  it('answers each line in order with its id', async () => {
    const input = [
      { id: 'a', raw: `Hi.${kimiCall}`, format: 'kimi' },
      { id: 7, raw: 'plain' },
      { id: { deep: true }, raw: 'not this', chunks: ['Hi.', ...kimiCall.split('')], model: 'kimi-k2' },
      { raw: 'no id' },
    ]
    const { code, stdout, stderr } = await dragoman(['parse', '--jsonl'], {
      input: input.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const rest = { reasoning: '', problems: [], repairs: [] }
    expect(lines(stdout)).toEqual([
      { id: 'a', content: 'Hi.', toolCalls: [parsedCall], ...rest },
      { id: 7, content: 'plain', toolCalls: [], ...rest },
      { id: { deep: true }, content: 'Hi.', toolCalls: [parsedCall], ...rest },
      { id: null, content: 'no id', toolCalls: [], ...rest },
    ])
  })

  it('options on the command line hold where a line says nothing', async () => {
    const input = `{"id":1,"raw":${JSON.stringify(kimiCall)}}\n{"id":2,"raw":${JSON.stringify(kimiCall)},"format":"kimi"}\n`
    const { stdout } = await dragoman(['parse', '--jsonl', '--format', 'standard'], { input })
    expect(lines(stdout)).toMatchObject([
      { id: 1, content: kimiCall, toolCalls: [] },
      { id: 2, content: '', toolCalls: [parsedCall] },
    ])
  })

  it('every field of a line is read', async () => {
    const input = [
      { id: 1, raw: 'hm', channel: 'reasoning' },
      { id: 2, raw: 'hm</think>Yes', format: 'kimi', promptOpensReasoning: true },
      {
        id: 3,
        raw: 'hm</think>Yes',
        format: 'kimi',
        promptTail: '<|im_assistant|>assistant<|im_middle|><think>',
      },
      { id: 4, raw: kimiCall, format: 'kimi', tools: [] },
      { id: 5, raw: kimiCall.slice(0, -60), format: 'kimi', finishReason: 'length' },
    ]
    const { code, stdout } = await dragoman(['parse', '--jsonl'], {
      input: input.map((line) => JSON.stringify(line)).join('\n'),
    })
    expect(code).toBe(0)
    expect(lines(stdout)).toMatchObject([
      { id: 1, content: '', reasoning: 'hm' },
      { id: 2, content: 'Yes', reasoning: 'hm' },
      { id: 3, content: 'Yes', reasoning: 'hm' },
      { id: 4, content: kimiCall, toolCalls: [] },
      { id: 5, toolCalls: [], problems: [{ code: 'truncated-call' }] },
    ])
  })

  it('a line that cannot be parsed is answered with its error, and the others are parsed', async () => {
    const input = [
      '{"id":"ok","raw":"a"}',
      '{"id":"broken"',
      '',
      '[1]',
      '{"id":"f","raw":"a","format":"nope"}',
      '{"id":"t","raw":5}',
      '{"id":"m"}',
      '{"id":"n","raw":"a","tools":[null]}',
      '{"id":"c","chunks":["a",1]}',
      '{"id":"o","raw":"a","promptOpensReasoning":"yes"}',
      '{"id":"r","raw":"a","finishReason":"tired"}',
      '{"id":"last","raw":"b","format":null,"tools":null}',
    ].join('\r\n')
    const { code, stdout } = await dragoman(['parse', '--jsonl'], { input: `\uFEFF${input}` })
    expect(code).toBe(1)
    expect(lines(stdout)).toEqual([
      expect.objectContaining({ id: 'ok', content: 'a' }),
      wrong(null, 2, 'not JSON'),
      wrong(null, 4, 'not a JSON object'),
      wrong('f', 5, 'nope'),
      wrong('t', 6, '"raw" must be a string'),
      wrong('m', 7, '"raw" is missing'),
      wrong('n', 8, '"tools" must be an array of objects'),
      wrong('c', 9, '"chunks" must be an array of strings'),
      wrong('o', 10, '"promptOpensReasoning" must be true or false'),
      wrong('r', 11, '"finishReason" must be one of'),
      expect.objectContaining({ id: 'last', content: 'b' }),
    ])
  })

  it('answers a line before the next one comes', async () => {
    const child = spawn(process.execPath, [binary, 'parse', '--jsonl'])
    child.stdin.write('{"id":1,"raw":"a"}\n')
    const [first]: unknown[] = await once(child.stdout.setEncoding('utf8'), 'data')
    expect(first).toContain('"id":1')
    child.stdin.end('{"id":2,"raw":"b"}')
    const [second]: unknown[] = await once(child.stdout, 'data')
    expect(second).toContain('"id":2')
    await once(child, 'close')
    expect(child.exitCode).toBe(0)
  })

  it('a reader that leaves ends it quietly', async () => {
    const child = spawn(process.execPath, [binary, 'parse', '--jsonl'])
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text))
    child.stdin.on('error', () => undefined)
    const line = `${JSON.stringify({ id: 1, raw: 'x'.repeat(10_000) })}\n`
    child.stdin.end(line.repeat(2000))
    await once(child.stdout, 'data')
    child.stdout.destroy()
    await once(child, 'close')
    expect({ code: child.exitCode, stderr }).toEqual({ code: 0, stderr: '' })
  })

  it('memory does not grow with the number of lines', async () => {
    const child = spawn(process.execPath, ['--max-old-space-size=48', binary, 'parse', '--jsonl'])
    const line = `${JSON.stringify({ id: 1, raw: 'x'.repeat(20_000) })}\n`
    let answers = 0
    child.stdout.setEncoding('utf8').on('data', (text: string) => (answers += text.split('\n').length - 1))
    const count = 4000
    Readable.from(repeat(line, count)).pipe(child.stdin)
    await once(child, 'close')
    expect({ code: child.exitCode, answers }).toEqual({ code: 0, answers: count })
  })

  it('a wrong --format is a usage error before any line is read', async () => {
    expect(await dragoman(['parse', '--jsonl', '--format', 'nope'], { input: '{"raw":"a"}' })).toMatchObject({
      code: 2,
      stdout: '',
    })
  })
})

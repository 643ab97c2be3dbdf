import { once } from 'node:events'
import { appendFile, chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { chunk, json, sse, startUpstream, stopUpstreams, until } from '../server/scripted-upstream.ts'
import { ChatPlace } from './run-chat.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'

let place: ChatPlace

beforeEach(async () => {
  place = await ChatPlace.make()
  await writeFile(join(place.folder, 'notes.txt'), 'the secret word is Mellon\n')
})

afterAll(removeFolders)

describe('a conversation over a pipe', () => {
  it('goes from a model that writes Kimi calls to Qwen, to a standard one and back, with tools in each', async () => {
    const { code, stdout, stderr } = await place.runProgram(
      ['--model', 'kimi-k2-thinking+strict+whole'],
      'read_file notes.txt',
      '/model qwen3-coder+strict+whole',
      'search_text "Mellon"',
      '/model gpt-4o+strict+whole',
      'both read_file notes.txt and list_files in parallel',
      '/model deepseek-r1+strict+whole',
      'read_file notes.txt',
      '/model kimi-k2-thinking+strict+whole',
      'search_text "Mellon" then read_file notes.txt',
    )
    expect(code).toBe(0)
    expect(stdout).not.toContain('history problem')
    expect(stderr).not.toContain('error')
    expect(stdout).toContain('read_file answered: the secret word is Mellon')
    expect(stdout).toContain('search_text answered: notes.txt:1: the secret word is Mellon')
    expect(stderr.match(/→ (?:read_file|search_text|list_files)/g)).toHaveLength(7)
    const [conversation] = await place.stored()
    const ids = [...(conversation?.text ?? '').matchAll(/"type":"tool_call","id":"([^"]+)"/g)].map(
      ([, id]) => id,
    )
    expect(ids).toHaveLength(7)
    expect(new Set(ids).size).toBe(7)
    expect(ids.every((id) => id?.startsWith('hist_tool_'))).toBe(true)
  })

  it('says that a simulator answers where nothing is configured', async () => {
    expect((await place.run(['-m', 'standard+whole', '-p', 'Hello'])).stderr).toContain(
      'the built-in simulator answers, no model runs.\nTo set one up: npx dragoman init',
    )
  })

  it('is plain: no escape sequence leaves the program, whatever model and tools write', async () => {
    await writeFile(join(place.folder, 'evil.txt'), '\u001b]0;owned\u0007\u001b[31m')
    const { stdout, stderr } = await place.run(
      ['--model', 'kimi-k2-thinking+whole'],
      'read_file evil.txt',
      '/raw',
      '/history',
    )
    expect(stdout).toContain('␛]0;owned␇')
    expect(stdout + stderr).not.toMatch(/[^\P{Cc}\n\t]/u)
  })

  it('commands tell, and wrong ones say what is right and change nothing', async () => {
    const { code, stdout, stderr } = await place.run(
      ['--model', 'moonshotai/kimi-k2'],
      '/toolformat',
      '/toolformat hermes',
      '/toolformat kimmi',
      '/toolformat',
      '/toolformat auto',
      '/modle',
      '/tools sideways',
      '/raw',
      '/load nothing-there',
      '/model',
      '/help',
    )
    expect(code).toBe(1)
    expect(stdout).toContain(
      'Tool format: kimi (detected, for moonshotai/kimi-k2)\nChange it with /toolformat NAME',
    )
    expect(stdout).toMatch(/structured standard, anthropic\n {2}text-based kimi, qwen, hermes, deepseek/)
    expect(stdout.match(/Tool format: hermes \(set with \/toolformat\)/g)).toHaveLength(2)
    expect(stderr).toMatch(/There is no format "kimmi"\. Did you mean kimi\?\n {2}structured[^]+text-based/)
    expect(stderr).toContain('There is no command /modle. Did you mean /model?')
    expect(stderr).toContain('/tools takes on or off')
    expect(stderr).toContain('has written nothing yet')
    expect(stderr).toContain('nothing-there was not loaded')
    expect(stdout).toContain('Model: moonshotai/kimi-k2 on the built-in simulator, tool format kimi')
    for (const name of [
      'model',
      'toolformat',
      'tools',
      'history',
      'raw',
      'save',
      'load',
      'clear',
      'help',
      'exit',
    ]) {
      expect(stdout).toMatch(new RegExp(`^ {2}/${name} `, 'm'))
    }
    expect(await place.stored()).toEqual([])
  })

  it('a format that is set is obeyed: as standard, calls in the text stay text', async () => {
    const { stdout, stderr } = await place.run([
      '--model',
      'kimi-k2',
      '--format',
      'standard',
      '-p',
      'read_file notes.txt',
    ])
    expect(stdout).toContain('<|tool_calls_section_begin|>')
    expect(stderr).not.toContain('→ read_file')
  })

  it('/raw shows what the model wrote beside what it became', async () => {
    const { stdout } = await place.run(['--model', 'kimi-k2+whole'], 'read_file notes.txt', '/raw')
    expect(stdout).toMatch(
      /What kimi-k2\+whole wrote\n {2}content\n.*<\|tool_call_begin\|>functions\.read_file:0<[^]*What it became \(format kimi\)[^]*read_file \{"path":"notes\.txt"\} \(hist_tool_kimi_/,
    )
  })

  it('/raw tells the format of the answer itself, whoever made the calls before it', async () => {
    const { stdout } = await place.run(
      ['--model', 'qwen3+whole'],
      'read_file notes.txt',
      '/model standard+whole',
      'read_file notes.txt',
      '/raw',
    )
    expect(stdout).toContain('What standard+whole wrote')
    expect(stdout.match(/What it became \(format \w+\)/g)).toEqual([
      'What it became (format standard)',
      'What it became (format standard)',
    ])
  })

  it('/exit ends it, and what follows is not said', async () => {
    const { code, stdout } = await place.run(['--model', 'standard+whole'], '/exit', 'never said')
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  })

  it('a failure is told, the conversation goes on, and the exit code is 1', async () => {
    const { code, stdout, stderr } = await place.run(
      ['--model', 'standard+500'],
      'Hello',
      '/model standard+whole',
      '/tools off',
      '/retry',
    )
    expect(code).toBe(1)
    expect(stderr).toContain('A simulated HTTP 500')
    expect(stdout).toContain('You said: Hello')
  })

  it('text that begins with a slash and is no command is said', async () => {
    const { stdout } = await place.run(['--model', 'standard+whole'], '/tools off', '/etc/hosts is what?')
    expect(stdout).toContain('You said: /etc/hosts is what?')
  })
})

describe('one prompt', () => {
  it('-p says it and ends, with the answer on standard output', async () => {
    const { code, stdout } = await place.run(['--model', 'qwen3+whole', '-p', 'read_file notes.txt'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        '[simulated] I will call read_file.\n[simulated] read_file answered: the secret word is Mellon\n',
    })
  })

  it('-p - says what stands on standard input, line ends and all, and no command', async () => {
    const { stdout } = await place.run(
      ['--model', 'standard+whole', '-p', '-'],
      '/history',
      'search_text',
      '"Mellon"',
    )
    expect(stdout).toContain('Mellon')
    expect(stdout).not.toContain('Nothing was said')
  })

  it('-p is said with what is piped in behind it', async () => {
    const chat = ['--model', 'standard+whole', '-p', 'What is this?']
    await place.runProgram(chat, 'first line', '', '  last line')
    const [conversation] = await place.stored()
    expect(conversation?.text).toContain(
      JSON.stringify({ type: 'text', text: 'What is this?\n\nfirst line\n\n  last line\n' }),
    )
  })

  it.each([
    ['nothing', ''],
    ['nothing but white space', ' \n\n'],
  ])('-p is said as it stands where %s is piped in', async (_what, piped) => {
    const chat = place.start(['--model', 'standard+whole', '-p', 'Hello'])
    chat.child.stdin?.write(piped)
    expect((await chat.end()).code).toBe(0)
    const [conversation] = await place.stored()
    expect(conversation?.text).toContain('"blocks":[{"type":"text","text":"Hello"}]')
  })

  it('-p does not wait for ever for a pipe in which nothing comes', async () => {
    const chat = place.start(['--model', 'standard+whole', '-p', 'Hello'])
    await once(chat.child, 'exit')
    expect(chat.child.exitCode).toBe(0)
    expect(chat.stderr).toContain('Nothing was piped in within 3 s: going on without it.')
  })

  it('a prompt without words is a mistake, and nothing is asked', async () => {
    const { code, stderr } = await place.run(['--model', 'standard+whole', '-p', ' '])
    expect([code, stderr]).toEqual([2, 'dragoman: the prompt is empty\nSee dragoman chat --help\n'])
    expect((await place.run(['--model', 'standard+whole', '-p', '-'])).code).toBe(2)
    expect(await place.stored()).toEqual([])
  })

  it('an answer that is cut off inside a call is exit code 1', async () => {
    const begun = { index: 0, id: 'a', type: 'function', function: { name: 'list_files', arguments: '{"pa' } }
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ tool_calls: [begun] }), chunk({}, 'length'), '[DONE]')
      response.end()
    })
    const { code, stderr } = await place.run(['--upstream', upstream.url, '--model', 'm!', '-p', 'Hello'])
    expect(code).toBe(1)
    expect(stderr).toContain('The answer was cut off inside a call of list_files, which did not run.')
  })

  it('a model that calls the same again and again is exit code 1', async () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'list_files', arguments: '{}' } }
    const upstream = await startUpstream((response) => {
      sse(response, chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), '[DONE]')
      response.end()
    })
    const { code, stderr } = await place.run(['--upstream', upstream.url, '--model', 'm!', '-p', 'Hello'])
    expect(code).toBe(1)
    expect(stderr).toContain('5 times the model made the same calls with the same results')
  })

  it('a failed answer is exit code 1', async () => {
    expect((await place.run(['--model', 'standard+cut', '-p', 'Hello'])).code).toBe(1)
  })

  it('--json prints events, one a line, and nothing else', async () => {
    const { stdout } = await place.run([
      '--json',
      '--model',
      'kimi-k2-thinking+whole',
      '-p',
      'read_file notes.txt',
    ])
    const events: { type: string }[] = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const types = new Set(events.map(({ type }) => type))
    expect([...types].toSorted()).toEqual([
      'call-delta',
      'call-end',
      'call-start',
      'finish',
      'reasoning',
      'start',
      'text',
      'tool-end',
      'tool-start',
      'usage',
    ])
    expect(events.find(({ type }) => type === 'tool-end')).toMatchObject({
      name: 'read_file',
      result: 'the secret word is Mellon',
      isError: false,
    })
  })
})

describe('what tools may do', () => {
  it('over a pipe nothing is written or run that was not allowed on the command line', async () => {
    const { stderr } = await place.run(
      ['--model', 'standard+whole'],
      'write_file "a.txt"',
      'run_command "touch b.txt"',
      'y',
    )
    expect(stderr).toContain('--yes allows it')
    expect(stderr).toContain('--yes-run allows it')
    await expect(stat(join(place.folder, 'a.txt'))).rejects.toThrow('ENOENT')
    await expect(stat(join(place.folder, 'b.txt'))).rejects.toThrow('ENOENT')
  })

  it('--yes lets it write, --yes-run lets it run, and the command is shown', async () => {
    const { stderr } = await place.run(
      ['--yes', '--yes-run', '--model', 'qwen3-coder+whole'],
      'write_file "a.txt"',
      'run_command "touch b.txt"',
    )
    expect(await readFile(join(place.folder, 'a.txt'), 'utf8')).toBe('a.txt')
    await stat(join(place.folder, 'b.txt'))
    expect(stderr).toContain('Run touch b.txt')
  })

  it('nothing outside the working folder is read or written, links or not', async () => {
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'x.txt'), 'TOP SECRET')
    await symlink(outside, join(place.folder, 'way'))
    const { stdout } = await place.run(
      ['--yes', '--model', 'kimi-k2+whole'],
      'read_file way/x.txt',
      `read_file ${outside}/x.txt`,
      'write_file way/y.txt',
    )
    expect(stdout).not.toContain('TOP SECRET')
    expect(stdout.match(/outside the working folder/g)).toHaveLength(3)
    await expect(stat(join(outside, 'y.txt'))).rejects.toThrow('ENOENT')
  })
})

describe('stored conversations', () => {
  it('are kept for their user alone, and gone on with by another model', async () => {
    await place.run(['--model', 'kimi-k2+whole', '-p', 'read_file notes.txt'])
    const [before] = await place.stored()
    expect((await stat(before?.path ?? '')).mode & 0o777).toBe(0o600)
    const { code, stdout, stderr } = await place.run([
      '--resume',
      '--model',
      'qwen3+strict+whole',
      '-p',
      'search_text "word"',
    ])
    expect(code).toBe(0)
    expect(stderr).toContain('Going on with')
    expect(stdout).not.toContain('history problem')
    const stored = await place.stored()
    expect(stored).toHaveLength(1)
    expect(stored[0]?.text.startsWith(before?.text ?? '?')).toBe(true)
    expect(stored[0]?.text).toContain('"model":"qwen3+strict+whole"')
  })

  it('with a broken line load without it, are told by number, and are not overwritten', async () => {
    await place.run(['--model', 'kimi-k2+whole', '-p', 'read_file notes.txt'])
    const [before] = await place.stored()
    const path = before?.path ?? ''
    await appendFile(path, '{"type":"content","speaker":"human","blo')
    const broken = await readFile(path, 'utf8')
    const { code, stdout, stderr } = await place.run(['--resume'], '/history')
    expect(code).toBe(0)
    expect(stderr).toMatch(/line 6: it is not JSON, perhaps cut off; left out\./)
    expect(stdout).toContain('Mellon')
    expect(await readFile(path, 'utf8')).toBe(broken)
    await place.run(['--resume', '-p', 'read_file notes.txt'])
    const after = await readFile(path, 'utf8')
    expect(after.startsWith(`${broken}\n{`)).toBe(true)
    expect(after.trimEnd().split('\n')).toHaveLength(10)
  })

  it('in a file of somebody are gone on with in one of ours, and the file and its folder stay as they are', async () => {
    await place.run(['--model', 'standard+whole'], '/tools off', 'first', '/save copy.jsonl')
    await chmod(place.folder, 0o755)
    const before = await readFile(join(place.folder, 'copy.jsonl'), 'utf8')
    const { code } = await place.run(
      ['--resume', 'copy.jsonl', '--model', 'kimi-k2+whole'],
      '/tools off',
      'second',
    )
    expect(code).toBe(0)
    expect(await readFile(join(place.folder, 'copy.jsonl'), 'utf8')).toBe(before)
    expect((await stat(place.folder)).mode & 0o777).toBe(0o755)
    const stored = await place.stored()
    expect(stored).toHaveLength(2)
    expect(stored.some(({ text }) => text.includes('"first"') && text.includes('"second"'))).toBe(true)
  })

  it('belong to their folder: --resume elsewhere finds none, and names the latest', async () => {
    await place.run(['--model', 'kimi-k2+whole', '-p', 'Hello'])
    await mkdir(join(place.folder, 'sub'))
    const elsewhere = place.in('sub')
    const { code, stderr } = await elsewhere.run(['--resume'])
    expect(code).toBe(1)
    expect(stderr).toMatch(/there is no conversation in .*sub to go on with; the latest elsewhere is /)
  })

  it('/save writes a copy and overwrites nothing; /load takes it over; /clear begins anew', async () => {
    const { code, stdout, stderr } = await place.run(
      ['--model', 'standard+whole'],
      '/tools off',
      'first',
      '/save copy.jsonl',
      '/save copy.jsonl',
      '/clear',
      '/history',
      '/load copy.jsonl',
      'second',
      '/history',
    )
    expect(code).toBe(1)
    expect(stderr).toContain('nothing is overwritten')
    expect(stdout).toContain('Nothing was said yet.')
    expect(stdout).toContain('Going on with copy.jsonl: 2 messages, 1 of them yours.')
    expect(stdout).toMatch(/1 {2}you {4}first\n.*\n {2}3 {2}you {4}second\n/)
    const copy = await readFile(join(place.folder, 'copy.jsonl'), 'utf8')
    expect(copy.trimEnd().split('\n')).toHaveLength(3)
    expect(await place.stored()).toHaveLength(2)
  })

  it('/resume goes on with the latest other one', async () => {
    await place.run(['--model', 'standard+whole', '-p', 'read_file notes.txt'])
    const { stdout } = await place.run(['--model', 'kimi-k2+whole'], '/resume', '/history')
    expect(stdout).toContain('you    read_file notes.txt')
    expect(await place.stored()).toHaveLength(1)
  })
})

describe('models of a configuration', () => {
  it('an unknown one is an error, and the conversation stays as it was', async () => {
    const models = [{ match: 'kimi', upstream: 'lab', model: 'kimi-k2' }]
    const config = { upstreams: { lab: { url: 'http://127.0.0.1:9/v1' } }, models }
    await writeFile(join(place.folder, 'dragoman.yaml'), JSON.stringify(config))
    const { code, stdout, stderr } = await place.run([], '/model kimmi', '/model', '/history')
    expect(code).toBe(1)
    expect(stderr).toContain(
      'There is no model "kimmi". Did you mean kimi? There are: kimi. The model stays kimi.',
    )
    expect(stdout).toContain('Model: kimi on lab as kimi-k2, tool format kimi')
    expect(stdout).toContain('Nothing was said yet.')
    const named = await place.run(['--model', 'nope', '-p', 'x'])
    expect(named.code).toBe(2)
    expect(named.stderr).toContain('There is no model "nope". There are: kimi.')
    expect(await place.stored()).toEqual([])
  })
})

describe('an upstream that lists its models', () => {
  it('/model refuses what it does not list, and takes it where that is insisted on', async () => {
    const upstream = await startUpstream((response) =>
      json(response, 200, { data: [{ id: 'kimi-k2' }, { id: 'b' }] }),
    )
    const { stdout, stderr } = await place.run(
      ['--upstream', upstream.url, '--model', 'b'],
      '/model kimi',
      '/model',
      '/model kimi!',
    )
    stopUpstreams()
    expect(stderr).toContain(
      'There is no model "kimi". Did you mean kimi-k2? There are: kimi-k2, b. /model kimi! takes it',
    )
    expect(stdout).toBe(
      'Model: b on upstream, tool format standard\nOthers with /model NAME: kimi-k2\nModel: kimi on upstream, tool format kimi\n',
    )
  })

  it('--model refuses it too, before anything is said, and takes it where that is insisted on', async () => {
    const upstream = await startUpstream((response) => json(response, 200, { data: [{ id: 'b' }] }))
    const chat = ['--upstream', upstream.url, '--model']
    const refused = await place.run([...chat, 'other', '-p', 'Hello'])
    const taken = await place.run([...chat, 'other!'], '/model')
    stopUpstreams()
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('There is no model "other". There are: b.')
    expect(refused.stderr).toContain('--model other! takes it all the same')
    expect(await place.stored()).toEqual([])
    expect(taken.stderr).toBe('')
    expect(taken.stdout).toContain('Model: other on upstream, tool format standard\n')
  })

  it('a conversation that is gone on with stays as it was where the model is refused', async () => {
    await place.run(['--model', 'standard+whole', '-p', 'Hello'])
    const before = await place.stored()
    const upstream = await startUpstream((response) => json(response, 200, { data: [{ id: 'b' }] }))
    const { code } = await place.run(['--upstream', upstream.url, '--model', 'other', '--resume', '-p', 'x'])
    stopUpstreams()
    expect(code).toBe(2)
    expect(await place.stored()).toEqual(before)
  })
})

describe('a proxy with a password', () => {
  it('that repeats what it was shown does not bring it to the screen', async () => {
    const credentials = Buffer.from('ada:open sesame').toString('base64')
    const proxy = await startUpstream((response) =>
      json(response, 400, { error: { message: `Not with ${credentials}` } }),
    )
    const env = { HTTP_PROXY: proxy.url.replace('//', '//ada:open%20sesame@').replace('/v1', '') }
    const asked = ['--upstream', 'http://lab.example/v1', '--model', 'kimi-k2', '-p', 'Hello']
    const { stdout, stderr } = await place.start(asked, env).end()
    stopUpstreams()
    expect(proxy.requests.at(-1)?.headers['proxy-authorization']).toBe(`Basic ${credentials}`)
    expect(stderr).toContain('Not with [redacted]')
    expect(stdout + stderr).not.toContain(credentials)
  })
})

describe('signals', () => {
  it('an interrupt stops the answer and not the chat', async () => {
    const chat = place.start(['--model', 'standard+stall'])
    chat.type('Hello')
    await until(() => chat.stderr.includes('→ read_file') || chat.stdout !== '', 20_000)
    chat.child.kill('SIGINT')
    await until(() => chat.stderr.includes('[stopped]'), 20_000)
    chat.type('/model standard+whole', '/tools off', 'Still there?')
    await until(() => chat.stdout.includes('You said: Still there?'), 20_000)
    expect((await chat.end()).code).toBe(0)
  })

  it('an end of the program ends the command that runs', async () => {
    const chat = place.start([
      '--yes-run',
      '--model',
      'standard',
      '-p',
      'run_command "echo $$ > pid; sleep 60"',
    ])
    const pidFile = join(place.folder, 'pid')
    let pid = 0
    await until(() => chat.stderr.includes('Run echo'), 20_000)
    await expect
      .poll(async () => (pid = Number(await readFile(pidFile, 'utf8').catch(() => 0))), { timeout: 20_000 })
      .not.toBe(0)
    chat.child.kill('SIGTERM')
    expect((await chat.end()).code).toBe(143)
    await until(() => !isRunning(pid), 30_000)
  })
})

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

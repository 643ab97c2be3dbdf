import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { dragoman } from './in-process.ts'

const commands = [
  'serve',
  'run',
  'parse',
  'convert',
  'replay',
  'detect',
  'formats',
  'models',
  'simulate',
  'check',
  'init',
  'completion',
]

describe('help and version', () => {
  it('--version and -v print the version of the package', async () => {
    const manifest: unknown = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    )
    const asked = await dragoman(['--version'])
    expect(asked.code).toBe(0)
    expect(manifest).toMatchObject({ version: asked.stdout.trim() })
    expect(await dragoman(['-v'])).toEqual(asked)
    expect(await dragoman(['-V'])).toEqual(asked)
  })

  it.each([
    ['serve', '--version'],
    ['replay', '-v'],
    ['parse', '-V'],
    ['help', '-V'],
    ['help', '--version'],
  ])('%s %s prints the same, whatever else the command needs', async (...args) => {
    expect(await dragoman(args)).toEqual(await dragoman(['--version']))
  })

  for (const args of [['--help'], ['-h'], ['help'], ['help', '--help']]) {
    it(`${args.join(' ')} lists the commands`, async () => {
      const { code, stdout, stderr } = await dragoman(args)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      for (const command of commands) expect(stdout).toMatch(new RegExp(`^ {2}${command} `, 'm'))
    })
  }

  for (const command of commands) {
    it(`${command} --help and help ${command} say the same`, async () => {
      const asked = await dragoman([command, '--help'])
      expect(asked.code).toBe(0)
      expect(asked.stdout).toContain(`dragoman ${command} [OPTIONS]`)
      expect(asked.stdout).not.toMatch(/[ \t]$/m)
      expect(await dragoman(['help', command])).toEqual(asked)
      expect(await dragoman([command, '-h', 'one', 'two', 'three'])).toEqual(asked)
    })
  }
})

describe('a wrong command line', () => {
  const cases: [args: string[], says: string][] = [
    [['prase'], 'unknown command "prase". Did you mean parse?'],
    [['help', 'fromats'], 'Did you mean formats?'],
    [['bananas'], 'unknown command "bananas"'],
    [['--nope'], 'unknown option --nope'],
    [['parse', '--fromat', 'kimi'], 'unknown option --fromat. Did you mean --format?'],
    [['parse', '--format'], '--format needs a value'],
    [['parse', '--format', '--jsonl'], '--format needs a value'],
    [['parse', '--jsonl=yes'], '--jsonl takes no value'],
    [['parse', '--format', 'kimmi'], 'unknown format "kimmi". Did you mean kimi?'],
    [['parse', '--channel', 'other'], '--channel must be one of content, reasoning'],
    [['parse', '--finish-reason', 'tired'], '--finish-reason must be one of'],
    [['parse', '--prompt-opens-reasoning', '--no-prompt-opens-reasoning'], 'contradict'],
    [['parse', 'a', 'b'], 'one operand too many: "b"'],
    [['detect'], 'detect needs MODEL'],
    [['detect', 'x', '--override', 'kimi'], 'PATTERN=FORMAT'],
    [['detect', 'x', '--override', 'x=nope'], 'unknown format "nope"'],
    [['convert', '--from', 'opnai-chat'], 'unknown dialect "opnai-chat". Did you mean openai-chat?'],
    [['check', '--workers', 'many'], '--workers must be a whole number'],
    [['--format', 'klingon'], '--format: models[0].format:'],
    [['serve', '--port', 'abc'], '--port: listen.port:'],
    [['serve', '--log-level', 'loud'], '--log-level: log.level:'],
    [['check', '--port', '70000'], '--port: listen.port:'],
    [['chat', '--upstream', 'nowhere', '-p', 'Hello'], '--upstream: upstreams.upstream.url:'],
    [['replay'], 'replay needs FILE|DIR|-'],
    [['replay', '--to', 'anthropic', 'x'], 'unknown dialect "anthropic"'],
  ]
  for (const [args, says] of cases) {
    it(`dragoman ${args.join(' ')}: exit 2 and a message without a stack`, async () => {
      const { code, stdout, stderr } = await dragoman(args)
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
      expect(stderr).toContain(says)
      expect(stderr).not.toMatch(/\n\s+at /)
      expect(stderr.trimEnd().split('\n').length).toBeLessThanOrEqual(2)
    })
  }

  const right: [args: string[], env: Record<string, string>, says: string][] = [
    [['serve', '--config', '/nowhere.yaml'], {}, '--config: /nowhere.yaml: no such file'],
    [['serve', '--host', '0.0.0.0'], {}, '--host: listen.host: others can reach this address'],
    [['serve'], { DRAGOMAN_PORT: 'abc' }, '$DRAGOMAN_PORT: listen.port:'],
    [
      ['serve', '--upstream', 'http://127.0.0.1:1/v1', '--upstream-key-env', 'NO_SUCH_KEY'],
      {},
      'the environment variable NO_SUCH_KEY is not set',
    ],
  ]
  for (const [args, env, says] of right) {
    it(`is not one that stands on what is wrong: ${args.join(' ')} ${JSON.stringify(env)}`, async () => {
      const { code, stderr } = await dragoman(args, { env })
      expect(code).toBe(1)
      expect(stderr).toContain(says)
    })
  }

  it('an unknown dialect is answered with the known ones', async () => {
    const { stderr } = await dragoman(['convert', '--to', 'gopher'])
    expect(stderr).toContain('openai-chat, anthropic-messages')
  })
})

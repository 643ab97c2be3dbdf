import { execFileSync } from 'node:child_process'
import { constants } from 'node:fs'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { withoutKeys } from '../../src/chat/start-chat.ts'
import { WorkFolder } from '../../src/chat/tools/work-folder.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'
import { useTool } from './use-tool.ts'

let folder: string

beforeEach(async () => {
  folder = await temporaryFolder()
})

afterAll(removeFolders)

const write = (name: string, text: string | Uint8Array): Promise<void> => writeFile(join(folder, name), text)

describe('read_file', () => {
  it('gives a whole file back as it is', async () => {
    await write('a.txt', 'one\n  two\n')
    expect(await useTool('read_file', { path: 'a.txt' }, { folder })).toEqual({
      result: 'one\n  two',
      isError: false,
    })
  })

  it('gives the lines that are asked for, and says which they are', async () => {
    await write('a.txt', 'one\ntwo\nthree\nfour\n')
    const { result } = await useTool('read_file', { path: 'a.txt', first_line: 2, line_count: 2 }, { folder })
    expect(result).toBe('two\nthree\n[lines 2 to 3 of 4]')
  })

  it('a long file is cut, and says so', async () => {
    await write('long.txt', 'x'.repeat(200_000))
    const { result } = await useTool('read_file', { path: 'long.txt' }, { folder })
    expect(result.length).toBeLessThan(70_000)
    expect(result).toContain('line 1 is cut off')
  })

  it('an empty file and a line behind the end are told apart', async () => {
    await write('empty', '')
    await write('short', 'one\n')
    expect((await useTool('read_file', { path: 'empty' }, { folder })).result).toBe('[the file is empty]')
    expect((await useTool('read_file', { path: 'short', first_line: 5 }, { folder })).result).toBe(
      '[there are 1 lines]',
    )
  })

  it.each([
    ['a folder', { path: '.' }, 'list_files'],
    ['bytes that are no text', { path: 'bytes' }, 'no text'],
    ['a file that is not there', { path: 'nope' }, 'no such file'],
    ['no path', {}, '"path" is needed'],
    ['a line 0', { path: 'bytes', first_line: 0 }, 'above 0'],
  ])('%s is an error that the model can read', async (_what, given, says) => {
    await write('bytes', Buffer.from([1, 0, 2]))
    const { result, isError } = await useTool('read_file', given, { folder })
    expect({ isError, result }).toEqual({ isError: true, result: expect.stringContaining(says) })
  })
})

describe('list_files', () => {
  beforeEach(async () => {
    await mkdir(join(folder, 'sub', 'deep'), { recursive: true })
    await mkdir(join(folder, 'node_modules'))
    await write('node_modules/x.js', '')
    await write('b.txt', '')
    await write('sub/deep/c.txt', '')
    await symlink('/etc', join(folder, 'link'))
  })

  it('shows one folder, by name, with what each thing is', async () => {
    const { result } = await useTool('list_files', {}, { folder })
    expect(result.split('\n')).toEqual(['b.txt', 'link@', 'node_modules/', 'sub/'])
  })

  it('shows what is below, without following links or looking into node_modules', async () => {
    const { result } = await useTool('list_files', { recursive: true }, { folder })
    expect(result.split('\n')).toEqual([
      'b.txt',
      'link@',
      'node_modules/',
      'sub/',
      'sub/deep/',
      'sub/deep/c.txt',
    ])
  })

  it('a file is no folder', async () => {
    expect(await useTool('list_files', { folder: 'b.txt' }, { folder })).toEqual({
      isError: true,
      result: 'b.txt: it is no folder.',
    })
  })
})

describe('search_text', () => {
  beforeEach(async () => {
    await write('a.txt', 'first\nHello (world)\n')
    await write('b.bin', Buffer.from('hello\0'))
  })

  it('finds a text literally, with path and line number', async () => {
    expect((await useTool('search_text', { text: '(world)' }, { folder })).result).toBe(
      'a.txt:2: Hello (world)',
    )
    expect((await useTool('search_text', { text: '.*' }, { folder })).result).toBe('[nothing found]')
  })

  it('takes capitals for small letters only where it is told to', async () => {
    expect((await useTool('search_text', { text: 'hello' }, { folder })).result).toBe('[nothing found]')
    const { result } = await useTool('search_text', { text: 'hello', ignore_case: true }, { folder })
    expect(result).toBe('a.txt:2: Hello (world)')
  })

  it('searches one file where it is given one', async () => {
    expect((await useTool('search_text', { text: 'first', folder: 'a.txt' }, { folder })).result).toBe(
      'a.txt:1: first',
    )
  })

  it('ends after so many', async () => {
    await write('many.txt', 'needle\n'.repeat(1000))
    const { result } = await useTool('search_text', { text: 'needle' }, { folder })
    expect(result.split('\n')).toHaveLength(101)
  })
})

describe('write_file', () => {
  it('writes a file, with the folders it needs', async () => {
    const { result } = await useTool('write_file', { path: 'new/folder/a.txt', content: 'text' }, { folder })
    expect(result).toBe('Wrote 4 bytes to new/folder/a.txt.')
    expect(await readFile(join(folder, 'new/folder/a.txt'), 'utf8')).toBe('text')
  })

  it('shows what it would write, and writes nothing where it is not allowed', async () => {
    await write('a.txt', 'old')
    const shown: string[] = []
    const question = async (text: string): Promise<string> => {
      shown.push(text)
      return 'n'
    }
    const permission = { allowsWrites: false, question }
    const outcome = await useTool('write_file', { path: 'a.txt', content: 'new' }, { folder, permission })
    expect(outcome).toEqual({ isError: true, result: 'The user did not allow this.' })
    expect(shown).toEqual(['Replace a.txt (3 bytes)\n  new'])
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('old')
  })

  it('does not write through a link that leads out', async () => {
    const elsewhere = await temporaryFolder()
    await writeFile(join(elsewhere, 'x'), 'old')
    await symlink(join(elsewhere, 'x'), join(folder, 'link'))
    const { isError } = await useTool('write_file', { path: 'link', content: 'new' }, { folder })
    expect(isError).toBe(true)
    expect(await readFile(join(elsewhere, 'x'), 'utf8')).toBe('old')
  })

  it('a folder is not written over, and a text is needed', async () => {
    await mkdir(join(folder, 'sub'))
    expect((await useTool('write_file', { path: 'sub', content: '' }, { folder })).result).toContain(
      'is no file',
    )
    expect((await useTool('write_file', { path: 'a' }, { folder })).result).toContain('"content" is needed')
  })
})

describe('any call', () => {
  it('of a tool that is not there is answered with those that are', async () => {
    const { result, isError } = await useTool('fly', {}, { folder })
    expect({ result, isError }).toEqual({
      isError: true,
      result:
        'There is no tool "fly". There are: read_file, list_files, search_text, write_file, run_command.',
    })
  })

  it.each([null, 'text', [1]])('with the arguments %j is an error', async (given) => {
    expect((await useTool('read_file', given, { folder })).result).toContain('must be a JSON object')
  })
})

describe('a named pipe', () => {
  it.each([
    ['read_file', { path: 'pipe' }],
    ['write_file', { path: 'pipe', content: 'x' }],
    ['search_text', { text: 'x', folder: 'pipe' }],
  ])('is no file for %s, and keeps nobody waiting', async (tool, given) => {
    execFileSync('sh', ['-c', 'mkfifo "$0"', join(folder, 'pipe')])
    const { result } = await useTool(tool, given, { folder })
    expect(result).toMatch(/no ordinary file|no file|nothing found/)
  })
})

describe('a folder that becomes a link to another while a file in it is opened', () => {
  it('leads nowhere', async () => {
    const outside = await temporaryFolder()
    await writeFile(join(outside, 'a.txt'), 'secret')
    await symlink(outside, join(folder, 'swapped'))
    const opened = (await WorkFolder.open(folder)).openFile(
      join(folder, 'swapped', 'a.txt'),
      constants.O_RDWR,
    )
    await expect(opened).rejects.toThrow('outside the working folder')
    expect(await readFile(join(outside, 'a.txt'), 'utf8')).toBe('secret')
  })
})

describe('a file that programs run by themselves', () => {
  it.each(['.git/hooks/pre-commit', '.envrc', 'sub/.envrc', '.vscode/tasks.json', '.husky/pre-push'])(
    'is not written on the strength of --yes: %s',
    async (path) => {
      await mkdir(join(folder, '.git/hooks'), { recursive: true })
      const { isError } = await useTool('write_file', { path, content: 'x' }, { folder })
      expect(isError).toBe(true)
      await expect(readFile(join(folder, path), 'utf8')).rejects.toThrow('ENOENT')
    },
  )

  it('is told from others', async () => {
    const { isError } = await useTool('write_file', { path: 'git/envrc', content: 'x' }, { folder })
    expect(isError).toBe(false)
  })
})

describe('the environment of commands', () => {
  it('holds no keys', () => {
    const env = {
      PATH: '/bin',
      ROUTER: 'the-secret-key',
      COPY: 'Bearer the-secret-key',
      OPENAI_API_KEY: 'x',
      DRAGOMAN_API_KEY: 'x',
    }
    expect(withoutKeys(env, ['the-secret-key', 'x'])).toEqual({ PATH: '/bin' })
  })
})

import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WorkFolder } from '../../src/chat/tools/work-folder.ts'
import { removeFolders, temporaryFolder } from './temporary-folder.ts'

let root: string
let outside: string
let folder: WorkFolder

beforeAll(async () => {
  outside = await temporaryFolder()
  root = await temporaryFolder()
  folder = await WorkFolder.open(root)
  await writeFile(join(outside, 'secret.txt'), 'secret')
  await mkdir(join(root, 'sub'))
  await writeFile(join(root, 'sub', 'in.txt'), 'in')
  await symlink(join(outside, 'secret.txt'), join(root, 'file-link'))
  await symlink(outside, join(root, 'folder-link'))
  await symlink(join(outside, 'nothing-yet'), join(root, 'broken-link'))
  await symlink(join(root, 'sub'), join(root, 'inner-link'))
  await symlink(join(root, 'loop'), join(root, 'loop'))
})

afterAll(removeFolders)

describe('paths that stay inside', () => {
  it.each(['sub/in.txt', './sub/../sub/in.txt', 'inner-link/in.txt'])(
    '%s is the file inside',
    async (path) => {
      expect(await folder.existing(path)).toBe(join(root, 'sub', 'in.txt'))
    },
  )

  it('an absolute path inside is taken', async () => {
    expect(await folder.existing(join(root, 'sub'))).toBe(join(root, 'sub'))
  })

  it('a file that is not there yet gets its real path, through links that stay inside', async () => {
    expect(await folder.future('inner-link/a/b.txt')).toBe(join(root, 'sub', 'a', 'b.txt'))
  })

  it('is shown from the folder on', () => {
    expect(folder.shown(join(root, 'sub', 'in.txt'))).toBe('sub/in.txt')
    expect(folder.shown(root)).toBe('.')
  })
})

describe('paths that lead out', () => {
  const ways = [
    '..',
    '../x',
    '/etc/passwd',
    'sub/../../x',
    'file-link',
    'folder-link/secret.txt',
    'folder-link',
  ]
  it.each(ways)('%s is refused for reading', async (path) => {
    await expect(folder.existing(path)).rejects.toThrow('outside the working folder')
  })

  it.each([...ways, 'folder-link/new.txt', 'folder-link/a/b/new.txt'])(
    '%s is refused for writing',
    async (path) => {
      await expect(folder.future(path)).rejects.toThrow('outside the working folder')
    },
  )

  it('a link to nothing yet is refused for writing: the file would be made elsewhere', async () => {
    await expect(folder.future('broken-link')).rejects.toThrow('broken link')
  })

  it('a name that only begins like the folder is outside', async () => {
    await expect(folder.future(`${root}-other/x`)).rejects.toThrow('outside the working folder')
  })

  it('~ is no way home', async () => {
    await expect(folder.future('~/x')).rejects.toThrow('"~"')
  })

  it('what is no path, or leads in circles, is an error in words', async () => {
    await expect(folder.existing('a\0b')).rejects.toThrow('no path')
    await expect(folder.existing('loop')).rejects.toThrow('leads back to itself')
    await expect(folder.future('sub/in.txt/x')).rejects.toThrow('not a folder')
    await expect(folder.existing('missing')).rejects.toThrow('no such file')
  })
})

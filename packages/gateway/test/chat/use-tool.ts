import { Permission, type PermissionOptions } from '../../src/chat/permission.ts'
import { runTool, type ToolOutcome } from '../../src/chat/tools/toolbox.ts'
import { WorkFolder } from '../../src/chat/tools/work-folder.ts'

export interface ToolUse {
  readonly folder: string
  readonly permission?: Partial<PermissionOptions>
  readonly signal?: AbortSignal
}

/** Calls a tool as a model would, with everything allowed unless the test says otherwise. */
export async function useTool(name: string, parameters: unknown, use: ToolUse): Promise<ToolOutcome> {
  const permission = new Permission({
    allowsWrites: true,
    allowsCommands: true,
    question: undefined,
    tell: () => {},
    ...use.permission,
  })
  const world = {
    folder: await WorkFolder.open(use.folder),
    env: { PATH: process.env['PATH'] },
    signal: use.signal ?? new AbortController().signal,
  }
  const call = { type: 'tool_call', id: 'hist_tool_1', name, parameters } as const
  return runTool(call, { permission, world, onStart: () => {} })
}

import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { parseToolCalls } from '@dragoman/core'
import type { Io } from './io.ts'
import type { Output } from './output.ts'
import { packageFile } from './package-files.ts'

const sampleModel = 'moonshotai/kimi-k2-thinking'

/** What a first-time user sees: a real answer as the model wrote it, and what it means. */
export async function showWelcome({ stdout, env }: Io): Promise<0> {
  const text = await readFile(packageFile('samples/kimi.txt'), 'utf8')
  const tools: unknown = JSON.parse(await readFile(packageFile('samples/tools.json'), 'utf8'))
  const answer = parseToolCalls(text, { model: sampleModel, tools: Array.isArray(tools) ? tools : [] })

  await stdout.write(
    [
      `${stdout.style('bold', 'Dragoman')} makes the tool calls of open-weight models work in any client.`,
      '',
      section(stdout, `What ${sampleModel} wrote`),
      ...wrapped(text).map((line) => `  ${stdout.style('dim', line)}`),
      '',
      section(stdout, 'What it means'),
      `  ${label(stdout, 'reasoning')}${answer.reasoning}`,
      `  ${label(stdout, 'content')}${answer.content}`,
      ...answer.toolCalls.map(
        (call) => `  ${label(stdout, 'tool call')}${stdout.style('green', call.name)}(${call.arguments})`,
      ),
      '',
      section(stdout, 'Try it'),
      ...nextSteps(commandName(env)).map(
        ([command, does]) => `  ${stdout.style('cyan', command)}\n      ${does}`,
      ),
      '',
    ].join('\n'),
  )
  return 0
}

function section(out: Output, title: string): string {
  return out.style('bold', title)
}

function label(out: Output, name: string): string {
  return out.style('yellow', name.padEnd(11))
}

function nextSteps(dragoman: string): [command: string, does: string][] {
  return [
    [
      `${dragoman} parse ${pathToType('samples/kimi.txt')}`,
      'the same as JSON; give it any text that a model wrote',
    ],
    [
      `${dragoman} convert ${pathToType('samples/kimi.sse')}`,
      'a recorded stream, rewritten with structured tool calls',
    ],
    [`${dragoman} detect qwen3-coder-plus`, 'which format a model writes, by its name'],
    [`${dragoman} formats`, 'every format it reads'],
    [`${dragoman} --help`, 'all commands and options'],
  ]
}

/** Below the working directory a relative path is shorter to read and to type. */
function pathToType(file: string): string {
  const path = packageFile(file)
  const fromHere = relative(process.cwd(), path)
  const shortest = fromHere.startsWith('..') ? path : fromHere
  return shortest.includes(' ') ? `'${shortest}'` : shortest
}

/** Run by npm, the program is seldom on the user's path. */
function commandName(env: NodeJS.ProcessEnv): string {
  return env['npm_command'] === undefined ? 'dragoman' : 'npx dragoman'
}

/** Cut at the special tokens and at the width of a page; nothing of the text is lost or moved. */
function wrapped(text: string): string[] {
  return text
    .split(
      /(?=<\|tool_call(?:s_section)?_(?:begin|end)\|>)|(?<=<\|tool_call_argument_begin\|>)|(?<=<\/think>)/,
    )
    .flatMap((part) => part.match(/.{1,76}(?:\s|$)|.{1,76}/gsu) ?? [])
}

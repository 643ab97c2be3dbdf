import type { Command } from './command.ts'
import { convert } from './commands/convert.ts'
import { detect } from './commands/detect.ts'
import { formats } from './commands/formats.ts'
import { parse } from './commands/parse.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [parse, convert, detect, formats]

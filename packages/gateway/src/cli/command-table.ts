import type { Command } from './command.ts'
import { chat } from './commands/chat.ts'
import { check } from './commands/check.ts'
import { completion } from './commands/completion.ts'
import { convert } from './commands/convert.ts'
import { detect } from './commands/detect.ts'
import { doctor } from './commands/doctor.ts'
import { formats } from './commands/formats.ts'
import { init } from './commands/init.ts'
import { inspect } from './commands/inspect.ts'
import { models } from './commands/models.ts'
import { parse } from './commands/parse.ts'
import { replay } from './commands/replay.ts'
import { run } from './commands/run.ts'
import { serve } from './commands/serve.ts'
import { simulate } from './commands/simulate.ts'

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  serve,
  run,
  chat,
  doctor,
  parse,
  convert,
  replay,
  inspect,
  detect,
  formats,
  models,
  simulate,
  check,
  init,
  completion(() => commands),
]

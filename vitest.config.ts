import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take longest begin first: otherwise the last of them would run alone. Those that wait for programs and
 * clocks (`serve`, `chat-pipe`, `servers`, `quirks`) stand apart from each other, so that one of them waits while others work.
 * Vitest knows what takes long only where it has run before, so not on a fresh clone.
 */
const longest = [
  'gateway/test/cli/serve.test.ts',
  'core/test/laws/linear.test.ts',
  'core/test/golden.test.ts',
  'core/test/answer/many-calls.test.ts',
  'core/test/dialects/odd-values.test.ts',
  'core/test/adapters/ai-sdk-memory.test.ts',
  'core/test/clients-agree/clients-agree.test.ts',
  'core/test/corpus.test.ts',
  'core/test/answer/laws.test.ts',
  'gateway/test/chat/chat-pipe.test.ts',
  'gateway/test/clients/openai-responses.test.ts',
  'gateway/test/cli/large-streams.test.ts',
  'gateway/test/clients/google-genai.test.ts',
  'gateway/test/clients/anthropic-sdk.test.ts',
  'gateway/test/clients/openai-sdk.test.ts',
  'gateway/test/doctor/servers.test.ts',
  'gateway/test/cli/run.test.ts',
  'gateway/test/routing/affinity.test.ts',
  'gateway/test/switching/switching.test.ts',
  'gateway/test/inspection/recordings.test.ts',
  'gateway/test/doctor/quirks.test.ts',
]

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return files.toSorted((a, b) => rank(a) - rank(b))
  }
}

function rank({ moduleId }: TestSpecification): number {
  const at = longest.findIndex((path) => moduleId.endsWith(path))
  return at < 0 ? longest.length : at
}

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts'],
    globalSetup: ['vitest.temporary-folder.ts'],
    setupFiles: ['vitest.setup.ts'],
    testTimeout: 120_000,
    // No test changes what another file imports, so each worker loads the modules once.
    isolate: false,
    // Two more than there are cores, as some tests wait for clocks and programs more than they work.
    maxWorkers: availableParallelism() + 2,
    sequence: { sequencer: LongestFirst },
  },
})

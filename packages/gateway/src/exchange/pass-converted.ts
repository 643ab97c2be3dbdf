import {
  CompletionCollector,
  type Failure,
  MessageCollector,
  streamOfCompletion,
  streamOfMessage,
} from '@dragoman/core'
import { upstreamFailure } from '../upstream/upstream-failures.ts'
import { openRewriter, PassedBody, RewrittenStream } from './pass-through.ts'
import type { Pipeline, PipelineOptions } from './pipeline.ts'

/** For a client that wants a stream where the upstream, in the same dialect, answered in one piece. */
export function passWholeAsStream(options: PipelineOptions): Pipeline {
  return new PassedBody(options, (body) => {
    options.write(streamOf(Object(body), options))
    options.streamed()
  })
}

/** For a client that wants one answer where the upstream, in the same dialect, streams. */
export function passStreamAsWhole(options: PipelineOptions): Pipeline {
  return new CollectedStream(options)
}

class CollectedStream extends RewrittenStream {
  private readonly collector: CompletionCollector | MessageCollector

  constructor(options: PipelineOptions) {
    // A whole answer always has its usage, which a stream has on demand.
    super(options, openRewriter({ ...options, includeUsage: true }))
    this.collector = isAnthropic(options) ? new MessageCollector() : new CompletionCollector()
  }

  keepAlive(): void {
    // A client that waits for one whole answer can be told nothing before it.
  }

  protected take(texts: readonly string[]): void {
    const { failure, state } = this.rewriter
    if (failure !== null) {
      this.refuse(failure)
      return
    }
    for (const text of texts) this.collector.push(text)
    if (state === 'ended') this.send()
  }

  private send(): void {
    const answer = this.collector.end()
    if (answer === null) {
      this.refuse(upstreamFailure('upstream_empty', 'The upstream sent no answer.'))
    } else {
      this.isOver = true
      this.options.whole(JSON.stringify(answer))
    }
  }

  private refuse(failure: Failure): void {
    this.isOver = true
    this.options.watcher.failed(failure)
    this.options.failed(failure)
  }
}

function streamOf(body: Readonly<Record<string, unknown>>, options: PipelineOptions): string {
  const { includeUsage } = options
  return isAnthropic(options) ? streamOfMessage(body) : streamOfCompletion(body, { includeUsage })
}

function isAnthropic({ plan }: PipelineOptions): boolean {
  return plan.upstreamDialect === 'anthropic-messages'
}

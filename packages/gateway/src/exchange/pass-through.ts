import {
  type ChatStreamRewriter,
  createChatStreamRewriter,
  type Failure,
  type FinishReason,
  type RecordedEvent,
  rewriteAnthropicMessage,
  rewriteAnthropicStream,
  rewriteChatCompletion,
  type Usage,
} from '@dragoman/core'
import { failureEvent, pings } from '../base/send.ts'
import type { AnswerWatcher } from './answer-watch.ts'
import type { Pipeline, PipelineOptions } from './pipeline.ts'

/** For a client whose dialect the upstream speaks too: what need not change goes through as it came. */
export function passStreamThrough(options: PipelineOptions): Pipeline {
  return new PassedStream(options, openRewriter(options))
}

/** A whole answer in the client's own dialect: the upstream's bytes where nothing had to change. */
export function passWholeThrough(options: PipelineOptions): Pipeline {
  return new PassedBody(options, (body, source) => options.whole(source ?? JSON.stringify(body)))
}

/** A stream on its way through the rewriter of the dialect that both sides speak. */
export abstract class RewrittenStream implements Pipeline {
  isOver = false
  protected readonly options: PipelineOptions
  protected readonly rewriter: ChatStreamRewriter

  constructor(options: PipelineOptions, rewriter: ChatStreamRewriter) {
    this.options = options
    this.rewriter = rewriter
  }

  get isFinishing(): boolean {
    return this.rewriter.state === 'finishing'
  }

  push(chunk: Buffer): void {
    if (!this.isOver) this.take(this.rewriter.push(chunk))
  }

  end(): void {
    if (!this.isOver) this.take(this.rewriter.end())
  }

  fail(failure: Failure): void {
    if (!this.isOver) this.take(this.rewriter.end(failure))
  }

  abstract keepAlive(): void

  /** What the rewriter has for the client; its state tells whether that is all. */
  protected abstract take(texts: readonly string[]): void
}

class PassedStream extends RewrittenStream {
  private isStarted = false
  /** Comments from before the first event: sent at once, they would make an HTTP error impossible. */
  private early: string[] = []

  keepAlive(): void {
    if (!this.isOver) this.options.write(pings[this.options.clientDialect])
  }

  protected take(texts: readonly string[]): void {
    const { rewriter } = this
    const { failure } = rewriter
    if (failure === null) this.write(texts)
    else this.sendFailure(failure, texts)
    if (this.isOver || rewriter.state !== 'ended') return
    this.isOver = true
    this.options.streamed()
  }

  private sendFailure(failure: Failure, texts: readonly string[]): void {
    const { watcher, redact, failed } = this.options
    watcher.failed(failure)
    this.write(texts.slice(0, -1))
    if (this.isStarted) {
      this.write(texts.slice(-1).map((text) => redact(this.asError(text, failure))))
    } else {
      this.isOver = true
      failed(failure)
    }
  }

  /** Clients know an error by its `error`; in the shapes that some servers have for it they would see none. */
  private asError(text: string, failure: Failure): string {
    return /"error"\s*:/.test(text) ? text : failureEvent(this.options.clientDialect, failure)
  }

  private write(texts: readonly string[]): void {
    if (this.isStarted) {
      this.options.write(texts.join(''))
      return
    }
    for (const text of texts) this.early.push(text)
    if (texts.every((text) => text.startsWith(':'))) return
    this.isStarted = true
    this.options.write(this.early.join(''))
    this.early = []
  }
}

/** A whole answer, read when it is all there. */
export class PassedBody implements Pipeline {
  readonly isFinishing = false
  isOver = false
  private readonly options: PipelineOptions
  private readonly send: (body: unknown, source: string | null) => void
  private readonly chunks: Buffer[] = []

  /** `send` gets the answer, and its text as it came where nothing in it had to change. */
  constructor(options: PipelineOptions, send: (body: unknown, source: string | null) => void) {
    this.options = options
    this.send = send
  }

  push(chunk: Buffer): void {
    this.chunks.push(chunk)
  }

  end(): void {
    if (this.isOver) return
    this.isOver = true
    const text = Buffer.concat(this.chunks).toString('utf8')
    const came = parsed(text)
    const { body, failure } = rewriteBody(came, this.options)
    if (failure !== null) {
      this.refuse(failure)
    } else {
      this.send(body, body === came ? text : null)
    }
  }

  fail(failure: Failure): void {
    if (this.isOver) return
    this.isOver = true
    this.refuse(failure)
  }

  keepAlive(): void {
    // Nothing is sent before the whole answer, and nothing after it.
  }

  private refuse(failure: Failure): void {
    this.options.watcher.failed(failure)
    this.options.failed(failure)
  }
}

/** Rewrites a stream of the dialect that client and upstream share. */
export function openRewriter(options: PipelineOptions): ChatStreamRewriter {
  const { plan } = options
  if (plan.upstreamDialect === 'anthropic-messages') {
    return rewriteAnthropicStream(rewriting(options))
  }
  return createChatStreamRewriter(rewriting(options))
}

function rewriteBody(
  body: unknown,
  options: PipelineOptions,
): { readonly body: unknown; readonly failure: Failure | null } {
  const { plan } = options
  return plan.upstreamDialect === 'anthropic-messages'
    ? rewriteAnthropicMessage(body, rewriting(options))
    : rewriteChatCompletion(body, rewriting(options))
}

// Field by field, once for each answer: an object that is spread and added to takes longer than all the rest of it.
function rewriting({ plan, mint, conversationIds, watcher, includeUsage, maxEventBytes }: PipelineOptions) {
  return {
    parser: plan.parser,
    mint,
    conversationIds,
    clientToolName: (name: string) => plan.toolNames.toClient(name),
    onCall: (name: string) => watcher.call(name),
    onUsage: (usage: Usage) => watcher.usage(usage),
    onFinish: (reason: FinishReason) => watcher.finished(reason),
    onRecord: (event: RecordedEvent) => tell(watcher, event),
    maxEventBytes,
    // These two are of the chat dialect alone.
    faults: 'fail',
    withholdUsage: !includeUsage,
  } as const
}

function tell(watcher: AnswerWatcher, event: RecordedEvent): void {
  if (event.type === 'problem') watcher.problem(event.code, event.message)
  else watcher.repair(event.code, event.message)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

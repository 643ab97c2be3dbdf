import { isJsonObject } from '../../json/objects.ts'
import { demandsReasoning, lostReasoning } from '../../request/reasoning-policy.ts'
import type { FormatId } from '../../formats/format-id.ts'
import { mintId } from '../../ids/mint.ts'
import type { ParserOptions } from '../../parser-stage.ts'
import { createParser } from '../../parser.ts'
import { ToolHistory } from '../../request/tool-history.ts'
import { openPolicy, type ReadingOptions } from '../../translate.ts'
import { type AdapterOptions, randomId } from '../adapter-options.ts'
import { explicitFormat, targetFormat } from '../target-format.ts'
import { PartRewriter } from './part-rewriter.ts'
import { promptPlaces } from './prompt-places.ts'
import type {
  CallOptions,
  GenerateResult,
  NewPart,
  Part,
  PromptMessage,
  StreamResult,
} from './specification.ts'
import { contentAsParts, partsAsContent } from './whole-content.ts'

/** For `wrapLanguageModel`. */
export interface ToolCallMiddleware<Version extends 'v3' | 'v4'> {
  readonly specificationVersion: Version
  transformParams<Params extends CallOptions>(call: {
    readonly params: Params
    readonly model: WrappedModel
  }): Promise<Params>
  wrapGenerate<Result extends GenerateResult>(call: {
    readonly doGenerate: () => PromiseLike<Result>
    readonly params: CallOptions
    readonly model: WrappedModel
  }): Promise<Result>
  wrapStream<Result extends StreamResult>(call: {
    readonly doStream: () => PromiseLike<Result>
    readonly params: CallOptions
    readonly model: WrappedModel
  }): Promise<Result>
}

interface WrappedModel {
  readonly modelId: string
}

/** Reads the calls that a model writes as text and gives it its own tool ids. For version 7 of the AI SDK. */
export function toolCallMiddleware(options: AdapterOptions = {}): ToolCallMiddleware<'v4'> {
  return middleware('v4', options)
}

/** The same for version 6 of the AI SDK. */
export function toolCallMiddlewareV3(options: AdapterOptions = {}): ToolCallMiddleware<'v3'> {
  return middleware('v3', options)
}

function middleware<Version extends 'v3' | 'v4'>(
  specificationVersion: Version,
  options: AdapterOptions,
): ToolCallMiddleware<Version> {
  // Wrong options must fail here, not at the first request.
  createParser(options)
  /** The ids of the prompt before they were mapped: the ones that the caller knows. */
  const callerIds = new WeakMap<object, readonly string[]>()

  function rewriterFor(params: CallOptions, model: WrappedModel): PartRewriter {
    const { newId = randomId, onRecord, onWarning } = options
    const reading: ReadingOptions = {
      parser: parserOptions(options, params, model),
      mint: (format, taken) => mintId({ prefix: 'call_', format, newId, taken }),
      conversationIds: new Set(callerIds.get(params) ?? new ToolHistory(params.prompt, promptPlaces).callIds),
      watcher: {
        problem: (code, message, source) => onRecord?.({ type: 'problem', code, message, source }),
        repair: (code, message) => onRecord?.({ type: 'repair', code, message }),
      },
      onWarning,
    }
    return new PartRewriter((sink) => openPolicy(anyId, reading, sink))
  }

  return {
    specificationVersion,

    transformParams({ params, model }) {
      const name = options.model ?? model.modelId
      const history = new ToolHistory(params.prompt, promptPlaces)
      const { callIds } = history
      const format = targetFormat(explicitFormat(options, name), name, callIds.at(-1))
      const prompt = history.messagesFor(format).map((message) => withReasoning(message, format))
      const mapped = { ...params, prompt }
      callerIds.set(mapped, callIds)
      return Promise.resolve(mapped)
    },

    async wrapGenerate({ doGenerate, params, model }) {
      const result = await doGenerate()
      const rewriter = rewriterFor(params, model)
      const { finishReason, usage } = result
      const finish: NewPart = { type: 'finish', finishReason, usage }
      const parts = [...contentAsParts(result.content), finish].flatMap((part) => rewriter.take(part))
      return { ...result, ...wholeResult(parts, finishReason) }
    },

    async wrapStream({ doStream, params, model }) {
      const result = await doStream()
      return { ...result, stream: result.stream.pipeThrough(partStream(rewriterFor(params, model))) }
    },
  }
}

function parserOptions(
  { tools, model: givenName, ...options }: AdapterOptions,
  params: CallOptions,
  { modelId }: WrappedModel,
): ParserOptions {
  const model = givenName ?? modelId
  const offered = (params.tools ?? []).filter((tool: unknown) => isJsonObject(tool))
  const isForbidden = params.toolChoice?.type === 'none' && (tools ?? offered).length > 0
  return {
    ...options,
    model,
    format: explicitFormat(options, model),
    ...(isForbidden ? { calls: 'remove' } : { tools: tools === undefined ? offered : tools }),
    ...forcedCalls(params),
  }
}

function forcedCalls(params: CallOptions): Pick<ParserOptions, 'toolChoice' | 'parallelToolCalls'> {
  const { toolChoice } = params
  const single = asksForOneCall(params) ? { parallelToolCalls: false } : {}
  if (toolChoice?.type === 'required') return { toolChoice: 'required', ...single }
  const name = toolChoice?.toolName
  return name === undefined ? single : { toolChoice: { name }, ...single }
}

/** How callers ask for one call at a time: the SDK has no setting for it, so each provider has its own. */
const oneCallOptions: readonly (readonly [string, boolean])[] = [
  ['parallelToolCalls', false],
  ['parallel_tool_calls', false],
  ['parallel_function_calling', false],
  ['disableParallelToolUse', true],
]

function asksForOneCall({ providerOptions }: CallOptions): boolean {
  const providers: readonly unknown[] = isJsonObject(providerOptions) ? Object.values(providerOptions) : []
  return providers.some(
    (options) => isJsonObject(options) && oneCallOptions.some(([key, value]) => options[key] === value),
  )
}

function withReasoning(message: PromptMessage, format: FormatId): PromptMessage {
  const parts: readonly unknown[] = Array.isArray(message.content) ? message.content : []
  if (!demandsReasoning({ format }) || promptPlaces.blocksIn(message).length === 0) return message
  const hasReasoning = parts.some((part) => isJsonObject(part) && part['type'] === 'reasoning')
  if (message.role !== 'assistant' || hasReasoning) return message
  return { ...message, content: [{ type: 'reasoning', text: lostReasoning }, ...parts] }
}

function wholeResult(parts: readonly Part[], came: object): GenerateResult {
  const all: readonly unknown[] = parts
  const fields = all.filter(isJsonObject)
  const failure = fields.find(({ type }) => type === 'error')
  // A whole answer has no place for an error, and half a call must not look like an answer.
  if (failure !== undefined) throw failure['error']
  const finishReason = fields.find(({ type }) => type === 'finish')?.['finishReason']
  return {
    content: partsAsContent(parts.filter(({ type }) => type !== 'finish')),
    finishReason: isJsonObject(finishReason) ? finishReason : came,
  }
}

/** The SDK takes any id of a call. */
const anyId = { isLegalCallId: () => true }

/** Takes the next part only when the last one was read. */
function partStream(rewriter: PartRewriter): TransformStream<Part, Part> {
  return new TransformStream({
    transform(part, controller) {
      for (const each of rewriter.take(part)) controller.enqueue(each)
    },
    flush(controller) {
      for (const each of rewriter.end()) controller.enqueue(each)
    },
  })
}

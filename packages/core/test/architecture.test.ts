import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import * as aiSdk from '../src/adapters/ai-sdk.ts'
import * as fetchAdapter from '../src/adapters/fetch.ts'
import * as streams from '../src/adapters/streams.ts'
import { EventCollector } from '../src/events.ts'
import * as core from '../src/index.ts'
import {
  arrowsOut,
  cyclesIn,
  dependencies,
  foldersOf,
  manifest,
  packageOf,
  packages,
  sourceFiles,
} from './support/source-files.ts'

const coreFiles = sourceFiles('core')
const gatewayFiles = sourceFiles('gateway')

/** Who may know whom. A zone is a folder of `src`, or a file beside them; it always knows itself. */
const zones: Readonly<Record<string, readonly string[]>> = {
  problems: [],
  errors: [],
  conversation: [],
  events: ['problems'],
  text: ['problems'],
  'formats/format-id': ['errors'],
  engines: ['text', 'events', 'problems', 'errors'],
  formats: ['engines', 'text', 'errors', 'formats/format-id'],
  'formats/template': ['formats', 'formats/format-id'],
  'formats/thinking': ['formats', 'formats/format-id'],
  reader: ['formats', 'formats/format-id', 'engines', 'text', 'events', 'problems', 'errors'],
  parser: ['reader', 'text', 'formats', 'formats/format-id', 'engines', 'events', 'problems', 'errors'],
  ids: ['conversation', 'errors', 'formats/format-id', 'formats/template'],
  json: [],
  sse: ['text', 'errors'],
  request: [
    'json',
    'ids',
    'conversation',
    'errors',
    'formats/format-id',
    'formats/template',
    'formats/thinking',
  ],
  answer: ['request', 'json', 'sse', 'text', 'ids', 'events', 'problems', 'errors', 'formats/format-id'],
  dialects: [
    'request',
    'answer',
    'json',
    'sse',
    'events',
    'conversation',
    'text',
    'ids',
    'problems',
    'errors',
    'formats/format-id',
    'formats/template',
  ],
  servers: ['request', 'json'],
  'prompt-tools': ['request', 'json', 'conversation', 'errors', 'formats/format-id', 'formats/template'],
  translate: [
    'text',
    'parser',
    'dialects',
    'request',
    'answer',
    'json',
    'sse',
    'text',
    'ids',
    'conversation',
    'events',
    'problems',
    'errors',
    'formats/format-id',
  ],
  adapters: [
    'translate',
    'parser',
    'reader',
    'formats',
    'text',
    'dialects',
    'request',
    'answer',
    'json',
    'sse',
    'ids',
    'conversation',
    'events',
    'problems',
    'errors',
    'formats/format-id',
  ],
}

const parserFiles = new Set(['parser', 'parser-stage', 'parsed-output', 'trace'])

/** Lists of data grow with the world, not with the idea. */
const tables = new Set(['formats/model-names'])

describe('the arrows between the parts of the core', () => {
  it('every file has its place on the map', () => {
    const strangers = coreFiles.filter(({ path }) => path !== 'index' && !(zoneOf(path) in zones))
    expect(strangers.map(({ path }) => path)).toEqual([])
  })

  it.each(Object.entries(zones))('%s knows only itself and what the map gives it: %j', (zone, known) => {
    const files = coreFiles.filter(({ path }) => zoneOf(path) === zone)
    expect(arrowsOut(files, [zone, ...known], zoneOf)).toEqual([])
  })

  it('no folder knows, by however many steps, what knows it; types count as well', () => {
    expect(['', ...foldersOf(coreFiles)].flatMap((folder) => cyclesIn(folder, coreFiles))).toEqual([])
  })

  it('nothing knows the index', () => {
    expect(coreFiles.filter(({ imports }) => imports.includes('index'))).toEqual([])
  })

  it('every import stays inside the package: no node:, no dependencies', () => {
    const paths = new Set(coreFiles.map(({ path }) => path))
    const foreign = coreFiles.flatMap(({ path, imports }) =>
      imports.filter((name) => !paths.has(name)).map((name) => `${path} → ${name}`),
    )
    expect(foreign).toEqual([])
    const kinds = Object.keys(manifest('core')).filter((key) => /dependencies$/i.test(key))
    expect(kinds).toEqual([])
  })
})

/** Where the name of a format may stand outside `formats/`: the path, or how it begins, and the names. */
const namedFormats: readonly {
  readonly in: string
  readonly names: readonly string[]
  readonly why: string
}[] = [
  {
    in: '',
    names: ['standard'],
    why: 'It is no family: calls that came structured, and what nothing is known of.',
  },
  { in: 'engines/', names: ['pythonic'], why: 'An engine has the same name.' },
  { in: 'reader/', names: ['pythonic'], why: 'An engine has the same name.' },
  {
    in: 'servers/',
    names: ['lm-studio'],
    why: 'The server whose prompt asks for the format has the same name.',
  },
  {
    in: 'ids/',
    names: ['anthropic', 'kimi', 'mistral'],
    why: 'A style of ids is called after the family that wants it; the records say who gets which.',
  },
  {
    in: 'prompt-tools/prompt-formats',
    names: ['hermes', 'xml', 'llama'],
    why: 'Each of them is a way to write tools into a prompt, and the list is a public type.',
  },
  { in: 'dialects/openai-chat/request/index', names: ['seed'], why: 'It is the name of a field.' },
  {
    in: 'dialects/anthropic-messages/request/index',
    names: ['anthropic'],
    why: 'Servers of this dialect check ids and reasoning by the rules of Anthropic, whatever model runs there.',
  },
]

describe('what is known of a family of models', () => {
  const formatNames: ReadonlySet<string> = new Set(core.formatIds)

  it('stands in its record: nothing else names it', () => {
    const strangers = coreFiles
      .filter(({ path }) => !path.startsWith('formats/'))
      .flatMap(({ path, words }) => {
        const allowed = new Set(namedFormats.flatMap((row) => (path.startsWith(row.in) ? row.names : [])))
        const named = words.filter((word) => formatNames.has(word) && !allowed.has(word))
        return [...new Set(named)].map((name) => `${path} names ${name}`)
      })
    expect(strangers).toEqual([])
  })

  it('is named elsewhere only as listed', () => {
    const idle = namedFormats.flatMap((row) =>
      row.names
        .filter(
          (name) => !coreFiles.some(({ path, words }) => path.startsWith(row.in) && words.includes(name)),
        )
        .map((name) => `${row.in} no longer names ${name}`),
    )
    expect(idle).toEqual([])
  })
})

/** Where a dialect may be named outside its own folder: in the lists of the dialects, and in that of the shapes of tools. */
const namingDialects = ['dialects/index', 'dialects/glance', 'prompt-tools/provider-format']

describe('what is known of a dialect', () => {
  it.each(Object.keys(core.dialects))('%s is named in its own folder alone', (dialect) => {
    const strangers = coreFiles
      .filter(({ words }) => words.includes(dialect))
      .map(({ path }) => path)
      .filter((path) => !path.startsWith(`dialects/${dialect}/`))
      .filter((path) => !namingDialects.some((place) => path.startsWith(place)))
    expect(strangers).toEqual([])
  })
})

describe('the arrow from the gateway to the core', () => {
  it('the gateway knows the core by its name alone', () => {
    const paths = new Set(gatewayFiles.map(({ path }) => path))
    const known = dependencies('gateway')
    const foreign = gatewayFiles.flatMap(({ path, imports }) =>
      imports
        .filter((name) => !paths.has(name) && !name.startsWith('node:') && !known.includes(packageOf(name)))
        .map((name) => `${path} → ${name}`),
    )
    expect(foreign).toEqual([])
    expect(gatewayFiles.some(({ imports }) => imports.includes('@dragoman/core'))).toBe(true)
  })
})

describe('the size of source files', () => {
  const ideas = [...coreFiles, ...gatewayFiles].filter(({ path }) => !tables.has(path))
  const lengths = ideas.map(({ lines }) => lines).toSorted((a, b) => a - b)

  it('no file has more than 400 lines', () => {
    expect(ideas.filter(({ lines }) => lines > 400).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
  })

  it('half of them have at most 100 lines, nine in ten at most 250', () => {
    expect(quantile(lengths, 0.5)).toBeLessThanOrEqual(100)
    expect(quantile(lengths, 0.9)).toBeLessThanOrEqual(250)
  })
})

// A new name is a promise: `npx vitest run packages/core/test/architecture.test.ts --update` makes it.
describe('the public names', () => {
  const index = readFileSync(join(packages, 'core/src/index.ts'), 'utf8')

  it('the index lists every one by hand', () => {
    expect(index).not.toMatch(/export \*|export (?:const|let|function|class|default)/)
  })

  it('the values are these', () => {
    expect(Object.keys(core).toSorted().join('\n')).toMatchInlineSnapshot(`
      "DragomanError
      assemble
      assembleAnswer
      coalesce
      createAnswerDecoder
      createAnswerGlance
      createParser
      createParserStage
      createSseDecoder
      createStreamRewriter
      createTracer
      decodeAnthropicRequest
      decodeChatRequest
      decodeGeminiRequest
      decodeHistory
      decodeResponsesRequest
      defaultDialect
      demandsLostReasoning
      detectFormat
      detectModel
      dialectIds
      dialects
      encodeAnthropicRequest
      encodeChatRequest
      encodeGeminiRequest
      encodeHistory
      encodeResponsesRequest
      encodeSse
      encodeSseComment
      entriesIn
      factsByName
      failureFromResponse
      formatIds
      formatOfCallId
      formatTagOf
      formats
      getToolIdStrategy
      heldReasons
      holdsWholeCalls
      isDialectId
      isKimiModel
      isPromptFormat
      isSameModel
      lastingRefusal
      makeSignature
      mintToolId
      modelsOf
      parseToolCalls
      problemCodes
      promptFormatIds
      readAnswer
      readOverflow
      refusedThinkingField
      repairCodes
      resolveFormatId
      responsesWithoutCall
      retryFor
      rewriteAnswer
      serverAt
      serverById
      serverIds
      serverOfList
      servers
      shortToolNames
      takesOf
      textCallsOf
      textInError
      toProviderFormat
      traceOutput
      translateAnswer
      wishOf
      withToolsInPrompt"
    `)
  })

  it('the values of the subpaths are these', () => {
    expect(Object.keys(aiSdk).toSorted()).toEqual([
      'convertToVercelMessages',
      'toolCallMiddleware',
      'toolCallMiddlewareV3',
    ])
    expect(Object.keys(fetchAdapter)).toEqual(['createFetch'])
    expect(Object.keys(streams).toSorted()).toEqual(['parseChunks', 'toTransformStream'])
  })

  it('a parser has the members that the documentation names, and no others', () => {
    const sink = new EventCollector()
    expect(membersOf(core.createParser())).toEqual(['end', 'format', 'push'])
    expect(membersOf(core.createParserStage({}, sink))).toEqual(['end', 'format', 'heldBytes', 'push'])
  })

  it('the types are these', () => {
    expect(typeNames(index).join('\n')).toMatchInlineSnapshot(`
      "AnswerAssembler
      AnswerDecoder
      AnswerDecoderOptions
      AnswerDialect
      AnswerGlance
      AnswerSink
      AnswerTranslation
      AnswerWatcher
      AnthropicTarget
      AskedAt
      AssembledAnswer
      Block
      Channel
      ChatTarget
      CompactionWish
      Content
      ConversationRequest
      DecodedHistory
      DecodedRequest
      DetectedModel
      Dialect
      DialectId
      DialectMessages
      EncodeOptions
      EncodedHistory
      EncodedRequest
      EndReason
      ErrorCode
      ErrorDialect
      Failure
      FailureKind
      FinishReason
      Format
      FormatId
      FormatOverrides
      GeminiTarget
      GlancedCall
      GlancedCallPiece
      GlancedPiece
      GlancedText
      Grammar
      HeldReason
      HeldSource
      History
      HistoryTarget
      HttpDialect
      ListedModel
      MarkerOverrides
      MediaBlock
      MintId
      MintOptions
      ModelEntry
      ModelEvent
      ModelFacts
      OutputFormat
      OutputTrace
      Overflow
      ParseOptions
      ParsedOutput
      ParsedToolCall
      ParserLimits
      ParserOptions
      ParserStage
      Probe
      ProbeAnswer
      ProblemCode
      PromptFormatId
      PromptedRequest
      ProviderTools
      PushParser
      RateLimit
      RateLimitDialect
      ReadingOptions
      ReasoningMarkers
      ReasoningRequest
      RecordedEvent
      ReferenceDialect
      RefusalOptions
      RefusedServerTools
      RepairCode
      RequestDialect
      RequestError
      RequestNote
      ResponsesTarget
      Retry
      RewriterOptions
      RewrittenAnswer
      RoutePattern
      Server
      ServerTakes
      ServerToolDialect
      Sink
      SourceRange
      SourceSpan
      Speaker
      SseComment
      SseDecoder
      SseDecoderOptions
      SseEvent
      SseField
      SseFields
      SseItem
      SseMessage
      SseOverflow
      StreamFraming
      StreamRewriter
      SystemText
      TextBlock
      TextCalls
      TextOrigin
      ThinkingBlock
      ThinkingField
      ThinkingSetting
      Tool
      ToolCallBlock
      ToolChoice
      ToolDefinition
      ToolIdMapper
      ToolIdStrategy
      ToolNames
      ToolResponseBlock
      Tracer
      TranslationOptions
      UpstreamCall
      Usage
      WholeAnswer
      WholeAsEvents
      WholeCollector"
    `)
  })
})

function zoneOf(path: string): string {
  if (path in zones) return path
  if (parserFiles.has(path)) return 'parser'
  if (path.startsWith('translate-')) return 'translate'
  return path.split('/')[0] ?? path
}

/** The smallest length that this share of the files does not exceed. */
function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? 0
}

/** What can be asked of the object: its prototypes have all methods and getters. */
function membersOf(object: object): string[] {
  const names = new Set<string>()
  for (
    let at: unknown = Object.getPrototypeOf(object);
    at !== Object.prototype;
    at = Object.getPrototypeOf(at)
  ) {
    for (const name of Object.getOwnPropertyNames(at)) if (name !== 'constructor') names.add(name)
  }
  return [...names].toSorted()
}

function typeNames(index: string): string[] {
  const lists = [...index.matchAll(/export (type )?\{([^}]*)\}/g)]
  return lists
    .flatMap(([, isType, names = '']) =>
      names
        .split(',')
        .map((name) => name.trim())
        .filter((name) => name !== '' && (isType !== undefined || name.startsWith('type '))),
    )
    .map((name) => name.replace(/^type /, ''))
    .toSorted()
}

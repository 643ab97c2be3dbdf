import {
  entriesIn,
  factsByName,
  isSameModel,
  type ListedModel,
  type ModelFacts,
  modelsOf,
  type Probe,
  type Server,
  serverAt,
  serverById,
  serverOfList,
  servers,
} from '@dragoman/core'
import { isObject } from '../base/is-object.ts'
import type { Upstream } from '../config/config.ts'
import type { Question, Reply } from './ask.ts'
import { basePath } from './upstream-request.ts'

/** What is known of the server behind an upstream, and of one model there. */
export interface Known {
  /** Undefined where nothing has told it yet. */
  readonly server: Server | undefined
  readonly version: string | undefined
  readonly facts: ModelFacts
  readonly lesson: Lesson
  /** How many tokens it counted for each that was estimated, in the latest answers. */
  readonly scale: number | undefined
}

/** What the refusals of an upstream taught about one of its models. */
export interface Lesson {
  readonly window?: number
  readonly maxOutput?: number
  /** Fields to which it answered 400. */
  readonly refusedFields?: readonly string[]
  /** It refuses to force a call. */
  readonly refusesForcedCalls?: true
  /** It answers 400 to calls in the history without the reasoning before them. */
  readonly demandsReasoning?: true
  /** How its own reading of calls is kept out of the way, since it failed. */
  readonly calls?: 'in text' | 'in the prompt'
}

/** What is known, with what one request was taught that later ones need not know. */
export function withLesson(known: Known, lesson: Lesson): Known {
  return { ...known, lesson: { ...known.lesson, ...lesson } }
}

/** What a server said counts for this long. It may be started anew with another model or window. */
const FRESH_MS = 600_000
/** What may have been the bad luck of one answer counts for this long: enough for its client to try again. */
const BRIEF_MS = 60_000
/** While a window is not known, it is asked for sooner: some servers tell it only once the model is loaded. */
const INCOMPLETE_MS = 30_000
/** Whoever wants to see the models wants to see one that was just added. */
const LIST_MS = 60_000
/** A server that could not be asked is left alone for this long, unless somebody waits for its answer. */
const RETRY_MS = 2000
/** Of a short prompt most is template. */
const LEAST_MEASURED = 2000
/** A count that differs by more than this factor is no count of the same thing. */
const MOST_WRONG = 2.5
/** The names of models come from clients. Without a bound, invented names would fill the memory. */
const REMEMBERED_MODELS = 256

interface Learned {
  readonly until: number
  readonly lesson: Lesson
}

interface Asking {
  readonly at: number
  readonly done: Promise<void>
  isReached: boolean
}

/** In the background nobody waits for the answer. */
type Manner = 'in the background' | 'and wait'

/** One upstream, as far as it is known. It is asked in the background; no request waits for it. */
export class KnownUpstream {
  private readonly upstream: Upstream
  private readonly ask: (question: Question) => Promise<Reply>
  private readonly now: () => number
  private readonly told: Server | undefined
  private server: Server | undefined
  private version: string | undefined
  private listed: readonly ListedModel[] = []
  private common: ModelFacts = {}
  private byModel: ReadonlyMap<string, ModelFacts> = new Map()
  private readonly shown = new Map<string, ModelFacts>()
  private readonly lessons = { long: new Map<string, Learned>(), briefly: new Map<string, Learned>() }
  private readonly scales = new Map<string, number>()
  private asked: Asking | undefined
  private readonly askedModels = new Map<string, Asking>()

  constructor(upstream: Upstream, ask: (question: Question) => Promise<Reply>, now: () => number) {
    this.upstream = upstream
    this.ask = ask
    this.now = now
    this.told = serverById(upstream.kind) ?? (upstream.kind === 'auto' ? serverAt(upstream.url) : undefined)
    this.server = this.told
  }

  /** What is known of a model right now. */
  about(model: string): Known {
    const { server, version } = this
    const lesson = this.lessonFor(model)
    const { window, maxOutput } = lesson
    const facts: ModelFacts = {
      ...factsByName(server, model),
      ...this.common,
      ...this.listedFacts(model),
      ...this.loadedFacts(model),
      ...this.shown.get(model),
      ...(window === undefined ? {} : { window }),
      ...(maxOutput === undefined ? {} : { maxOutput }),
    }
    return { server, version, facts, lesson, scale: this.scales.get(model) }
  }

  /**
   * Asks the server in the background where what is known is old. The configuration may say that it is none of the
   * servers that there is something to ask.
   */
  refresh(model: string): void {
    if (this.upstream.kind !== 'other') void this.look(model, 'in the background')
  }

  /** What is known once the server has been asked. */
  async settled(model: string): Promise<Known> {
    if (this.upstream.kind !== 'other') await this.look(model, 'and wait')
    return this.about(model)
  }

  /** The models that it lists; none where it does not. */
  async models(): Promise<readonly ListedModel[]> {
    await this.lookAtServer(LIST_MS, 'and wait')
    return this.listed
  }

  /** A refusal told something that nothing else does, or that is truer than what the server says of itself. */
  learn(model: string, lesson: Lesson, lasting: 'long' | 'briefly' = 'long'): void {
    const before = this.learned(model, lasting)
    const refusedFields = [...new Set([...(before.refusedFields ?? []), ...(lesson.refusedFields ?? [])])]
    remember(this.lessons[lasting], model, {
      until: this.now() + (lasting === 'long' ? FRESH_MS : BRIEF_MS),
      lesson: { ...before, ...lesson, ...(refusedFields.length === 0 ? {} : { refusedFields }) },
    })
  }

  /** An answer told how many tokens its prompt has. The next estimate for the model will be nearer to the truth. */
  measure(model: string, estimate: () => number, counted: number): void {
    // To estimate takes time, and no estimate that is near enough would be long enough.
    if (counted * MOST_WRONG < LEAST_MEASURED) return
    const estimated = estimate()
    const ratio = counted / estimated
    if (estimated < LEAST_MEASURED || ratio < 1 / MOST_WRONG || ratio > MOST_WRONG) return
    const before = this.scales.get(model) ?? ratio
    remember(this.scales, model, (before + ratio) / 2)
  }

  private lessonFor(model: string): Lesson {
    return { ...this.learned(model, 'long'), ...this.learned(model, 'briefly') }
  }

  private learned(model: string, lasting: 'long' | 'briefly'): Lesson {
    const known = this.lessons[lasting].get(model)
    return known === undefined || known.until < this.now() ? {} : known.lesson
  }

  /** Some servers list a model under other names than it is asked for. */
  private loadedFacts(model: string): ModelFacts {
    const found = [...this.byModel].find(([name]) => isSameModel(this.server, name, model))
    return found?.[1] ?? {}
  }

  /** A server with one model answers with it, whatever name it is asked for. */
  private listedFacts(model: string): ModelFacts {
    const entry =
      this.listed.find(({ id }) => isSameModel(this.server, id, model)) ??
      (this.listed.length === 1 ? this.listed[0] : undefined)
    if (entry === undefined) return {}
    const { id: _, ...facts } = entry
    return facts
  }

  private async look(model: string, manner: Manner): Promise<void> {
    const fresh = this.about(model).facts.window === undefined ? INCOMPLETE_MS : FRESH_MS
    await this.lookAtServer(fresh, manner)
    const probes = this.server?.probes.filter(({ body }) => body !== undefined) ?? []
    if (probes.length === 0 || model === '') return
    const before = this.askedModels.get(model)
    const asking = this.current(before, FRESH_MS, manner) ?? this.begin(() => this.askModel(model, probes))
    if (asking !== before) remember(this.askedModels, model, asking)
    await asking.done
  }

  private async lookAtServer(fresh: number, manner: Manner): Promise<void> {
    this.asked = this.current(this.asked, fresh, manner) ?? this.begin(() => this.askServer())
    await this.asked.done
  }

  /** Whoever waits for the answer of a server that could not be reached before asks it again. */
  private current(asking: Asking | undefined, fresh: number, manner: Manner): Asking | undefined {
    if (asking === undefined || (!asking.isReached && manner === 'and wait')) return undefined
    return this.now() - asking.at < (asking.isReached ? fresh : RETRY_MS) ? asking : undefined
  }

  private begin(ask: () => Promise<boolean>): Asking {
    const asking: Asking = {
      at: this.now(),
      isReached: true,
      done: ask().then((isReached) => {
        asking.isReached = isReached
      }),
    }
    return asking
  }

  /** Resolves to whether the server could be asked at all. */
  private async askServer(): Promise<boolean> {
    const base = basePath(this.upstream)
    const list = await this.ask({ path: `${base}/models`, body: null })
    if (list.is === 'unreached') return false
    const entries = list.is === 'json' ? entriesIn(list.json) : null
    // Whatever lists no models is none of the servers that there is more to ask.
    if (entries === null) return true
    this.server = this.told ?? serverOfList(entries) ?? (await this.findServer()) ?? this.server
    this.listed = modelsOf(entries, this.server)
    const probes = this.server?.probes.filter(({ body }) => body === undefined) ?? []
    await Promise.all(probes.map((probe) => this.tell(probe, '')))
    return true
  }

  /** Servers that their lists do not tell apart are known by what else they answer. */
  private async findServer(): Promise<Server | undefined> {
    if (this.upstream.kind !== 'auto') return undefined
    const known = await Promise.all(servers.map((server) => this.isServer(server)))
    return servers.find((_, at) => known[at] === true)
  }

  private async isServer({ probes }: Server): Promise<boolean> {
    const probe = probes.find(({ proves }) => proves === true)
    if (probe === undefined) return false
    const reply = await this.ask({ path: this.pathOf(probe), body: null })
    return reply.is === 'json' && isObject(reply.json) && probe.read(reply.json, '') !== null
  }

  private async askModel(model: string, probes: readonly Probe[]): Promise<boolean> {
    const told = await Promise.all(probes.map((probe) => this.tell(probe, model)))
    return told.every(Boolean)
  }

  private async tell(probe: Probe, model: string): Promise<boolean> {
    const reply = await this.ask({ path: this.pathOf(probe), body: probe.body?.(model) ?? null })
    if (reply.is === 'unreached') return false
    const answer = reply.is === 'json' && isObject(reply.json) ? probe.read(reply.json, model) : null
    if (answer === null) return true
    this.version = answer.version ?? this.version
    if (answer.models !== undefined) this.byModel = new Map([...this.byModel, ...answer.models])
    if (answer.model === undefined) return true
    if (model === '') this.common = answer.model
    else remember(this.shown, model, answer.model)
    return true
  }

  /** Below the address of the server. Another server may have the rest of a host that is shared, and must not see the key. */
  private pathOf({ path, below }: Probe): string {
    const base = basePath(this.upstream)
    return (below === 'api' ? base : base.replace(/\/v1$/, '')) + path
  }
}

function remember<Value>(map: Map<string, Value>, name: string, value: Value): void {
  map.delete(name)
  const [oldest] = map.keys()
  if (map.size >= REMEMBERED_MODELS && oldest !== undefined) map.delete(oldest)
  map.set(name, value)
}

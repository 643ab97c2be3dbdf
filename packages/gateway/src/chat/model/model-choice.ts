import { defaultDialect } from '@dragoman/core'
import { didYouMean } from '../../base/did-you-mean.ts'
import type { GatewayConfig, ModelRule } from '../../config/config.ts'
import { exampleName, matchModel, type ModelRoute } from '../../config/match-model.ts'
import { type ModelFormat, modelFormat } from '../../exchange/model-format.ts'
import type { Upstreams } from '../../upstream/upstreams.ts'
import { printable } from '../../base/printable.ts'

/** Names that the simulator answers to, one for each common way of writing calls. */
const simulated: readonly string[] = ['kimi-k2', 'kimi-k3', 'qwen3-coder', 'qwen3', 'deepseek-v3', 'standard']

export type ModelChoice =
  | { readonly is: 'model'; readonly name: string }
  /**
   * The configuration accepts the name, but the upstream does not list it. Some upstreams do not list all their
   * models.
   */
  | { readonly is: 'unlisted'; readonly name: string; readonly message: string }
  /** `message` says why, and which models exist. */
  | { readonly is: 'unknown'; readonly message: string }

/** The models that one can talk to, from the configuration and from the lists of the upstreams. */
export class ModelChoices {
  private readonly config: GatewayConfig
  private readonly upstreams: Upstreams

  constructor(config: GatewayConfig, upstreams: Upstreams) {
    this.config = config
    this.upstreams = upstreams
  }

  get isSimulated(): boolean {
    return this.config.upstreams === 'simulator'
  }

  route(name: string): ModelRoute | undefined {
    return matchModel(this.config, name)
  }

  /** The format of a model, and what told it. A choice of the user overrides it. */
  formatOf(route: ModelRoute): ModelFormat {
    const { upstream } = route
    return modelFormat(route, upstream === 'simulator' ? defaultDialect : upstream.dialect, this.config)
  }

  /** Chooses the model of this name. A `!` after the name accepts one that the upstream does not list. */
  async choose(asked: string): Promise<ModelChoice> {
    const isInsisted = asked.endsWith('!')
    const name = isInsisted ? asked.slice(0, -1) : asked
    const route = this.route(name)
    if (route === undefined) return { is: 'unknown', message: missing(name, await this.names()) }
    const listed = route.model === name && !isInsisted ? await this.listOf(route) : []
    if (listed.length === 0 || isListed(name, listed)) return { is: 'model', name }
    return { is: 'unlisted', name, message: missing(name, listed) }
  }

  /** The model to use where the user names none. */
  async usual(): Promise<ModelChoice> {
    const rule = this.config.models[0]
    if (this.isSimulated) return this.choose(rule?.model ?? 'kimi-k2')
    const name = rule === undefined ? undefined : exampleName(rule)
    if (name !== undefined) return this.choose(name)
    const names = await this.names()
    const [only] = names
    if (only !== undefined && names.length === 1) return this.choose(only)
    const some = names.length === 0 ? this.noneListed() : ` There are: ${someOf(names)}.`
    return { is: 'unknown', message: `Which model? --model NAME says it.${some}` }
  }

  private noneListed(): string {
    const { upstreams } = this.config
    const urls = upstreams === 'simulator' ? [] : [...upstreams.values()].map(({ url }) => url)
    return ` None is listed at ${urls.join(', ')}: does the upstream run?`
  }

  /** The names in the configuration, and those that the upstreams behind its patterns list. */
  async names(): Promise<readonly string[]> {
    if (this.isSimulated) return simulated
    const named = this.config.models.map(({ match }) => match).filter((match) => !match.includes('*'))
    const open = this.config.models.filter(({ match, model }) => match.includes('*') && model === null)
    const lists = await Promise.all(open.map((rule) => this.namesBehind(rule)))
    return [...new Set([...named, ...lists.flat()])]
  }

  private async namesBehind({ upstream: name }: ModelRule): Promise<readonly string[]> {
    const { upstreams } = this.config
    const upstream = upstreams === 'simulator' ? undefined : upstreams.get(name)
    const models = upstream === undefined ? [] : await this.upstreams.models(upstream)
    return models.map(({ id }) => id).filter((id) => this.route(id)?.upstream === upstream)
  }

  private async listOf({ upstream }: ModelRoute): Promise<readonly string[]> {
    // The simulator answers to every name, so it has no list.
    if (upstream === 'simulator') return []
    return (await this.upstreams.models(upstream)).map(({ id }) => id)
  }
}

/** Variants such as `model:free`, or `model+strict` of the simulator, need not be listed. */
function isListed(name: string, list: readonly string[]): boolean {
  const wanted = name.toLowerCase()
  return list.some((each) => {
    const rest = wanted.startsWith(each.toLowerCase()) ? wanted.slice(each.length) : undefined
    return rest === '' || rest?.startsWith(':') === true || rest?.startsWith('+') === true
  })
}

function missing(name: string, names: readonly string[]): string {
  const meant = didYouMean(name, names)
  const question = meant === undefined ? '' : ` Did you mean ${meant}?`
  const known = names.length === 0 ? '' : ` There are: ${someOf(names)}.`
  return `There is no model "${printable(name)}".${question}${known}`
}

/** Lists the first few names, as some upstreams have hundreds. */
function someOf(names: readonly string[]): string {
  const more = names.length - 20
  return printable(names.slice(0, 20).join(', ')) + (more > 0 ? ` and ${more} more` : '')
}

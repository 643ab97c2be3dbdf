import { abilities as allAbilities, type Imitation, type Place, type Said } from './imitation.ts'
import { usualWindow } from './imitate.ts'
import { getImitation } from './imitations.ts'
import { isAt } from './is-at.ts'
import { isJsonObject } from './json.ts'
import { promptSize } from './prompt-size.ts'
import type { SimulatorSettings } from './settings.ts'
import { writings } from './writings.ts'

/** The paths of an imitated server, and what it says at those where no model answers. */
export class ImitatedServer {
  readonly #imitation: Imitation
  readonly #settings: SimulatorSettings
  /** The requests during which the model is still being loaded. */
  #loading: number

  constructor(name: string, settings: SimulatorSettings) {
    this.#imitation = getImitation(name)
    this.#settings = settings
    this.#loading = settings.loading ?? 0
  }

  /** The path that is meant: some servers answer at more paths than one. */
  pathOf(path: string): string {
    const full = `/v1${path}`
    const { alsoWithoutPrefix, routes, answersAt = usualPaths } = this.#imitation
    const isKnown = answersAt.includes(full) || `GET ${full}` in routes || `POST ${full}` in routes
    return alsoWithoutPrefix === true && isKnown ? full : path
  }

  /** Whether this is a question to the server, and neither to its model nor to the simulator. */
  saysItself(asked: string): boolean {
    const { answersAt = usualPaths } = this.#imitation
    const isForModel = this.#loading === 0 && answersAt.some((path) => isAt(asked, `POST ${path}`))
    return !isForModel && !asked.startsWith('GET /simulator/')
  }

  say(asked: string, body: unknown): Said {
    const { routes, shape, missing } = this.#imitation
    if (this.#loading > 0) {
      this.#loading--
      return {
        status: 503,
        body: shape({ status: 503, message: 'Loading model', type: 'unavailable_error' }),
      }
    }
    const read = asked.replace(/^HEAD /, 'GET ')
    const route = Object.entries(routes).find(([known]) => isAt(read, known))?.[1]
    return route === undefined ? missing(asked) : { status: 200, body: route(this.#placeFor(body)) }
  }

  #placeFor(body: unknown): Place {
    const { window = usualWindow, abilities = allAbilities, parser = 'structured' } = this.#settings
    const asked = isJsonObject(body) ? body : {}
    const models = writings.flatMap((writing) => writing.models)
    return { models, window, abilities, parser, asked, tokens: promptSize(asked).prompt }
  }
}

const usualPaths = ['/v1/chat/completions']

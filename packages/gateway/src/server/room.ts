import { BodyBudget } from '../base/body-budget.ts'
import type { Refusal } from '../base/refusal.ts'
import type { GatewayConfig } from '../config/config.ts'
import type { ClientAnswer } from '../exchange/client-answer.ts'
import type { Exchange } from '../exchange/exchange.ts'
import type { Arrival } from './route-context.ts'
import { shuttingDown, tooMany } from './refusals.ts'

/** How many requests may be under way at a time, how much their bodies may take, and the end of all of them. */
export class Room {
  private limits: GatewayConfig['limits']
  private readonly bodies: BodyBudget
  private readonly exchanges = new Set<Exchange>()
  /** The answers of requests that have no exchange yet. */
  private readonly arriving = new Set<ClientAnswer>()
  private state: 'open' | 'closed' = 'open'
  /** Requests that are not answered yet. */
  private underWay = 0
  /** How many of them have their body. A client that sends none must not hold the place of another. */
  private places = 0
  private onIdle: () => void = () => {}

  constructor(limits: GatewayConfig['limits']) {
    this.limits = limits
    this.bodies = new BodyBudget(budgetOf(limits))
  }

  /** Holds for requests that come from now on. */
  change(limits: GatewayConfig['limits']): void {
    this.limits = limits
    this.bodies.change(budgetOf(limits))
  }

  /** Why another request cannot be taken. */
  check(): Refusal | null {
    if (this.state === 'closed') return shuttingDown
    return this.places < this.limits.concurrent ? null : tooMany
  }

  /** The request is under way until its answer is at its end. */
  occupy(client: ClientAnswer): void {
    this.underWay++
    this.arriving.add(client)
    client.response.on('close', () => {
      this.arriving.delete(client)
      if (--this.underWay === 0) this.onIdle()
    })
  }

  arrival({ response }: ClientAnswer, awaitsContinue: boolean): Arrival {
    const share = this.bodies.open()
    let place: 'none' | 'taken' = 'none'
    response.on('close', () => {
      share.release()
      if (place === 'taken') this.places--
    })
    return {
      share,
      awaitsContinue,
      takePlace: () => {
        const refused = this.check()
        if (refused !== null || response.closed) return refused
        place = 'taken'
        this.places++
        return null
      },
    }
  }

  run(exchange: Exchange | undefined, client: ClientAnswer): void {
    if (exchange === undefined) return
    this.arriving.delete(client)
    this.exchanges.add(exchange)
    client.response.on('close', () => this.exchanges.delete(exchange))
    exchange.start()
  }

  /** Takes nothing more, waits at most so long for what is under way, and tells the rest that it ends. */
  async close(longest: number): Promise<void> {
    this.state = 'closed'
    if (this.underWay > 0) await this.untilIdle(longest)
    for (const exchange of this.exchanges) exchange.cut(shuttingDown.failure)
    for (const client of this.arriving) client.refuse(shuttingDown)
  }

  private async untilIdle(longest: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, longest)
      this.onIdle = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** One body always has room, whatever the two limits say. */
function budgetOf({ bodiesBytes, bodyBytes }: GatewayConfig['limits']): number {
  return Math.max(bodiesBytes, bodyBytes)
}

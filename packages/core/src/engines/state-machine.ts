import type { EndReason, Engine } from './engine.ts'

/** What a state leads to: another state, a wait for more text, or the end of what this engine reads. */
export type Next<State> = State | 'more' | 'done'

/** An engine as a state machine: each step reads what the state allows and names the next state. */
export abstract class StateMachine<State extends object> implements Engine {
  leavesOpen = false
  protected abstract state: State

  step(): 'again' | 'more' | 'done' {
    const next = this.next(this.state)
    if (next === 'more' || next === 'done') return next
    this.state = next
    return 'again'
  }

  abstract finish(reason: EndReason | undefined): void
  protected abstract next(state: State): Next<State>
}

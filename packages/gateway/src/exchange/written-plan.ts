import { LongJson } from '../base/write-long-json.ts'
import type { UpstreamCall } from '../upstream/client.ts'
import type { Plan } from './plan.ts'

/** A plan of which the body can be sent. */
export type WrittenPlan = Plan & { readonly body: string | Buffer }

/**
 * Calls the upstream once the body of the plan is written, which for most is now. `onBug` is told what went wrong where the
 * call could not be made later.
 */
export function callWhenWritten(
  plan: Plan,
  call: (plan: WrittenPlan) => UpstreamCall,
  onBug: (error: unknown) => void,
): UpstreamCall {
  if (isWritten(plan)) return call(plan)
  return new LaterCall(bytesOf(plan.body), (body) => call({ ...plan, body }), onBug)
}

function isWritten(plan: Plan): plan is WrittenPlan {
  return !(plan.body instanceof LongJson)
}

async function bytesOf(body: Plan['body']): Promise<Buffer> {
  return body instanceof LongJson ? body.bytes() : Buffer.from(body)
}

/** A call that is made when its body is there, unless nobody wants it any more by then. */
class LaterCall implements UpstreamCall {
  private state: 'waiting' | 'paused' | 'aborted' | UpstreamCall = 'waiting'

  constructor(body: Promise<Buffer>, make: (bytes: Buffer) => UpstreamCall, onBug: (error: unknown) => void) {
    body.then((bytes) => this.make(() => make(bytes))).catch(onBug)
  }

  pause(): void {
    if (typeof this.state === 'object') this.state.pause()
    else if (this.state === 'waiting') this.state = 'paused'
  }

  resume(): void {
    if (typeof this.state === 'object') this.state.resume()
    else if (this.state === 'paused') this.state = 'waiting'
  }

  abort(): void {
    if (typeof this.state === 'object') this.state.abort()
    else this.state = 'aborted'
  }

  private make(call: () => UpstreamCall): void {
    if (this.state === 'aborted') return
    const isPaused = this.state === 'paused'
    const made = call()
    this.state = made
    if (isPaused) made.pause()
  }
}

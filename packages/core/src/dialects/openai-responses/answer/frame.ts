import type { Usage } from '../../../answer/answer.ts'
import type { Failure } from '../../../answer/failure.ts'
import type { EncodeOptions } from '../../dialect.ts'
import { responsesErrorFields } from '../errors.ts'
import { nothingYet, ResponseObject, type ResponseState } from '../response-object.ts'
import { nothingCounted } from '../words.ts'
import { EventWriter, inside } from './events.ts'

/** What stands around the items of a response that we write: its beginning, its end, and signs of life in between. */
export class ResponseFrame {
  readonly events: EventWriter
  private readonly options: EncodeOptions
  private readonly object: ResponseObject
  private progress: 'new' | 'writing' | 'ended' = 'new'

  constructor(options: EncodeOptions) {
    this.options = options
    this.events = new EventWriter(options.write)
    this.object = new ResponseObject(options)
  }

  /** Whether the response has begun, and not ended. */
  get isOpen(): boolean {
    return this.progress === 'writing'
  }

  start(): void {
    this.progress = 'writing'
    const response = `"response":${this.object.json(nothingYet)}`
    this.events.emit('response.created', response)
    this.events.emit('response.in_progress', response)
  }

  keepAlive(): string | null {
    return this.isOpen ? this.events.made('keepalive', '') : null
  }

  /** The object with what is known of the answer now. */
  json(state: Partial<ResponseState>): string {
    return this.object.json({ ...nothingYet, ...state })
  }

  /** `response` is the JSON of the object that the last event holds. */
  end(type: string, response: string): void {
    this.progress = 'ended'
    this.events.emit(type, `"response":${response}`)
    this.options.write('data: [DONE]\n\n')
  }

  /** Nothing follows a failure, no marker either. */
  fail(failure: Failure, state: Partial<ResponseState>): void {
    if (!this.isOpen) return
    this.progress = 'ended'
    const error = responsesErrorFields(failure)
    const { code, message, param } = error
    // Some clients read the fields of the event, others the error in it.
    this.events.emit('error', inside({ code, message, param, error }))
    const response = this.json({ ...state, status: 'failed', error: { code, message } })
    this.events.emit('response.failed', `"response":${response}`)
  }

  /** Four characters a token is near enough where the upstream counts nothing. */
  estimate(length: number): Usage {
    const outputTokens = Math.ceil(length / 4)
    return { ...nothingCounted, inputTokens: this.options.inputTokens(), outputTokens }
  }
}

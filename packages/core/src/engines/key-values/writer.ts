import { JsonWriter } from '../../text/json-writer.ts'
import type { EngineContext } from '../engine.ts'
import type { JsonType } from '../tool-set.ts'
import type { TypedValue } from '../untyped-value.ts'
import type { Container } from './ahead.ts'

interface Frame extends Container {
  count: number
}

/** Writes the arguments of one call as JSON, and knows what is open and which parameters there were. */
export class KeyValuesWriter {
  private readonly context: EngineContext
  private readonly tool: string
  private readonly json = new JsonWriter()
  private readonly frames: Frame[] = []
  private readonly keys = new Set<string>()
  /** The parameter at hand. */
  private key = ''

  constructor(context: EngineContext, tool: string) {
    this.context = context
    this.tool = tool
  }

  get depth(): number {
    return this.frames.length
  }

  /** What a value would stand in now. Undefined once everything is closed. */
  get innermost(): Container | undefined {
    return this.frames.at(-1)
  }

  /** The brackets that close what is open, outermost first. */
  get closers(): readonly string[] {
    return this.frames.map(({ closer }) => closer)
  }

  /** Whether a parameter of this name may be the next: the tool declares it, or nobody knows what it declares. */
  mayFollow(key: string): boolean {
    const isOpen = this.context.tools.properties(this.tool) === undefined
    return isOpen ? !this.keys.has(key) : this.expects(key)
  }

  /** The types that the tool declares for the parameter at hand. */
  get types(): ReadonlySet<JsonType> {
    return this.context.tools.types(this.tool, this.key)
  }

  /** `closer`: the bracket that the model will close it with. */
  open(is: Container['is'], closer: string): void {
    const isOutermost = this.frames.length === 0
    this.write(is === 'list' ? '[' : '{')
    this.frames.push({
      is,
      closer,
      isOutermost,
      isKnown: isOutermost && this.context.tools.properties(this.tool) !== undefined,
      count: 0,
      expects: (key) => isOutermost && this.expects(key),
    })
  }

  close(): void {
    this.write(this.frames.pop()?.is === 'list' ? ']' : '}')
  }

  /** A member of an object begins. */
  beginMember(key: string): void {
    if (this.innermost?.isOutermost === true) {
      this.key = key
      if (this.keys.has(key)) {
        const message = `The parameter "${key}" was written twice.`
        this.context.writer.problem('duplicate-parameter', message, key)
      }
      this.keys.add(key)
    }
    this.write(`${this.separator()}${JSON.stringify(key)}:`)
  }

  /** A value of a list begins. */
  beginItem(): void {
    this.write(this.separator())
  }

  beginString(): void {
    this.write('"')
  }

  stringPiece(piece: string): void {
    this.write(this.json.stringPiece(piece))
  }

  endString(): void {
    this.write(this.json.endString())
  }

  /** Returns whether it was written: what was held for too long is refused. */
  typed(value: TypedValue, source: string): boolean {
    const { writer } = this.context
    if (writer.isOver()) return false
    writer.release()
    if (value.mismatch === true) {
      const message = `The value of "${this.key}" does not fit the type that "${this.tool}" declares.`
      writer.problem('type-mismatch', message, source)
    }
    this.write(value.json)
    for (const code of value.repairs ?? []) writer.repair(code)
    return true
  }

  private separator(): string {
    const frame = this.frames.at(-1)
    return frame !== undefined && frame.count++ > 0 ? ',' : ''
  }

  private expects(key: string): boolean {
    return !this.keys.has(key) && Object.hasOwn(this.context.tools.properties(this.tool) ?? {}, key)
  }

  private write(json: string): void {
    this.context.writer.delta(json)
  }
}

import { problemCodes } from '../../problems.ts'
import type { MarkerSearch } from '../../text/marker-search.ts'
import { NONE, PARTIAL } from '../../text/marker.ts'
import type { CallPart } from '../../text/source-observer.ts'
import { nameInTag } from '../../text/tag-name.ts'
import { readTag, type Tag } from '../../text/tag-reader.ts'
import type { TextWindow } from '../../text/text-window.ts'
import type { CallWriter } from '../call-writer.ts'
import type { EngineContext } from '../engine.ts'
import { type Next, StateMachine } from '../state-machine.ts'
import { readDamagedTag } from './damaged-tags.ts'
import type { OpeningTag, TaggedParamsRole } from './grammar.ts'

/** Where one is, outside of any argument. */
export type CallPlace =
  /** In a section, outside any call. */
  | { at: 'between' }
  | { at: 'call-tag'; tag: OpeningTag }
  /** Behind the name of a call that no tag opens. */
  | { at: 'named'; name: string }
  /** In a call, where an argument may begin. */
  | { at: 'body' }
  /** In a call, in text that belongs to no argument. */
  | { at: 'junk' }

/** More text than this outside of arguments is no slip: nobody may be kept waiting for the end of it. */
const LONGEST_JUNK = 256

/** Reads sections, and calls that are tags in them. How the arguments are written is for others to say. */
export abstract class TaggedCalls<Inside extends object, Role extends TaggedParamsRole> extends StateMachine<
  CallPlace | Inside
> {
  protected state: CallPlace | Inside
  protected readonly context: EngineContext
  protected readonly markers: MarkerSearch<Role>
  /** Text in the call that belongs to no argument. */
  protected junk = ''
  private readonly isInSection: boolean

  /** `name`: the tool that is called, where no tag says so. */
  constructor(
    context: EngineContext,
    markers: MarkerSearch<Role>,
    tag: OpeningTag | undefined,
    name: string | null = null,
  ) {
    super()
    this.context = context
    this.markers = markers
    this.isInSection = tag === undefined && name === null
    const opened: CallPlace = tag === undefined ? { at: 'between' } : { at: 'call-tag', tag }
    this.state = name === null ? opened : { at: 'named', name }
  }

  protected abstract beginArguments(tool: string, tag: Tag, shape: OpeningTag): void
  protected abstract get hasArguments(): boolean
  protected abstract finishArguments(): void

  protected between(): Next<CallPlace | Inside> {
    const { input, writer, isTentative } = this.context
    const role: TaggedParamsRole | 'none' | 'more' = this.markers.ahead(input)
    if (role === 'more') return 'more'
    if (
      role === 'none' ||
      role.is === 'section-begin' ||
      role.is === 'parameter-begin' ||
      role.is === 'empty'
    ) {
      return this.leave()
    }
    // Outside of a section each call is one of its own: one that is cut must not make text of those before it. The end of a
    // section tells that only its beginning was forgotten.
    const isOver = role.is === 'call-begin' || role.is === 'section-end'
    if (isOver && isTentative && !this.isInSection && writer.isIdle) return 'done'
    if (role.is === 'call-begin') {
      return this.callTag(role.tag, input.at + this.markers.length)
    }
    input.at += this.markers.length
    if (role.is === 'section-end') {
      // Nothing was called: all of it is markup.
      if (!writer.isIdle) writer.abandon()
      return 'done'
    }
    writer.removed('residue', this.markers.length)
    return { at: 'between' }
  }

  /** What follows is no call in this syntax, but it may be one in another. */
  private leave(): 'done' {
    this.leavesOpen = this.isInSection
    if (!this.context.writer.isIdle) this.context.writer.fail('no-call')
    return 'done'
  }

  protected callTag(shape: OpeningTag, from: number): Next<CallPlace | Inside> {
    const { input, writer, tools } = this.context
    const read = readTag(input.text, from, shape, input.final)
    if (read === 'more') return 'more'
    // One without its end may have a line of its own, and the name of a tool in it.
    const isTool = (name: string): boolean => tools.has(name)
    const tag = read === 'bad' ? (readDamagedTag(input.text, from, 'inline', isTool) ?? 'bad') : read
    const other = tag === 'bad' ? this.instead(from) : undefined
    if (other !== undefined) return other
    // Other syntaxes open with the same tag.
    if (tag === 'bad' && shape.name === 'word' && writer.isIdle) return this.leave()
    if (writer.isIdle) writer.begin()
    if (tag === 'bad') {
      input.at = from
      writer.fail('no-call')
      return 'done'
    }
    const meant = this.tagMeant(tag, shape)
    if (meant === undefined) return 'more'
    input.at = meant.end
    tellName(input, 'name', from, shape, meant)
    this.junk = ''
    this.beginArguments(writer.start(null, meant.name), tag, shape)
    if (read === 'bad') writer.problem('missing-tag', problemCodes['missing-tag'], meant.name)
    if (!tag.isSelfClosing) return { at: 'body' }
    this.endCall('closed')
    return { at: 'between' }
  }

  /** The tag with the name of the tool, where something else runs on from it. Undefined: more text is needed. */
  protected tagMeant(tag: Tag, _shape: OpeningTag): Tag | undefined {
    return tag
  }

  /** What else may stand at `from`, where the name of a call should. Undefined: nothing. */
  protected instead(_from: number): Next<CallPlace | Inside> | undefined {
    return undefined
  }

  /** `marks`: where an argument may begin, or the call end. */
  protected inJunk(marks: MarkerSearch<unknown>): Next<CallPlace> {
    const { input, writer, isTentative } = this.context
    writer.holdBack()
    const length = marks.find(input.text, input.at, input.final)
    this.takeJunk(marks.index)
    if (isTentative || this.junk.length > LONGEST_JUNK) {
      input.unread(this.junk.slice(isTentative ? 0 : LONGEST_JUNK))
      return this.giveUp()
    }
    return length === PARTIAL || length === NONE ? 'more' : { at: 'body' }
  }

  /** What stands there, `length` characters long, is not the tag that should. */
  protected reportMissing(length: number): void {
    const { input, writer } = this.context
    const source = input.text.slice(input.at, input.at + length)
    writer.problem('missing-tag', problemCodes['missing-tag'], source)
  }

  protected takeJunk(end: number): void {
    const { input } = this.context
    const from = input.position
    this.junk += input.take(end)
    input.observer?.became('stray', from, input.position)
  }

  /** The arguments cannot be read, and nobody knows where they end. */
  protected giveUp(): 'done' {
    this.leavesOpen = this.isInSection
    this.context.writer.fail('invalid-arguments')
    return 'done'
  }

  protected endCall(closing: 'closed' | 'unclosed'): void {
    const { writer } = this.context
    if (writer.isOver()) return
    if (/^(?:\s|\\n)*$/.test(this.junk)) this.junk = ''
    // Arguments in no form that can be read are not the same as no arguments.
    if (this.junk !== '' && !this.hasArguments) {
      writer.fail('invalid-arguments')
      return
    }
    writer.release()
    this.finishArguments()
    if (closing === 'closed') writer.end()
    else writer.endUnclosed()
    // White space next to the tags is theirs.
    if (this.junk !== '') writer.stray(this.junk.trimEnd())
    this.junk = ''
  }
}

/** Tells where the name in a tag stands, which was read from `at` on. */
export function tellName(input: TextWindow, part: CallPart, at: number, shape: OpeningTag, tag: Tag): void {
  if (input.observer === undefined) return
  const { from, to } = nameInTag(input.text, at, shape, tag)
  input.observer.became(part, input.base + from, input.base + to)
}

/** Attributes that mean nothing are not dropped in silence. */
export function reportExtra(tag: Tag, shape: OpeningTag, writer: CallWriter): void {
  for (const [key, value] of tag.attributes) {
    if (typeof shape.name === 'object' && 'attribute' in shape.name && key === shape.name.attribute) continue
    if (shape.attributes?.includes(key) === true) continue
    writer.problem('extra-field', problemCodes['extra-field'], `${key}="${value}"`)
  }
}

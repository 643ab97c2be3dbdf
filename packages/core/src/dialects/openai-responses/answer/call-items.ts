import type { UpstreamCall } from '../../../answer/answer.ts'
import type { StructuredCall } from '../../../answer/calls/structured-call.ts'
import { neverAsItCame, type Piece, SaidArguments } from '../../../answer/patch.ts'
import { nonEmptyText, objectIn, type JsonObject } from '../../../json/objects.ts'
import { flatName, type ToolKind, type ToolKinds } from '../tools.ts'
import { inside } from './events.ts'
import type { EndedCall, ItemWriter, OpenCall } from './items.ts'
import type { CallItem, Wire } from './read-items.ts'
import type { WirePasser } from './wires.ts'

/** The calls of functions in a response: what the events of the upstream say of them, and those that go on. */
export class CallItems {
  /** Whether a call went on otherwise than it came. */
  isEdited = false
  private readonly items: ItemWriter
  private readonly wires: WirePasser
  private readonly kinds: ToolKinds
  private readonly leaveText: () => void
  private readonly saidArguments = new SaidArguments()
  /** The structured call whose item is open. */
  private openCall: UpstreamCall | null = null
  /** Where the upstream repeats the arguments of that call. It waits: the arguments may still become others. */
  private argumentsDone: Wire | null = null

  /** `leaveText`: what is open ends, because a call begins. */
  constructor(items: ItemWriter, wires: WirePasser, kinds: ToolKinds, leaveText: () => void) {
    this.items = items
    this.wires = wires
    this.kinds = kinds
    this.leaveText = leaveText
  }

  /** What the start of a call says. A call that is none of a function to the client never passes as it came. */
  saidByStart(item: JsonObject, { call, kind }: CallItem): Piece[] {
    const [id, name] = [nonEmptyText(item['call_id']), nonEmptyText(item['name'])]
    const namespace = nonEmptyText(item['namespace'])
    if (id === null || name === null || nonEmptyText(item['id']) === null) return [neverAsItCame]
    const flat = namespace === null ? name : flatName({ kind, name, namespace })
    const meant = this.kinds.kindOf(flat)
    const isAsMeant =
      meant.kind === 'function' && meant.name === name && (meant.namespace ?? null) === namespace
    if (!isAsMeant || saysSomething(item['arguments'])) return [neverAsItCame]
    return [{ is: 'call', index: call.ordinal, id, name: flat, call: null }]
  }

  /** What an event says of a call of which this much was given before it. */
  saidBy({ data }: Wire, { call }: CallItem, given: string): Piece[] {
    const { open } = this.items
    const isOpen = call === this.openCall && open?.is === 'call'
    if (isOpen && open.kind.kind !== 'function') return [neverAsItCame]
    const index = call.ordinal
    const argumentsSaid = (json: string): Piece[] => {
      const said = json === '' ? '' : this.saidArguments.textOf(json, call)
      return said === '' ? [] : [{ is: 'arguments', index, json: said }]
    }
    switch (data['type']) {
      case 'response.function_call_arguments.delta':
        return argumentsSaid(nonEmptyText(data['delta']) ?? '')
      case 'response.function_call_arguments.done':
        return restOf(data['arguments'], given) === '' ? [] : [neverAsItCame]
      case 'response.output_item.done': {
        const said = objectIn(data, 'item')['arguments']
        const rest = restOf(said, given)
        // Arguments may come with the end alone. Where a part has come before, the rest comes like it.
        if (typeof said !== 'string' || (rest !== '' && given !== '')) return [neverAsItCame]
        return [...argumentsSaid(rest), { is: 'call-end', index }]
      }
      default:
        return []
    }
  }

  /** An event that goes on as it came. */
  pass(wire: Wire, call: StructuredCall): void {
    const { data } = wire
    const item = objectIn(data, 'item')
    if (data['type'] === 'response.output_item.added') {
      this.adopt(wire, item, call)
      return
    }
    const { open } = this.items
    // Some servers send more of a call whose item has ended, which says nothing then.
    if (open?.is !== 'call' || call !== this.openCall) return
    const place = { output_index: open.index }
    switch (data['type']) {
      case 'response.function_call_arguments.delta':
        open.json += nonEmptyText(data['delta']) ?? ''
        this.note(this.wires.pass(wire, { ...place, item_id: open.id }))
        break
      case 'response.function_call_arguments.done':
        this.argumentsDone = wire
        break
      case 'response.output_item.done': {
        this.endArguments(open)
        // What deltas have said was put right, where the end repeats it as it came.
        if (open.json === '') open.json = nonEmptyText(item['arguments']) ?? ''
        const { call_id, name } = open.fields
        const whole = { ...item, id: open.id, call_id, name, arguments: open.json }
        this.items.open = null
        this.items.done.push(whole)
        this.note(this.wires.pass(wire, { ...place, item: whole }))
        break
      }
      default:
        this.wires.pass(wire, place)
    }
  }

  private adopt(wire: Wire, item: JsonObject, call: StructuredCall): void {
    this.leave()
    this.leaveText()
    this.openCall = call
    const index = this.items.takeIndex()
    const kind: ToolKind = { kind: 'function', name: nonEmptyText(item['name']) ?? '' }
    const id = nonEmptyText(item['id']) ?? ''
    this.items.open = { is: 'call', index, id, kind, fields: item, json: '' }
    this.wires.pass(wire, { output_index: index })
  }

  /** Begins a call that the policy made. */
  begin({ id, name, call }: Extract<Piece, { is: 'call' }>): void {
    this.isEdited = true
    this.leave()
    this.leaveText()
    this.openCall = call
    const kind = this.kinds.kindOf(name)
    const { id: itemId, ...source } = call?.source ?? {}
    const isKept = kind.kind === 'function' && itemId !== undefined
    this.items.beginCall(kind, id, isKept ? { ...source, id: itemId } : source)
  }

  end(): EndedCall {
    this.isEdited = true
    this.leave()
    return this.items.endCall()
  }

  /** What waits of the call does not go on. */
  leave(): void {
    this.argumentsDone = null
  }

  /** Repeats the arguments, in the upstream's own event where it sent one. */
  private endArguments({ id, index, json }: OpenCall): void {
    const wire = this.argumentsDone
    this.argumentsDone = null
    const fields = { item_id: id, output_index: index, arguments: json }
    if (wire !== null) this.note(this.wires.pass(wire, fields))
    else if (json !== '') this.items.events.emit('response.function_call_arguments.done', inside(fields))
  }

  private note(isChanged: boolean): void {
    this.isEdited ||= isChanged
  }
}

/** What a whole text says beyond what has come of it. */
function restOf(whole: unknown, before: string): string {
  return typeof whole === 'string' && whole.startsWith(before) ? whole.slice(before.length) : ''
}

function saysSomething(given: unknown): boolean {
  return given !== undefined && given !== null && given !== ''
}

import {
  type Answer,
  argumentsText,
  type Call,
  type FinishWord,
  inOrder,
  type Item,
  type Reading,
} from '../clients-agree/answer.ts'
import { declaredTools } from '../clients-agree/tools.ts'
import { checkCalls, checkIds, must, normalArguments, type View } from '../clients-agree/view.ts'
import type { AdapterOptions } from '../../src/adapters/ai-sdk.ts'
import type { AnyPart } from './ai-sdk-model.ts'

/** The answer as a provider of the AI SDK streams it. */
export function partsOf({ items, finish, habits }: Answer): AnyPart[] {
  let place = 0
  const parts = items.flatMap((item, at): AnyPart[] => {
    if (item.is !== 'calls') return textParts(item, `t${at}`)
    return inOrder(
      item.calls.map((call) => callParts(call, idOf(call, item.order, place++))),
      item.order,
    )
  })
  const unified = finish.says === 'nothing' ? 'other' : finish.says === 'stop-sequence' ? 'stop' : finish.says
  const usage = habits.usage === 'none' ? {} : { outputTokens: { total: habits.usage === 'zero' ? 0 : 7 } }
  return [
    { type: 'stream-start', warnings: [] },
    ...parts,
    { type: 'finish', finishReason: { unified, raw: finish.says }, usage },
  ]
}

/** A provider makes an id where the server has none, and tells the parts of two calls apart by their ids alone. */
function idOf({ id }: Call, order: string, place: number): string {
  return order === 'woven' || id === null || id === '' ? `call_${place}` : id
}

function textParts({ is, pieces }: Exclude<Item, { is: 'calls' }>, id: string): AnyPart[] {
  return [
    { type: `${is}-start`, id },
    ...pieces.map((delta) => ({ type: `${is}-delta`, id, delta })),
    { type: `${is}-end`, id },
  ]
}

/** What the chat dialect says without an index, or as an object, a provider tells at once. */
function callParts(call: Call, id: string): AnyPart[] {
  const toolName = call.name ?? ''
  const whole = { type: 'tool-call', toolCallId: id, toolName, input: argumentsText(call) }
  const { arguments: given } = call
  if (call.index !== 'own' || given.are === 'an object') return [whole]
  const pieces = given.are === 'text' ? given.pieces : []
  return [
    { type: 'tool-input-start', id, toolName },
    ...pieces.map((delta) => ({ type: 'tool-input-delta', id, delta })),
    { type: 'tool-input-end', id },
    whole,
  ]
}

/** How the middleware is made and called to read an answer like this. */
export function optionsFor({
  format,
  tools,
  delivery,
  toolCallBytes,
}: Reading): AdapterOptions & { readonly params: object } {
  return {
    format,
    delivery,
    ...(tools === 'unknown' && { tools: null }),
    ...(toolCallBytes !== null && { limits: { toolCallBytes } }),
    model: 'some-model',
    params: { tools: tools === 'none' ? [] : declaredTools.map((tool) => tool.function) },
  }
}

/** What a program of the AI SDK understands of the parts; it throws where it could not read them. */
export function viewOf(parts: readonly AnyPart[]): View {
  const said = { text: '', reasoning: '' }
  const open = new Map<string, string>()
  const inputs = new Map<string, { readonly name: string; json: string; isEnded: boolean }>()
  const calls: { readonly id: string; readonly name: string; readonly input: string }[] = []
  let failure: string | null = null
  let finish: unknown = null
  for (const part of parts) {
    const id = String(part['id'])
    must(finish === null, `${part.type} comes behind the finish`)
    const [kind, step] = [part.type.slice(0, part.type.indexOf('-')), part.type]
    switch (step) {
      case 'text-start':
      case 'reasoning-start':
        must(!open.has(id), `block ${id} begins twice`)
        open.set(id, kind)
        break
      case 'text-delta':
      case 'reasoning-delta':
        must(open.get(id) === kind, `a delta of ${id} stands outside its block`)
        said[kind === 'text' ? 'text' : 'reasoning'] += String(part['delta'])
        break
      case 'text-end':
      case 'reasoning-end':
        must(open.get(id) === kind, `block ${id} ends without a beginning`)
        open.delete(id)
        break
      case 'tool-input-start':
        must(!inputs.has(id), `the input of ${id} begins twice`)
        inputs.set(id, { name: String(part['toolName']), json: '', isEnded: false })
        break
      case 'tool-input-delta':
      case 'tool-input-end': {
        const input = inputs.get(id)
        must(input?.isEnded === false, `${step} of ${id} stands outside its call`)
        if (step === 'tool-input-end') input.isEnded = true
        else input.json += String(part['delta'])
        break
      }
      case 'tool-call': {
        const { toolCallId, toolName, input } = part
        must(typeof input === 'string', 'the input of a call is no text')
        const pieces = inputs.get(String(toolCallId))
        must(pieces?.isEnded !== false, `call ${String(toolCallId)} comes before the end of its input`)
        must(pieces === undefined || pieces.json === '' || pieces.json === input, 'the input came otherwise')
        calls.push({ id: String(toolCallId), name: String(toolName), input })
        break
      }
      case 'error':
        must(part['error'] instanceof Error, 'an error is none')
        failure = part['error'].message
        break
      case 'finish':
        must(open.size === 0, 'a block is open at the end')
        must(
          [...inputs.values()].every(({ isEnded }) => isEnded),
          'the input of a call is open at the end',
        )
        finish = finishIn(part)
        break
      default:
        must(step === 'stream-start', `a strange part: ${step}`)
    }
  }
  must((finish === 'error') === (failure !== null), 'the finish and the failure disagree')
  const seen = calls.map(({ name, input }) => ({ name, arguments: normalArguments(input) }))
  const word = finishWords.find((each) => each === finish) ?? null
  checkCalls(seen, finish === 'other' ? 'stop' : word, failure !== null)
  must(
    calls.every(({ input }) => normalArguments(input) !== null),
    'half a call has an end',
  )
  checkIds(
    calls.map(({ id }) => id),
    /./,
  )
  return {
    ...said,
    calls: seen,
    finish: failure !== null ? null : finish === 'other' ? 'stop' : word,
    failure: failure === null ? null : { kind: 'upstream', message: failure },
  }
}

const finishWords: readonly FinishWord[] = ['stop', 'tool-calls', 'length', 'content-filter']

function finishIn({ finishReason }: AnyPart): unknown {
  must(typeof finishReason === 'object' && finishReason !== null, 'the finish has no reason')
  return 'unified' in finishReason ? finishReason.unified : undefined
}

import type { Disagreement, Sight } from './agreement.ts'
import type { Answer, Call, Item } from './answer.ts'
import { plainHabits, plainReading } from './generate.ts'
import type { View } from './view.ts'

/** For people: the answer, and the two views with what was sent and received. */
export function describeDisagreement(answer: Answer, { about, first, second }: Disagreement): string {
  return [
    `Clients disagree about: ${about.join(', ')}`,
    `The answer\n${describeAnswer(answer).join('\n')}`,
    ...describeSight(first),
    ...(second === null
      ? []
      : 'upstream' in second
        ? describeSight(second)
        : [`It should see ${pretty(second)}`]),
  ].join('\n\n')
}

/** Line by line, without the settings that are as usual. */
function describeAnswer({ items, finish, error, habits, reading }: Answer): string[] {
  const settings = { ...unusual(habits, plainHabits), ...unusual(reading, plainReading) }
  return [
    ...items.flatMap(describeItem),
    error === null ? `finish ${finish.says}, ${finish.end}` : `error ${JSON.stringify(error)}`,
    ...Object.entries(settings).map(([name, value]) => `${name}: ${String(value)}`),
  ].map((line) => `    ${line}`)
}

function describeItem(item: Item): string[] {
  if (item.is === 'calls') return item.calls.map((call) => describeCall(call, item.order))
  return [`${item.is} ${item.pieces.map((piece) => JSON.stringify(piece)).join(' · ')}`]
}

function describeCall({ name, arguments: given, id, index, legacy }: Call, order: string): string {
  const json = given.are === 'text' ? given.pieces.join(' · ') : given.are === 'missing' ? '' : given.json
  const rest = [given.are, `id ${JSON.stringify(id)}`, `index ${index}`, `legacy ${legacy}`, order]
  return `call ${JSON.stringify(name)} with ${json} (${rest.join(', ')})`
}

function unusual(settings: object, usual: object): Record<string, unknown> {
  const plain = new Map<string, unknown>(Object.entries(usual))
  return Object.fromEntries(Object.entries(settings).filter(([name, value]) => plain.get(name) !== value))
}

function describeSight({ upstream, client, received, status, view, illegal }: Sight): string[] {
  const way = `${upstream.dialect} ${upstream.delivered} → ${client.dialect} ${client.wants}`
  return [
    `${way}\n${illegal === null ? `sees ${pretty(view)}` : `cannot read it: ${illegal}`}`,
    `  for the upstream's body\n${indented(upstream.body.join(''))}`,
    `  it got (${status})\n${indented(received)}`,
  ]
}

function pretty(view: View | null): string {
  return JSON.stringify(view, null, 1)
}

function indented(text: string): string {
  return text
    .trimEnd()
    .replaceAll(/^/gm, '    ')
    .replaceAll(/\n +\n/g, '\n')
}

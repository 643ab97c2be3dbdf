import type { NewPart, Part } from './specification.ts'

/** The content of a whole answer as the parts of a stream that says the same. */
export function contentAsParts(content: readonly Part[]): Part[] {
  return content.flatMap((part, at): (Part | NewPart)[] => {
    if (!isText(part)) return [part]
    const { type, text, ...rest } = part
    const id = String(at)
    const deltas = text === '' ? [] : [{ type: `${type}-delta`, id, delta: text }]
    return [{ ...rest, type: `${type}-start`, id }, ...deltas, { type: `${type}-end`, id }]
  })
}

/** The parts of a stream, put together to the content of a whole answer. */
export function partsAsContent(parts: readonly Part[]): Part[] {
  const content: (Part | NewPart)[] = []
  let block: { readonly fields: object; readonly type: string; text: string } | null = null
  for (const part of parts) {
    if (part.type === 'text-start' || part.type === 'reasoning-start') {
      const { type, id: _, ...fields }: Part & { readonly id?: unknown } = part
      block = { fields, type: type === 'text-start' ? 'text' : 'reasoning', text: '' }
    } else if (part.type === 'text-delta' || part.type === 'reasoning-delta') {
      if (block !== null && 'delta' in part) block.text += String(part.delta)
    } else if (part.type === 'text-end' || part.type === 'reasoning-end') {
      if (block !== null) content.push({ ...block.fields, type: block.type, text: block.text })
      block = null
    } else if (!part.type.startsWith('tool-input-')) {
      content.push(part)
    }
  }
  return content
}

function isText(part: Part): part is Part & { readonly text: string } {
  const isKind = part.type === 'text' || part.type === 'reasoning'
  return isKind && 'text' in part && typeof part.text === 'string'
}

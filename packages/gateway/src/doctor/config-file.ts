import { isMap, isSeq, type Document, parseDocument, type YAMLMap } from 'yaml'
import { matchesName } from '../config/match-model.ts'
import { upstreamBase, upstreamUrlFault } from '../config/upstream-url.ts'
import { type Prescription, settingsOf } from './prescription.ts'

/** `new`: the file was just made for this upstream, so that its rule for every model is ours to change. */
export type FileState = 'new' | 'there'

/** The text of a configuration file with the prescription in it. Comments and everything else stay. */
export function withPrescription(text: string, prescription: Prescription, state: FileState): string {
  const document = parseDocument(text)
  const name = writeUpstream(document, prescription)
  writeRule(document, { ...prescription, upstream: { ...prescription.upstream, name } }, state)
  return withCommentsInPlace(text, document.toString({ lineWidth: 0 }))
}

/** The writer moves comments to the level of what stands above them. They keep the one that their author gave them. */
function withCommentsInPlace(before: string, after: string): string {
  const comments = new Map(
    before
      .split('\n')
      .filter(isComment)
      .map((line) => [line.trim(), line]),
  )
  return after
    .split('\n')
    .map((line) => (isComment(line) ? (comments.get(line.trim()) ?? line) : line))
    .join('\n')
}

function isComment(line: string): boolean {
  return line.trimStart().startsWith('#')
}

/** Adds the upstream, or what it lacks; gives its name in the file. */
function writeUpstream(document: Document, prescription: Prescription): string {
  const { upstream } = settingsOf(prescription)
  const there = upstreamIn(document, prescription.upstream)
  const name = there ?? freeName(document, prescription.upstream.name)
  if (there === undefined) setIn(document, ['upstreams', name], document.createNode(upstream))
  for (const [key, value] of Object.entries(there === undefined ? {} : upstream)) {
    if (key !== 'url' && (key !== 'apiKey' || !document.hasIn(['upstreams', name, key]))) {
      document.setIn(['upstreams', name, key], value)
    }
  }
  return name
}

function upstreamIn(document: Document, { url, dialect }: Prescription['upstream']): string | undefined {
  const upstreams = document.get('upstreams')
  if (!isMap(upstreams)) return undefined
  const names = upstreams.items.map(({ key }) => String(key))
  return names.find((name) => isSameUrl(document.getIn(['upstreams', name, 'url']), url, dialect))
}

function isSameUrl(written: unknown, url: string, dialect: Prescription['upstream']['dialect']): boolean {
  if (typeof written !== 'string' || upstreamUrlFault(written) !== undefined) return false
  return upstreamBase(written, dialect) === upstreamBase(url, dialect)
}

function freeName(document: Document, wanted: string): string {
  const isTaken = (name: string): boolean => document.hasIn(['upstreams', name])
  const others = Array.from({ length: 100 }, (_, at) => `${wanted}${at + 2}`)
  return [wanted, ...others].find((name) => !isTaken(name)) ?? wanted
}

/** Changes the rules that send this model to the upstream, or adds one in front of all others. */
function writeRule(document: Document, prescription: Prescription, state: FileState): void {
  const { upstream, model, remedy } = prescription
  const { rule } = settingsOf(prescription)
  const models = document.get('models')
  if (!isSeq(models) || models.items.length === 0) {
    setIn(document, ['models'], document.createNode([rule]))
    return
  }
  const rules = models.items
    .filter((item) => isMap(item))
    .filter((item) => item.get('upstream') === upstream.name)
  const own = rules.filter((item) => state === 'new' || isFor(item, model))
  for (const item of own) {
    for (const [key, value] of Object.entries({ ...(state === 'new' ? { model } : {}), ...remedy.model })) {
      item.set(key, value)
    }
  }
  if (own.length > 0) return
  const { model: _, ...settings } = rule
  const added = document.createNode({ ...settings, match: model })
  // What stands above the first rule is said of all rules.
  const [first] = models.items
  if (isMap(first) && first.commentBefore) {
    added.commentBefore = first.commentBefore
    first.commentBefore = null
  }
  models.items.unshift(added)
}

/** Whether a rule sends its names to this very model. */
function isFor(rule: YAMLMap, model: string): boolean {
  const named = rule.get('model')
  if (named !== undefined) return named === model
  const match = rule.get('match')
  return typeof match === 'string' && match !== '*' && matchesName(model, match)
}

/** A section whose keys are all commented out is null, and takes no keys. */
function setIn(document: Document, [section = '', ...path]: readonly string[], value: unknown): void {
  if (path.length > 0 && !isMap(document.get(section))) document.set(section, document.createNode({}))
  document.setIn([section, ...path], value)
}

/** The lines that differ between two texts: `- ` what was, `+ ` what is. */
export function changedLines(before: string, after: string): string[] {
  const [old, now] = [before, after].map((text) => text.split('\n'))
  return old === undefined || now === undefined ? [] : difference(old, now)
}

/** Files of this size are compared line by line with every other line. */
function difference(old: readonly string[], now: readonly string[]): string[] {
  const common = Array.from({ length: old.length + 1 }, () => Array.from({ length: now.length + 1 }, () => 0))
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      const [row, next] = [common[i] ?? [], common[i + 1] ?? []]
      row[j] = old[i] === now[j] ? (next[j + 1] ?? 0) + 1 : Math.max(next[j] ?? 0, row[j + 1] ?? 0)
    }
  }
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < now.length) {
    if (i < old.length && old[i] === now[j]) {
      i++
      j++
    } else if (
      j >= now.length ||
      (i < old.length && (common[i + 1]?.[j] ?? 0) >= (common[i]?.[j + 1] ?? 0))
    ) {
      lines.push(`- ${old[i++]}`)
    } else {
      lines.push(`+ ${now[j++]}`)
    }
  }
  return lines
}

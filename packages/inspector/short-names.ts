import { readFileSync } from 'node:fs'
import { type ESTree, minifySync, normalizePath, parseSync, type Plugin, Visitor } from 'vite'

export interface Sources {
  /** Files whose classes and interfaces declare what gets a short name. */
  readonly declaring: readonly string[]
  /** Files that send something to the script or get something from it. */
  readonly talking: readonly string[]
}

/**
 * Gives short names to the members of classes and interfaces. They are the names that a minifier leaves alone, as it cannot know
 * who else calls them so.
 *
 * One that is known elsewhere has to stay, or the page would read answers otherwise than the gateway: what files speak of that
 * talk with the script, or are in it and declare none of these; what the language itself calls so; what stands in a string, as
 * that may be how a field is looked up; and what is a key of a table. `test/worker.test.ts` compares the outcome with the sources.
 */
export function shortNames({ declaring, talking }: Sources): Plugin {
  return {
    name: 'short-names',
    renderChunk: (code, { moduleIds }) => {
      const { members, keys } = declaredIn(declaring)
      const known = new Set(declaring.map(normalizePath))
      const others = moduleIds.filter((id) => id.endsWith('.ts') && !known.has(id))
      const spokenOf = [...talking, ...others].flatMap(namesIn)
      const strings = stringsIn(parseSync('worker.js', code).program)
      const kept = new Set([...keys, ...spokenOf, ...strings, ...namesOfTheLanguage()])
      const names = [...members].filter((name) => !kept.has(name))
      const result = minifySync('worker.js', code, {
        module: true,
        compress: false,
        mangle: false,
        mangleProps: { include: new RegExp(`^(?:${names.join('|')})$`) },
      })
      const [error] = result.errors
      if (error !== undefined) throw new Error(error.message)
      return { code: result.code, map: null }
    },
  }
}

/** The members that the sources declare, and the keys of their tables. */
function declaredIn(files: readonly string[]): { members: Set<string>; keys: Set<string> } {
  const programs = files.map(parsed)
  const members = new Set<string>()
  const tables = new Set<string>()
  for (const { code, program } of programs) {
    const add = ({ key, typeAnnotation }: Member): void => {
      if (key.type !== 'Identifier') return
      members.add(key.name)
      if (isTable(code, typeAnnotation)) tables.add(key.name)
    }
    new Visitor({
      PropertyDefinition: add,
      AccessorProperty: add,
      TSPropertySignature: add,
      TSAbstractPropertyDefinition: add,
      MethodDefinition: add,
      TSMethodSignature: add,
      TSAbstractMethodDefinition: add,
    }).visit(program)
  }
  const keys = new Set<string>()
  for (const { code, program } of programs) {
    const addKeys = (value: ESTree.Expression | null): void => {
      for (const property of value?.type === 'ObjectExpression' ? value.properties : []) {
        if (property.type === 'Property' && property.key.type === 'Identifier') keys.add(property.key.name)
      }
    }
    new Visitor({
      Property: ({ key, value }) => {
        if (key.type === 'Identifier' && tables.has(key.name) && value.type === 'ObjectExpression')
          addKeys(value)
      },
      // The bundler may have made a name of it, and then it stands in no string.
      MemberExpression: ({ property }) => {
        if (property.type === 'Literal' && typeof property.value === 'string') keys.add(property.value)
      },
      VariableDeclarator: ({ id, init }) => {
        if (id.type === 'Identifier' && isTable(code, id.typeAnnotation)) addKeys(init)
      },
    }).visit(program)
  }
  return { members, keys }
}

function parsed(file: string): { code: string; program: ESTree.Program } {
  const code = readFileSync(file, 'utf8')
  return { code, program: parseSync(file, code).program }
}

interface Member {
  readonly key: ESTree.PropertyKey
  readonly typeAnnotation?: ESTree.TSTypeAnnotation | null | undefined
}

/** Whether the keys of such a value are words that are looked up, and no names. */
function isTable(code: string, type: Member['typeAnnotation']): boolean {
  const written = type === null || type === undefined ? '' : code.slice(type.start, type.end)
  return /\bRecord<|\[\w+(?: in |: )/.test(written)
}

/** All fields that a source speaks of, and all that stands in its strings. */
function namesIn(file: string): string[] {
  const { program } = parsed(file)
  const names = stringsIn(program)
  const add = ({ key }: Member): void => {
    if (key.type === 'Identifier') names.push(key.name)
  }
  new Visitor({
    Property: add,
    TSPropertySignature: add,
    TSMethodSignature: add,
    MemberExpression: ({ property }) => add({ key: property }),
  }).visit(program)
  return names
}

function stringsIn(program: ESTree.Program): string[] {
  const strings: string[] = []
  new Visitor({
    Literal: ({ value }) => {
      if (typeof value === 'string') strings.push(value)
    },
    TemplateElement: ({ value }) => {
      strings.push(value.raw)
    },
  }).visit(program)
  return strings
}

/** All that can be reached from what is there for every script, and the fields of what only calls give back or take. */
function namesOfTheLanguage(): Set<string> {
  const names = new Set(['stream'])
  const seen = new Set<unknown>()
  const visit = (value: unknown): void => {
    if (!(typeof value === 'object' || typeof value === 'function') || value === null || seen.has(value))
      return
    seen.add(value)
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(value))) {
      names.add(name)
      visit(property.value)
    }
    visit(Object.getPrototypeOf(value))
  }
  for (const name of Object.getOwnPropertyNames(globalThis)) {
    if (/^[A-Z]/.test(name)) visit(Reflect.get(globalThis, name))
  }
  const step = [1].values()
  const given = [/(?<a>a)/d.exec('a'), step, step.next(), new Error('', { cause: '' })]
  for (const value of [...given, Object.getOwnPropertyDescriptor({ a: 1 }, 'a')]) visit(value)
  return names
}

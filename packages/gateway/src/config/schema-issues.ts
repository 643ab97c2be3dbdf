import type { z } from 'zod'
import { didYouMean } from '../base/did-you-mean.ts'
import { configKeys, knownKeysAt } from './json-schema.ts'
import { describePath, type ConfigIssue, type Path } from './origin.ts'
import { keyOriginAt, originAt, type SettingTree } from './setting-tree.ts'

/** The errors of the schema in our words, each with the place of the value. */
export function schemaIssues(issues: readonly z.core.$ZodIssue[], settings: SettingTree): ConfigIssue[] {
  return issues.flatMap((issue): ConfigIssue[] => {
    const path = pathOf(issue.path)
    switch (issue.code) {
      case 'unrecognized_keys':
        return issue.keys.map((key) => ({
          origin: keyOriginAt(settings, path, key),
          path: describePath([...path, key]),
          message: unknownKey(key, path),
        }))
      case 'invalid_union': {
        const meant = likeliest(issue.errors)
        if (meant !== undefined)
          return schemaIssues(
            meant.map((each) => below(each, issue.path)),
            settings,
          )
        return [{ origin: originAt(settings, path), path: describePath(path), message: issue.message }]
      }
      case 'invalid_key': {
        const origin = keyOriginAt(settings, path.slice(0, -1), String(path.at(-1)))
        const message = issue.issues[0]?.message ?? issue.message
        return [{ origin, path: describePath(path), message: `the name ${message}` }]
      }
      default:
        return [{ origin: originAt(settings, path), path: describePath(path), message: issue.message }]
    }
  })
}

/** The branch whose shape the value has: there something inside is wrong, and not the value as a whole. */
function likeliest(
  branches: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  return branches.find((issues) =>
    issues.every((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys' || isMeant(issue)),
  )
}

function isMeant(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_union' && likeliest(issue.errors) !== undefined
}

function below(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): z.core.$ZodIssue {
  return { ...issue, path: [...path, ...issue.path] }
}

export function pathOf(keys: readonly PropertyKey[]): Path {
  return keys.map((key) => (typeof key === 'number' ? key : String(key)))
}

function unknownKey(key: string, path: Path): string {
  const known = knownKeysAt(path)
  const meant = didYouMean(key, known) ?? elsewhere(key)
  if (meant !== undefined) return `unknown key. Did you mean ${meant}?`
  return known.length <= 12 ? `unknown key. Known here: ${known.join(', ')}` : 'unknown key'
}

/** Where else the schema has a key of this name: people forget the section. */
function elsewhere(key: string): string | undefined {
  return configKeys().find(({ path }) => path.endsWith(`.${key}`) && !path.startsWith('formats.'))?.path
}

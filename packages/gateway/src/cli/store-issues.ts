import type { LoadedConfig } from '../config/load.ts'
import type { ConfigIssue, Path } from '../config/origin.ts'
import { issueAt, itemsAt, type SettingTree, treeAt } from '../config/setting-tree.ts'

export interface StoreIssues {
  readonly errors: readonly ConfigIssue[]
  readonly warnings: readonly ConfigIssue[]
}

/** What is wrong with the store that a configuration names: only asking it tells whether it is there. */
export async function storeIssues(
  { config, settings }: LoadedConfig,
  workers: number,
  asking: 'asked' | 'not asked',
): Promise<StoreIssues> {
  const { accounting } = config
  if (accounting === undefined) return none
  if (accounting.store.is === 'memory') {
    return workers === 1 ? none : { errors: [issueAt(settings, whyCounted(settings), apart)], warnings: [] }
  }
  if (asking === 'not asked') return none
  const { storeObstacle } = await import('../quotas/open-store.ts')
  const obstacle = await storeObstacle(accounting)
  if (obstacle === null) return none
  return accounting.storeFailure === 'closed'
    ? {
        errors: [issueAt(settings, ['store'], `${obstacle}. Start it, or name the right address`)],
        warnings: [],
      }
    : {
        errors: [],
        warnings: [
          issueAt(
            settings,
            ['store'],
            `${obstacle}. Until it can, each process counts for itself, in memory`,
          ),
        ],
      }
}

/** The setting for which use is counted. */
function whyCounted(settings: SettingTree): Path {
  const wishes = itemsAt(settings, ['keys']).flatMap((_, at) => [
    ['keys', at, 'limits'],
    ['keys', at, 'budget'],
  ])
  const said = [['store'], ...wishes, ['prices']].find((path) => treeAt(settings, path) !== undefined)
  return said ?? ['store']
}

const none: StoreIssues = { errors: [], warnings: [] }

const apart =
  'with --workers each process would count for itself in memory, so that a key could use its limits several times: name a store that they share, such as redis://127.0.0.1:6379/0'

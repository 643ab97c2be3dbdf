import type {
  ExchangeDetails,
  ExchangePage,
  ExchangeSummary,
  StageChunk,
  StageId,
  StagePart,
  Status,
} from '../../../inspector/src/api.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** The API of a gateway as its page asks it. `headers` go with every request. */
export function lookAt(address: string, headers: Record<string, string> = {}) {
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${address}/inspector/api/v1/${path}`, { headers })
    if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
    return response.json()
  }
  const list = (query = 'limit=500'): Promise<ExchangePage> => get(`exchanges?${query}`)
  const stage = async (id: string, name: StageId, from = 0): Promise<readonly StageChunk[]> => {
    const { chunks, next } = await get<StagePart>(`exchanges/${id}/${name}?from=${from}`)
    return next === null ? chunks : [...chunks, ...(await stage(id, name, next))]
  }
  return {
    status: (): Promise<Status> => get('status'),
    list,
    details: (id: string): Promise<ExchangeDetails> => get(`exchanges/${id}`),
    stage,
    stageText: async (id: string, name: StageId): Promise<string> =>
      (await stage(id, name)).map(({ text }) => text).join(''),
    part: (id: string, name: StageId, from: number): Promise<StagePart> =>
      get(`exchanges/${id}/${name}?from=${from}`),
    /** The newest exchange, once it is over. */
    newest: async (): Promise<ExchangeSummary> => {
      let newest: ExchangeSummary | undefined
      await eventually(async () => {
        newest = (await list('limit=1')).exchanges[0]
        return newest !== undefined && newest.state !== 'running'
      })
      if (newest === undefined) throw new Error('there is no exchange')
      return newest
    },
  }
}

/** Resolves as soon as the condition holds. */
export async function eventually(
  condition: () => Promise<boolean>,
  end = performance.now() + 5000,
): Promise<void> {
  if (await condition()) return
  if (performance.now() > end) throw new Error(`it never came to be: ${condition.toString()}`)
  await sleep(20)
  await eventually(condition, end)
}

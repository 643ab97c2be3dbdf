export { createFetch, type Fetch, type FetchOptions } from './fetch/create-fetch.ts'
export type { AdapterOptions } from './adapter-options.ts'
export type { UpstreamOptions } from './fetch/translated-fetch.ts'

import { defaultDialect } from '@dragoman/core'
import { stringify } from 'yaml'
import type { Upstream } from '../config/config.ts'
import type { CheckedFinding, ModelRemedy, Remedy } from './finding.ts'

/** What the configuration has to say for this upstream and this model. */
export interface Prescription {
  readonly upstream: {
    readonly name: string
    readonly url: string
    readonly dialect: Upstream['dialect']
    /** The variable that holds the key. The key itself is never written. */
    readonly keyVariable: string | undefined
  }
  readonly model: string
  readonly remedy: Required<Remedy>
}

export function remedyOf(findings: readonly CheckedFinding[]): Required<Remedy> {
  const remedies = findings.flatMap(({ remedy }) => (remedy === undefined ? [] : [remedy]))
  const model: ModelRemedy = Object.assign({}, ...remedies.map((remedy) => remedy.model))
  // With the tools in the prompt the server is told of none, so that there is nothing for it to read.
  const upstream: Remedy['upstream'] =
    model.tools === 'prompt' ? {} : Object.assign({}, ...remedies.map((remedy) => remedy.upstream))
  return { upstream: upstream ?? {}, model }
}

/** Whether the upstream works without any line of configuration. */
export function isNeedless({ remedy }: Prescription): boolean {
  return Object.keys(remedy.upstream).length === 0 && Object.keys(remedy.model).length === 0
}

/** The settings of the upstream and of the model, as they stand in a file. */
export function settingsOf({ upstream, model, remedy }: Prescription): {
  readonly upstream: Readonly<Record<string, unknown>>
  readonly rule: Readonly<Record<string, unknown>>
} {
  const { name, url, dialect, keyVariable } = upstream
  return {
    upstream: {
      url,
      ...(dialect === defaultDialect ? {} : { dialect }),
      ...(keyVariable === undefined ? {} : { apiKey: `\${${keyVariable}}` }),
      ...remedy.upstream,
    },
    rule: { match: '*', upstream: name, ...(model === '' ? {} : { model }), ...remedy.model },
  }
}

export function configOf(prescription: Prescription): {
  readonly upstreams: Readonly<Record<string, unknown>>
  readonly models: readonly unknown[]
} {
  const { upstream, rule } = settingsOf(prescription)
  return { upstreams: { [prescription.upstream.name]: upstream }, models: [rule] }
}

export function configLines(prescription: Prescription): string {
  return stringify(configOf(prescription), { lineWidth: 0 })
}

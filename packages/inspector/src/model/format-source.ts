import type { ExchangeSummary } from '../api.ts'

/** How the format of an exchange is known, in words. */
export const toldBy: Readonly<Record<NonNullable<ExchangeSummary['formatFrom']>, string>> = {
  configuration: 'the configuration',
  model: 'the name of the model',
  stream: 'what the model wrote',
}

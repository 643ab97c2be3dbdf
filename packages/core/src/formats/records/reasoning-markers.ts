import type { ReasoningMarkers } from '../format.ts'

/** What most models think in. */
export const think: ReasoningMarkers = { begin: '<think>', end: '</think>' }

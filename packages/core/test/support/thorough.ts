/** Whether every combination is tried, as `.ci/run` does. `npm test` tries a share of each, so that it is over sooner. */
export const isThorough = process.env['THOROUGH'] !== undefined

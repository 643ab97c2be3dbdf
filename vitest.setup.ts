import * as fc from 'fast-check'

// The same cases in every run, so that a change is judged by what it changed. SEED=random looks further:
// what it finds is printed with its seed.
const seed = process.env['SEED'] ?? '20261115'
if (seed !== 'random') fc.configureGlobal({ seed: Number(seed) })

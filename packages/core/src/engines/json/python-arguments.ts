import type { ArgumentsOutput } from './arguments-reader.ts'

/** For models whose own syntax is Python's: its spelling is nothing to report. Every other repair is. */
export function expectingPython(output: ArgumentsOutput): ArgumentsOutput {
  return {
    delta: (json) => output.delta(json),
    holdBack: (before) => output.holdBack(before),
    release: () => output.release(),
    isOver: () => output.isOver(),
    repair: (code) => {
      if (code !== 'python-literal') output.repair(code)
    },
  }
}

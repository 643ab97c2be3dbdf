import { execFileSync } from 'node:child_process'

/** The processes that this one has started and that still run. */
export function childrenOf(pid: number | undefined): number[] {
  const list = execFileSync('ps', ['-e', '-o', 'ppid=,pid='], { encoding: 'utf8' })
  return list.split('\n').flatMap((line) => {
    const [parent, own] = line.trim().split(/\s+/)
    return parent === String(pid) ? [Number(own)] : []
  })
}

import { checks } from './checks/check-list.ts'
import { type Check, type CheckedFinding, skipped } from './finding.ts'
import type { Patient } from './patient.ts'

/** Makes every check, one after the other, and tells each finding as it comes. */
export async function* examine(
  patient: Patient,
  onCheck: (check: Check) => void = () => {},
): AsyncGenerator<CheckedFinding> {
  const blocked = new Set<string>()
  for (const check of checks) {
    onCheck(check)
    // A generator waits for what it yields before it goes on.
    yield diagnosed(check, patient, blocked)
  }
}

/** `blocked` has the checks that failed, and those that were not made for that reason. */
async function diagnosed(check: Check, patient: Patient, blocked: Set<string>): Promise<CheckedFinding> {
  const { id, title, needs } = check
  const missing = checks.find((each) => needs.includes(each.id) && blocked.has(each.id))
  if (missing !== undefined) {
    blocked.add(id)
    return { id, title, ...skipped(`not looked at: it needs "${missing.title}"`), blockedBy: missing.id }
  }
  const finding = await check.run(patient)
  if (finding.status === 'fail') blocked.add(id)
  return { id, title, ...finding }
}

/** Whether agents would work with this upstream, with the remedies that were found. */
export function isWell(findings: readonly CheckedFinding[]): boolean {
  return findings.every(({ status }) => status !== 'fail')
}

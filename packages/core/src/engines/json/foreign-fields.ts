import { problemCodes } from '../../problems.ts'
import type { CallWriter } from '../call-writer.ts'
import type { ToolSet } from '../tool-set.ts'

/** Fields of the object around a call that have no known meaning. They may still turn out to be the arguments. */
export class ForeignFields {
  private fields: { readonly key: string; readonly json: string }[] = []

  add(key: string, json: string): void {
    this.fields.push({ key, json })
  }

  /** Whether each of them is a parameter of the tool. */
  fit(tool: string, tools: ToolSet): boolean {
    const properties = tools.properties(tool) ?? {}
    return this.fields.every(({ key }) => Object.hasOwn(properties, key))
  }

  /** All of them as one object. Nothing is left to report then. */
  takeAsObject(): string {
    const members = this.fields.map(({ key, json }) => `${JSON.stringify(key)}:${json}`)
    this.fields = []
    return `{${members.join(',')}}`
  }

  /** They mean nothing: whoever wrote them shall hear of it. */
  report(writer: CallWriter): void {
    for (const { key, json } of this.fields) {
      writer.problem('extra-field', problemCodes['extra-field'], `${JSON.stringify(key)}:${json}`)
    }
    this.fields = []
  }
}

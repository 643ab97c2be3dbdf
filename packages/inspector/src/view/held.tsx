import type { JSX } from 'preact'
import { oneLine } from '../model/visible.ts'
import type { OutputTrace } from '../reading/protocol.ts'

interface HeldProps {
  readonly held: OutputTrace['held']
  /** The text of which it is the end. */
  readonly text: string
}

/** What has come and was not passed on yet, and why. */
export function Held({ held, text }: HeldProps): JSX.Element {
  if (held === null) return <>Nothing is held.</>
  return (
    <>
      Held: <code class="k k-held">{oneLine(text.slice(held.from, held.to), 60)}</code> · {held.message}
    </>
  )
}

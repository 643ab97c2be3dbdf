import type { JSX } from 'preact'
import { shown } from '../model/visible.ts'

/** Text of a model: characters that would hide or mislead are signs. It never becomes markup of the page. */
export function ShownText({ text }: { readonly text: string }): JSX.Element {
  return (
    <>
      {shown(text).map((part) =>
        'text' in part ? (
          part.text
        ) : (
          <span class="sign" title={part.name}>
            {part.sign}
          </span>
        ),
      )}
    </>
  )
}

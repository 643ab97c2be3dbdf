import type { JSX, TargetedKeyboardEvent } from 'preact'

interface TabsProps<Id extends string> {
  readonly label: string
  readonly tabs: readonly { readonly id: Id; readonly name: string }[]
  readonly chosen: Id
  readonly onChoose: (id: Id) => void
}

/** Tabs as a keyboard expects them: one stop, arrows between them. */
export function Tabs<Id extends string>({ label, tabs, chosen, onChoose }: TabsProps<Id>): JSX.Element {
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const at = tabs.findIndex(({ id }) => id === chosen)
    const next = tabs[(at + step + tabs.length) % tabs.length]
    if (next === undefined) return
    onChoose(next.id)
    const buttons = event.currentTarget.querySelectorAll('button')
    buttons[tabs.indexOf(next)]?.focus()
  }
  return (
    <div class="tabs" role="tablist" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map(({ id, name }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === chosen}
          tabIndex={id === chosen ? 0 : -1}
          onClick={() => onChoose(id)}
        >
          {name}
        </button>
      ))}
    </div>
  )
}

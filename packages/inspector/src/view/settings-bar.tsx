import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../reading/ask.ts'
import type { FormatChoice, ReadingSettings } from '../reading/protocol.ts'

interface SettingsBarProps {
  readonly settings: ReadingSettings
  readonly onChange: (settings: ReadingSettings) => void
  /** Further settings. */
  readonly children?: ComponentChildren
}

/** The formats that the parser knows, once the worker has told. */
export function useFormats(): readonly FormatChoice[] {
  const [formats, setFormats] = useState<readonly FormatChoice[]>([])
  useEffect(() => {
    void ask('formats', null).then(setFormats)
  }, [])
  return formats
}

/** Everything that decides how a text is read. */
export function SettingsBar({ settings, onChange, children }: SettingsBarProps): JSX.Element {
  const formats = useFormats()
  const set = (change: Partial<ReadingSettings>): void => onChange({ ...settings, ...change })
  const known = formats.map(({ id }) => id)
  const names =
    known.includes(settings.format) || settings.format === 'auto' ? known : [settings.format, ...known]
  return (
    <div class="settings">
      <Choice
        label="Format"
        means="How the model writes its calls"
        value={settings.format}
        options={asNamed('auto', ...names)}
        onChoose={(format) => set({ format })}
      />
      <label class="field" title="Its name may tell the format">
        <span>Model</span>
        <input
          type="text"
          value={settings.model}
          placeholder="any name"
          spellcheck={false}
          onInput={(event) => set({ model: event.currentTarget.value })}
        />
      </label>
      <Choice
        label="Channel"
        means="Whether plain text came as the answer or as reasoning"
        value={settings.channel}
        options={channels}
        onChoose={(channel) => set({ channel })}
      />
      <Choice
        label="Starts in reasoning"
        means="Whether the prompt opened the reasoning, so that the output begins inside of it"
        value={settings.prompt}
        options={prompts}
        onChoose={(prompt) => set({ prompt })}
      />
      <Choice
        label="Delivery"
        means="Whether arguments are passed on as they come, or each call when it is whole"
        value={settings.delivery}
        options={deliveries}
        onChoose={(delivery) => set({ delivery })}
      />
      <Choice
        label="Calls"
        means="Whether calls are read, or taken out and lost"
        value={settings.calls}
        options={callUses}
        onChoose={(calls) => set({ calls })}
      />
      <Choice
        label="Ended by"
        means="Why the model stopped, where the input does not say it"
        value={settings.end}
        options={ends}
        onChoose={(end) => set({ end })}
      />
      {children}
      <label
        class="field field-wide"
        title="What the client offered. Arguments take the types that it declares."
      >
        <span>
          Tools <span class="hint">{settings.tools.trim() === '' ? 'not known' : ''}</span>
        </span>
        <textarea
          rows={2}
          value={settings.tools}
          placeholder={'{"get_weather": {"city": "string"}} or a list of definitions'}
          spellcheck={false}
          onInput={(event) => set({ tools: event.currentTarget.value })}
        />
      </label>
    </div>
  )
}

type Options<Value extends string> = readonly (readonly [value: Value, name: string])[]

/** What is called as it is written in the settings. */
function asNamed<Value extends string>(...values: readonly Value[]): Options<Value> {
  return values.map((value) => [value, value])
}

const channels = asNamed<ReadingSettings['channel']>('content', 'reasoning')
const prompts: Options<ReadingSettings['prompt']> = [
  ['unknown', 'not known'],
  ['opened', 'the prompt opened it'],
  ['not-opened', 'no'],
]
const deliveries = asNamed<ReadingSettings['delivery']>('incremental', 'complete')
const callUses = asNamed<ReadingSettings['calls']>('read', 'remove')
const ends: Options<ReadingSettings['end']> = [
  ['unknown', 'not known'],
  ...asNamed<ReadingSettings['end']>('stop', 'length', 'tool_calls', 'error'),
]

interface ChoiceProps<Value extends string> {
  readonly label: string
  /** What is chosen, for who has never seen it. */
  readonly means: string
  readonly value: Value
  readonly options: Options<Value>
  readonly onChoose: (value: Value) => void
}

function Choice<Value extends string>(props: ChoiceProps<Value>): JSX.Element {
  const { label, means, value, options, onChoose } = props
  const choose = (chosen: string): void => {
    const option = options.find(([id]) => id === chosen)
    if (option !== undefined) onChoose(option[0])
  }
  return (
    <label class="field" title={means}>
      <span>{label}</span>
      <select value={value} onChange={(event) => choose(event.currentTarget.value)}>
        {options.map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
    </label>
  )
}

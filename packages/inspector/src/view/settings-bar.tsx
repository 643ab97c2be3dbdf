import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ask } from '../reading/ask.ts'
import type { FormatChoice, ReadingSettings } from '../reading/protocol.ts'

interface SettingsBarProps {
  readonly settings: ReadingSettings
  readonly onChange: (settings: ReadingSettings) => void
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
export function SettingsBar({ settings, onChange }: SettingsBarProps): JSX.Element {
  const formats = useFormats()
  const set = (change: Partial<ReadingSettings>): void => onChange({ ...settings, ...change })
  const known = formats.map(({ id }) => id)
  const names = known.includes(settings.format) || settings.format === 'auto' ? known : [settings.format, ...known]
  return (
    <div class="settings">
      <Choice label="Format" value={settings.format} onChoose={(format) => set({ format })}>
        <option value="auto">auto</option>
        {names.map((id) => (
          <option key={id} value={id}>
            {id}
          </option>
        ))}
      </Choice>
      <label class="field">
        <span>Model</span>
        <input
          type="text"
          value={settings.model}
          placeholder="any name"
          spellcheck={false}
          onInput={(event) => set({ model: event.currentTarget.value })}
        />
      </label>
      <Choice label="Channel" value={settings.channel} onChoose={(channel) => set({ channel })}>
        <option value="content">content</option>
        <option value="reasoning">reasoning</option>
      </Choice>
      <Choice label="Starts in reasoning" value={settings.prompt} onChoose={(prompt) => set({ prompt })}>
        <option value="unknown">not known</option>
        <option value="opened">the prompt opened it</option>
        <option value="not-opened">no</option>
      </Choice>
      <Choice label="Delivery" value={settings.delivery} onChoose={(delivery) => set({ delivery })}>
        <option value="incremental">incremental</option>
        <option value="complete">complete</option>
      </Choice>
      <Choice label="Calls" value={settings.calls} onChoose={(calls) => set({ calls })}>
        <option value="read">read</option>
        <option value="remove">remove</option>
      </Choice>
      <Choice label="Ended by" value={settings.end} onChoose={(end) => set({ end })}>
        <option value="unknown">not known</option>
        <option value="stop">stop</option>
        <option value="length">length</option>
        <option value="tool_calls">tool_calls</option>
        <option value="error">error</option>
      </Choice>
      <label class="field field-wide">
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

interface ChoiceProps<Value extends string> {
  readonly label: string
  readonly value: Value
  readonly onChoose: (value: Value) => void
  readonly children: ComponentChildren
}

function Choice<Value extends string>({ label, value, onChoose, children }: ChoiceProps<Value>): JSX.Element {
  return (
    <label class="field">
      <span>{label}</span>
      {/* The options are those of the type. */}
      <select value={value} onChange={(event) => onChoose(event.currentTarget.value as Value)}>
        {children}
      </select>
    </label>
  )
}

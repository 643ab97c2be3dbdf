import { spacedJson } from './json.ts'
import type { Writing, WrittenCall } from './writing.ts'

/**
 * The families whose answers consist of messages or blocks, each with a header. For some of them the role before the
 * first header is part of the prompt. It is written here, as a call may stand in any field.
 */
export const channelWritings: readonly Writing[] = [
  {
    kind: 'text',
    id: 'harmony',
    formats: ['gpt-oss'],
    models: ['gpt-oss-20b', 'gpt-oss-120b'],
    title: 'gpt-oss (Harmony)',
    grammar: 'harmony',
    gap: '',
    thinking: (thought) => `<|start|>assistant<|channel|>analysis<|message|>${thought}<|end|>`,
    text: (text) => `<|start|>assistant<|channel|>commentary<|message|>${text}<|end|>`,
    end: '<|call|>',
    calls: (calls) =>
      calls
        .map(
          ({ name, arguments: values }) =>
            `<|start|>assistant to=functions.${name}<|channel|>commentary json<|message|>${spacedJson(values)}`,
        )
        .join('<|call|>'),
  },
  {
    kind: 'text',
    id: 'muse-glimmer',
    formats: ['muse'],
    models: ['muse-glimmer'],
    title: 'Muse Glimmer',
    grammar: 'muse-glimmer',
    gap: '',
    thinking: (thought) => `<|start|>assistant to=self<|message|>${thought}<|eom|>`,
    text: (text) => `<|start|>assistant to=user<|message|>${text}<|eom|>`,
    end: '<|eot|>',
    calls: (calls) =>
      calls.map((call) => `<|start|>assistant to=${call.name}<|message|>${atem(call)}`).join('<|eom|>'),
  },
  {
    kind: 'text',
    id: 'cohere-action',
    formats: ['cohere'],
    models: ['command-a', 'command-r7b'],
    title: 'Cohere Command R7B and A',
    grammar: 'cohere-action',
    gap: '',
    thinking: (thought) => `<|START_THINKING|>${thought}<|END_THINKING|>`,
    text: (text) => `<|START_RESPONSE|>${text}<|END_RESPONSE|>`,
    calls: (calls, startIndex) =>
      calls.length === 0 ? '' : `<|START_ACTION|>[\n${actions(calls, startIndex)}\n]<|END_ACTION|>`,
  },
  {
    kind: 'text',
    id: 'cohere-r-plus',
    formats: ['cohere'],
    models: ['command-r', 'command-r-plus'],
    title: 'Cohere Command R and R+',
    grammar: 'cohere-r-plus',
    gap: '\n',
    // This model has no thinking of its own; a plan comes closest.
    thinking: (thought) => `Plan: ${thought}\n`,
    calls: (calls) => (calls.length === 0 ? '' : `Action:\n\`\`\`json\n${actionList(calls)}\`\`\``),
  },
  {
    kind: 'text',
    id: 'solar-open',
    formats: ['solar'],
    models: ['solar-open-100b'],
    title: 'Solar Open',
    grammar: 'solar-open',
    gap: '',
    thinking: (thought) => `<|think|>${thought}<|end|><|begin|>assistant`,
    text: (text) => `<|content|>${text}<|end|><|begin|>assistant`,
    calls: (calls, startIndex) =>
      calls.length === 0
        ? ''
        : `<|tool_calls|>${calls.map((call, at) => solar(call, startIndex + at)).join('')}`,
  },
  {
    kind: 'text',
    id: 'inkling',
    formats: ['inkling'],
    models: ['inkling'],
    title: 'Inkling',
    grammar: 'inkling',
    gap: '',
    thinking: (thought) => `<|message_model|><|content_thinking|>${thought}<|end_message|>`,
    text: (text) => `<|message_model|><|content_text|>${text}<|end_message|>`,
    end: '<|content_model_end_sampling|>',
    calls: (calls) => calls.map(invocation).join(''),
  },
]

function atem({ name, arguments: values }: WrittenCall): string {
  const parameters = Object.entries(values).map(
    ([key, value]) =>
      `<atem:parameter name="${key}">${typeof value === 'string' ? value : spacedJson(value)}</atem:parameter>`,
  )
  return [
    '<atem:function_calls>',
    `<atem:invoke name="${name}">`,
    ...parameters,
    '</atem:invoke>',
    '</atem:function_calls>',
  ].join('\n')
}

function actions(calls: readonly WrittenCall[], startIndex: number): string {
  return calls
    .map(({ name, arguments: parameters }, index) =>
      spacedJson({ tool_call_id: String(startIndex + index), tool_name: name, parameters }),
    )
    .map((action) => `    ${action}`)
    .join(',\n')
}

function actionList(calls: readonly WrittenCall[]): string {
  const list = calls.map(({ name, arguments: parameters }) => ({ tool_name: name, parameters }))
  return JSON.stringify(list, undefined, 4)
}

function solar({ name, arguments: values }: WrittenCall, index: number): string {
  const id = index.toString(16).padStart(9, '0')
  return `<|tool_call:begin|>${id}<|tool_call:name|>${name}<|tool_call:args|>${spacedJson(values)}<|tool_call:end|>`
}

function invocation({ name, arguments: args }: WrittenCall): string {
  return `<|message_model|><|content_invoke_tool_json|>${spacedJson({ name, args })}<|end_message|>`
}

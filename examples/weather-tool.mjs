// The tool that every example offers. It remembers that it ran: an example in which it did not has failed.
export const weather = {
  name: 'get_weather',
  description: 'The weather in a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
  },
}

export const question = 'What is the weather in Paris?'

let runs = 0

export function getWeather({ city }) {
  runs++
  console.log(`\n(get_weather runs for ${city})`)
  return `${city}: 21 °C and sunny`
}

export function expectToolRan() {
  if (runs > 0) return
  console.error('The tool did not run.')
  process.exitCode = 1
}

// What has to be true of a task of two rounds, whoever the client was.

/** Throws where a client did not do its task. Of each client its own file tells what it did. */
export function judge({ calls, read, answer }, { contents }, expectedCalls) {
  console.log(`  calls: ${calls.join(', ')}; answer: ${JSON.stringify(answer)}`)
  const faults = [
    ...contents.filter((content) => !read.includes(content)).map((content) => `no tool read ${content}`),
    ...(answer.includes(contents.at(-1)) ? [] : ['the answer does not quote the last result']),
    ...(/history problem|<\|/.test(read + answer) ? ['a history problem or a marker came through'] : []),
    ...(calls.join() === expectedCalls.join() ? [] : [`the calls should be ${expectedCalls.join(', ')}`]),
  ]
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

/** The calls in the answers that a gateway gave, by its log. */
export function callsIn(requests) {
  const failed = requests.filter(({ failure }) => failure !== undefined && failure !== null)
  if (failed.length > 0) throw new Error(failed.map(({ failure }) => failure).join('\n'))
  return requests.flatMap(({ calls }) => calls ?? [])
}

/** What the model was told last: the results of all the tools are in it. */
export function lastTold(recordings) {
  return JSON.stringify(JSON.parse(recordings.at(-1).upstream.request).messages.slice(1))
}

/** Throws where a model that thinks was not told again what it thought before each of its two calls. */
export function expectThoughts(told, model) {
  if (!model.endsWith('-thinking')) return
  const count = told.split('A simulated thought').length - 1
  if (count !== 2) throw new Error(`of the thoughts before two calls ${count} came back to ${model}`)
}

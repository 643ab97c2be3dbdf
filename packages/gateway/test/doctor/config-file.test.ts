import { describe, expect, it } from 'vitest'
import { starterConfig } from '../../src/cli/starter-config.ts'
import { changedLines, withPrescription } from '../../src/doctor/config-file.ts'
import type { Remedy } from '../../src/doctor/finding.ts'
import type { Prescription } from '../../src/doctor/prescription.ts'
import { matchModel } from '../../src/config/match-model.ts'
import { accepted } from '../config/fake-world.ts'

const url = 'http://10.0.0.5:8000/v1'

function prescription(remedy: Remedy, keyVariable?: string): Prescription {
  return {
    upstream: { name: 'main', url, dialect: 'openai-chat', keyVariable },
    model: 'kimi-k2',
    remedy: { upstream: {}, model: {}, ...remedy },
  }
}

const parseOurs: Remedy = { upstream: { kind: 'vllm', parse: 'ours' } }
const inPrompt: Remedy = { model: { tools: 'prompt', format: 'hermes' } }

describe('a configuration file with a prescription', () => {
  it('keeps its comments, its order and everything else', () => {
    const before = [
      '# the gateway of the lab',
      'listen: { port: 9999 }',
      '',
      'upstreams:',
      '  # the big machine',
      '  lab:',
      '    url: http://10.0.0.5:8000/v1/',
      '    apiKey: "${LAB_KEY}" # not the one of the cloud',
      'models:',
      '  # first the small one',
      '  - { match: "claude-*", upstream: lab, model: kimi-k2 } # Claude Code',
      '  - { match: "*", upstream: lab }',
      '',
    ].join('\n')
    const after = withPrescription(before, prescription({ ...parseOurs, ...inPrompt }), 'there')
    expect(changedLines(before, after)).toEqual([
      '+     kind: vllm',
      '+     parse: ours',
      '-   - { match: "claude-*", upstream: lab, model: kimi-k2 } # Claude Code',
      '+   - { match: "claude-*", upstream: lab, model: kimi-k2, tools: prompt, format: hermes } # Claude Code',
    ])
  })

  it('gets a rule in front of the others where none is for this very model', async () => {
    const before = `upstreams:\n  lab: { url: "${url}" }\nmodels:\n  # all of them\n  - { match: "*", upstream: lab }\n`
    const after = withPrescription(before, prescription(inPrompt), 'there')
    const config = await accepted({ yaml: after })
    expect(matchModel(config, 'kimi-k2')).toMatchObject({ model: 'kimi-k2', tools: 'prompt' })
    expect(matchModel(config, 'another')).toMatchObject({ model: 'another', tools: 'native' })
    expect(after.indexOf('# all of them')).toBeLessThan(after.indexOf('kimi-k2'))
  })

  it('gets the upstream where it has none of this address, under a name that is free', async () => {
    const before = 'upstreams:\n  main: { url: "https://other.example/v1" }\n'
    const after = withPrescription(before, prescription(parseOurs, 'LAB_KEY'), 'there')
    const config = await accepted({ yaml: after, env: { LAB_KEY: 'canary-secret' } })
    expect(after).toContain('${LAB_KEY}')
    expect(after).not.toContain('canary-secret')
    expect(matchModel(config, 'kimi-k2')?.upstream).toMatchObject({
      name: 'main2',
      url,
      kind: 'vllm',
      parse: 'ours',
    })
  })

  it('sends every name to the model where the file is new', async () => {
    const starter = starterConfig({ upstream: url, keyVariable: undefined })
    const after = withPrescription(starter, prescription(inPrompt), 'new')
    const config = await accepted({ yaml: after })
    expect(matchModel(config, 'claude-sonnet')).toMatchObject({
      model: 'kimi-k2',
      tools: 'prompt',
      format: 'hermes',
    })
    expect(after).toContain('# The configuration of Dragoman.')
    expect(after).toContain('# - { match: "claude-*", upstream: main, model: NAME-OF-THE-MODEL-THERE }')
  })

  it('that is new differs from the starter in the one rule alone', () => {
    const starter = starterConfig({ upstream: url, keyVariable: undefined })
    const after = withPrescription(starter, prescription(inPrompt), 'new')
    expect(changedLines(starter, after)).toEqual([
      '-   - { match: "*", upstream: main }',
      '+   - { match: "*", upstream: main, model: kimi-k2, tools: prompt, format: hermes }',
    ])
  })

  it('is the same when it is written again', () => {
    const starter = starterConfig({ upstream: url, keyVariable: 'LAB_KEY' })
    const given = prescription({ ...parseOurs, ...inPrompt }, 'LAB_KEY')
    const once = withPrescription(starter, given, 'new')
    expect(withPrescription(once, given, 'there')).toBe(once)
  })

  it('whose sections are commented out or missing gets them', async () => {
    for (const before of ['', '# nothing yet\n', 'upstreams:\n  # lab: {}\nmodels:\n  # none\n']) {
      const config = await accepted({ yaml: withPrescription(before, prescription(inPrompt), 'there') })
      expect(matchModel(config, 'any')).toMatchObject({ model: 'kimi-k2', tools: 'prompt' })
    }
  })
})

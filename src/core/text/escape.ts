/** Control characters except tab and line feed, characters that change the text direction, and characters without width. */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** Invisible, and allows no line break. It splits a word for GitHub's linking. */
const WORD_JOINER = '\u2060';

/** Removes the characters of an untrusted text that people cannot see (T55). Every kind of line ending becomes `\n`. */
export function stripInvisible(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/gu, '\n').replaceAll(INVISIBLE, '');
}

/** An untrusted text as a code block, whose fence is longer than any run of backticks in the text. */
export function toFence(text: string, language: 'text' | 'diff' | 'sh' = 'text'): string {
  const clean = stripInvisible(text).replace(/\n+$/u, '');
  const fence = '`'.repeat(Math.max(3, toLongestRun(clean) + 1));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** An untrusted text as inline code on one line: no mention, no reference, no link. Empty text gives a code span with a space. */
export function toInlineCode(text: string): string {
  const clean = toOneLine(text);
  if (clean === '') return '` `';
  const run = toLongestRun(clean);
  const ticks = '`'.repeat(run + 1);
  return run === 0 ? `\`${clean}\`` : `${ticks} ${clean} ${ticks}`;
}

/** Begins what GitHub makes live in prose: a mention, an issue, an address, an emoji. Times (`10:00:00`) are none. */
const LIVE = /@|#|:(?=\/\/)|\bGH-(?=\d)|\bwww(?=\.)|:(?!\d\d:)(?=[\w+-]+:)/giu;
/** What may be the id of a commit, which GitHub links from seven digits on. Short numbers and words are none. */
const COMMIT_ID = /(?<!\w)(?:[\da-f]{40}|(?=\d*[a-f])(?=[a-f]*\d)[\da-f]{7,39})(?!\w)/giu;
const MAX_UNLINKED = 6;
const UNLINKED = new RegExp(`.{${String(MAX_UNLINKED)}}(?=.)`, 'gu');

/** A name between single backticks, as messages write it. */
const CODE = /(?<!`)(`[^`]+`)(?!`)/u;

/**
 * An untrusted text as prose on one line. What stands between single backticks is inline code; all other Markdown and HTML is
 * escaped, and a word joiner keeps GitHub from linking `@name`, `#1`, `GH-1`, ids of commits and URLs, and from making an emoji of
 * `:name:`. `maxLength` is in UTF-16 code units.
 */
export function toPlainText(text: string, maxLength: number): string {
  const clean = toOneLine(text);
  const cut =
    clean.length > maxLength
      ? `${clean
          .slice(0, maxLength)
          .toWellFormed()
          .replace(/\uFFFD$/u, '')}…`
      : clean;
  return cut
    .split(CODE)
    .map((piece, index) => (index % 2 === 1 ? toInlineCode(piece.slice(1, -1)) : escapeProse(piece)))
    .join('')
    .replace(/^(?<number>\d*)(?=[-+=.)])/u, '$<number>\\');
}

function escapeProse(text: string): string {
  return text
    .replaceAll(LIVE, (mark) => `${mark}${WORD_JOINER}`)
    .replaceAll(COMMIT_ID, (id) => id.replaceAll(UNLINKED, `$&${WORD_JOINER}`))
    .replaceAll(/[\\`*_[\]<>#~&$]/gu, String.raw`\$&`);
}

/**
 * An untrusted name in a commit message, on one line. GitHub acts on a message wherever the commit goes, so nothing in it may be
 * live: no mention, no reference that a word before it could close, no URL, no emoji, no `[skip ci]`, no id of a commit. Marks that
 * could make it live become blanks, because a message should not hold invisible characters.
 */
export function toInertName(name: string, maxLength: number): string {
  return toOneLine(name)
    .replaceAll(/[^\p{L}\p{N} _.,:/()+-]/gu, ' ')
    .replaceAll(/:(?=\/)|:(?!\d\d:)(?=[\w+-]+:)|(?<=\bGH)-(?=\d)/giu, ' ')
    .replaceAll(COMMIT_ID, (id) => `${id.slice(0, MAX_UNLINKED)}…`)
    .replaceAll(/ {2,}/gu, ' ')
    .trim()
    .slice(0, maxLength)
    .toWellFormed();
}

/** An untrusted text without what people cannot see, on one line. */
export function toOneLine(text: string): string {
  return stripInvisible(text).replaceAll(/\s+/gu, ' ').trim();
}

function toLongestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return longest;
}

/** Controls but tab and line feed, all that changes the direction of text, and what has no width: nothing of it is for readers. */
const INVISIBLE =
  /[\u0000-\u0008\u000B-\u001F\u007F-\u009F\u00AD\u034F\u061C\u115F\u1160\u17B4\u17B5\u180B-\u180F\u200B-\u200F\u2028-\u202E\u2060-\u206F\u3164\uFE00-\uFE0F\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E0FFF}]/gu;

/** Has no width and no break: what stands on its sides is no longer one word. */
const WORD_JOINER = '\u2060';

/** Untrusted text without the characters that people cannot see (T55); every kind of line end becomes `\n`. */
export function stripInvisible(text: string): string {
  return text.toWellFormed().replaceAll(/\r\n?/gu, '\n').replaceAll(INVISIBLE, '');
}

/** Untrusted text as a code block, in a fence longer than any run of backticks in it. */
export function toFence(text: string, language: 'text' | 'diff' | 'sh' = 'text'): string {
  const clean = stripInvisible(text).replace(/\n+$/u, '');
  const fence = '`'.repeat(Math.max(3, toLongestRun(clean) + 1));
  return `${fence}${language}\n${clean}\n${fence}`;
}

/** Untrusted text on one line as inline code: no mention, no reference, no link. Empty text gives empty code. */
export function toInlineCode(text: string): string {
  const clean = toOneLine(text);
  if (clean === '') return '` `';
  const run = toLongestRun(clean);
  const ticks = '`'.repeat(run + 1);
  return run === 0 ? `\`${clean}\`` : `${ticks} ${clean} ${ticks}`;
}

/**
 * Untrusted text on one line as prose: every mark of Markdown and HTML is escaped, and a word joiner breaks what GitHub links
 * by itself (`@name`, `#1`, `GH-1`, addresses). `maxLength` is in characters.
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
    .replaceAll(/[\\`*_[\]<>#~&$]/gu, String.raw`\$&`)
    .replace(/^(?<number>\d*)(?=[-+=.)])/u, '$<number>\\')
    .replaceAll(/@|#|:(?=\/\/)|\bGH-(?=\d)|\bwww(?=\.)/giu, (mark) => `${mark}${WORD_JOINER}`);
}

function toOneLine(text: string): string {
  return stripInvisible(text).replaceAll(/\s+/gu, ' ').trim();
}

function toLongestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/gu)) longest = Math.max(longest, run.length);
  return longest;
}

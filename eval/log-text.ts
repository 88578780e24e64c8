const ANSI = /\u001B\[[\d;?]*[ -/]*[@-~]|\u001B\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|\u001B[=>78]/gu;
/** A label may begin within such a code. */
const CUT_ANSI = /^[=>](?=\u001B)/u;
/** Some logs kept the end of a colour code and lost its escape character. */
const BARE_ANSI = /\[(?:\d+;?)*[mKGJ]/gu;
const TIMESTAMP = /^\uFEFF?\d{4}-\d{2}-\d{2}T[\d:]{8}(?:\.\d+)?Z ?/u;
const BLANKS = /[\p{Cc}\s\u200B-\u200F\uFEFF]+/gu;

/**
 * A line of a log without what a view of it may drop or change: colours, timestamp, width of blanks. The evaluation has rules of
 * its own for this, because a fault in ours must not hide itself.
 */
export function toComparableLine(line: string): string {
  return line
    .replace(CUT_ANSI, '')
    .replaceAll(ANSI, '')
    .replace(TIMESTAMP, '')
    .replaceAll(BARE_ANSI, '')
    .replaceAll(BLANKS, ' ')
    .trim();
}

export function toComparableText(text: string): string {
  return text.split('\n').map(toComparableLine).join('\n');
}

/** A comparable line whose numbers count as equal. */
export function withoutNumbers(line: string): string {
  return toComparableLine(line).replaceAll(/\d+/gu, '#');
}

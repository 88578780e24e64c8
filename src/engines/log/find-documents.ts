/** Limits of what is looked at in one log. */
const MAX_DOCUMENTS = 40;
const MAX_DOCUMENT_LINES = 50_000;
const MAX_TOTAL_LENGTH = 4 * 1024 * 1024;

/** A list of objects or an object. Other JSON is no report. */
const ONE_LINE = /^(?:\[\{.*\}\]|\{".*\})$/u;
const OPENING = /^(?:\[|\{|\[\{)$/u;

/**
 * The texts in a log that may be JSON reports of tools: documents of one line, pretty-printed ones whose first and last lines are
 * brackets at the margin, and neighbouring objects of one line each as one text. They are not parsed.
 */
export function findDocuments(lines: readonly string[]): readonly string[] {
  const found: string[] = [];
  let left = MAX_TOTAL_LENGTH;
  for (let index = 0; index < lines.length && found.length < MAX_DOCUMENTS; ) {
    const count = toLength(lines, index);
    if (count > 0) {
      const text = lines.slice(index, index + count).join('\n');
      left -= text.length;
      if (left < 0) break;
      found.push(text);
    }
    index += Math.max(1, count);
  }
  return found;
}

/** The number of lines of the document that starts here; 0 if none does. */
function toLength(lines: readonly string[], from: number): number {
  const first = lines[from] ?? '';
  if (ONE_LINE.test(first)) return first.startsWith('[') ? 1 : countWhile(lines, from, (line) => ONE_LINE.test(line));
  if (!OPENING.test(first)) return 0;
  const closing = first === '[{' ? '}]' : first.replace('[', ']').replace('{', '}');
  const end = lines.slice(from, from + MAX_DOCUMENT_LINES).indexOf(closing);
  return end < 0 ? 0 : end + 1;
}

function countWhile(lines: readonly string[], from: number, isPart: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index >= from && !isPart(line));
  return (end < 0 ? lines.length : end) - from;
}

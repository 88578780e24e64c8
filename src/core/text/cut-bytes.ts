/** Marks where text was left out. */
const CUT_NOTE = '… (cut)';

/** Length of `text` in bytes of UTF-8, as GitHub counts it. */
export function toByteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Markdown blocks that are open at a line. */
interface Open {
  readonly fence: string | null;
  readonly details: number;
}

const NOTHING_OPEN: Open = { fence: null, details: 0 };

/**
 * The start of a Markdown text in at most `maxBytes` bytes of UTF-8, cut at the end of a line, with a note, and with open code
 * fences and `<details>` closed. GitHub's limits are bytes, not characters.
 */
export function cutBytes(text: string, maxBytes: number): string {
  if (toByteLength(text) <= maxBytes) return text;
  let open = NOTHING_OPEN;
  let bytes = 0;
  let best = '';
  const kept: string[] = [];
  for (const line of text.split('\n')) {
    const next = toOpen(open, line);
    bytes += toByteLength(line) + 1;
    const closing = toClosing(next);
    if (bytes + toByteLength(closing) > maxBytes) break;
    kept.push(line);
    open = next;
    best = closing;
  }
  return kept.length === 0 ? cutHead(text, maxBytes) : `${kept.join('\n')}\n${best}`;
}

/** The end of a plain text in at most `maxBytes` bytes, with a note, from the start of a line if possible. */
export function cutTail(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= maxBytes) return text;
  const note = `${CUT_NOTE}\n`;
  const room = maxBytes - toByteLength(note);
  if (room <= 0) return '';
  const tail = decode(bytes.subarray(bytes.length - room));
  const lineEnd = tail.indexOf('\n');
  return note + (lineEnd === -1 || lineEnd === tail.length - 1 ? tail : tail.slice(lineEnd + 1));
}

/** The start of a plain text in at most `maxBytes` bytes, with a note, up to the end of a line if possible. */
export function cutToLines(text: string, maxBytes: number): string {
  if (toByteLength(text) <= maxBytes) return text;
  const note = `\n${CUT_NOTE}`;
  const room = maxBytes - toByteLength(note);
  if (room <= 0) return '';
  const head = cutHead(text, room);
  const lineEnd = head.lastIndexOf('\n');
  return (lineEnd > 0 ? head.slice(0, lineEnd) : head) + note;
}

/** The start of a plain text in at most `maxBytes` bytes, never cut inside a character. */
export function cutHead(text: string, maxBytes: number): string {
  const bytes = new TextEncoder().encode(text);
  return bytes.length <= maxBytes ? text : decode(bytes.subarray(0, Math.max(0, maxBytes)));
}

/** Drops a character that was cut in half. */
function decode(bytes: Uint8Array): string {
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return text.replace(/^\uFFFD{1,3}|\uFFFD{1,3}$/gu, '');
}

function toOpen(open: Open, line: string): Open {
  if (open.fence !== null) return isEndOf(open.fence, line) ? { ...open, fence: null } : open;
  const fence = /^ {0,3}(?:`{3,}|~{3,})/u.exec(line);
  if (fence !== null) return { ...open, fence: fence[0].trimStart() };
  const opened = [...line.matchAll(/<details(?:\s[^>]*)?>/giu)].length;
  const closed = [...line.matchAll(/<\/details>/giu)].length;
  return { ...open, details: Math.max(0, open.details + opened - closed) };
}

/** A closing fence has at least as many of the same marks, and nothing else. */
function isEndOf(fence: string, line: string): boolean {
  const marks = line.trim();
  return marks.startsWith(fence) && marks === fence.charAt(0).repeat(marks.length);
}

function toClosing({ fence, details }: Open): string {
  const lines = [
    ...(fence === null ? [] : [fence]),
    '',
    CUT_NOTE,
    ...Array.from({ length: details }, () => '\n</details>'),
  ];
  return lines.join('\n');
}

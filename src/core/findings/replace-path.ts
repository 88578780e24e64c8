/** What separates a path from the rest of a test id, a stack frame or a message: the inside of a character class. */
const BETWEEN = String.raw`\s:()'",<>[\]`;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;

/** Replaces `path` in `text` wherever it stands alone: `a.py` is found once in `a.py::test_a.py`, and not in `lib/a.py`. */
export function replacePath(text: string, path: string, replacement: string): string {
  const plain = path.replaceAll(SYNTAX, String.raw`\$&`);
  const alone = new RegExp(`(?<![^${BETWEEN}])${plain}(?![^${BETWEEN}])`, 'gu');
  return text.replaceAll(alone, () => replacement);
}

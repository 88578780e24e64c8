/** What separates a path from the rest of a test's id, of a frame, of a message: the inside of a character class. */
const BETWEEN = String.raw`\s:()'",<>[\]`;
const SYNTAX = /[\\^$.*+?()[\]{}|/]/gu;

/** `text` with `replacement` for `path` wherever it stands alone: `a.py::test_a.py` has it once, `lib/a.py` not at all. */
export function replacePath(text: string, path: string, replacement: string): string {
  const plain = path.replaceAll(SYNTAX, String.raw`\$&`);
  const alone = new RegExp(`(?<![^${BETWEEN}])${plain}(?![^${BETWEEN}])`, 'gu');
  return text.replaceAll(alone, () => replacement);
}

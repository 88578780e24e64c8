import { createSourceReader } from '../adapters/source/read-source.ts';
import { judgeTestChange, type TestChangeVerdict } from '../core/tamper/judge-test-change.ts';
import type { ReadFile, TestChangePolicy } from '../core/tamper/test-change.ts';

/** Texts of files by path. */
export type FileTexts = Readonly<Record<string, string>>;

/** Judges what a change of these files does to tests. */
export function examineChange(before: FileTexts, after: FileTexts, policy: TestChangePolicy): TestChangeVerdict {
  const read = createReader();
  return judgeTestChange({ before: read(before), after: read(after), policy });
}

/** Reads a file that both sides have once. */
function createReader(): (texts: FileTexts) => ReadonlyMap<string, ReadFile> {
  const known = new Map<string, ReadFile>();
  const readSource = createSourceReader();
  return (texts) =>
    new Map(
      Object.entries(texts).map(([path, text]) => {
        const earlier = known.get(path);
        const file = earlier?.text === text ? earlier : { text, facts: readSource(path, text) };
        known.set(path, file);
        return [path, file];
      }),
    );
}

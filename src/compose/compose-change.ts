import { readSource } from '../adapters/source/read-source.ts';
import { judgeTestChange, type TestChangeVerdict } from '../core/tamper/judge-test-change.ts';
import type { ReadFile, TestChangePolicy } from '../core/tamper/test-change.ts';

/** Texts of files by path. */
export type FileTexts = Readonly<Record<string, string>>;

/** Judges what a change of these files does to tests. */
export function examineChange(before: FileTexts, after: FileTexts, policy: TestChangePolicy): TestChangeVerdict {
  return judgeTestChange({ before: read(before), after: read(after), policy });
}

function read(texts: FileTexts): ReadonlyMap<string, ReadFile> {
  return new Map(Object.entries(texts).map(([path, text]) => [path, { text, facts: readSource(path, text) }]));
}

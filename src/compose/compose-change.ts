import { examineOne } from '../adapters/source/examine-change.ts';
import type { TestChangePolicy, TestChangeVerdict } from '../core/model/test-change.ts';
import type { FileTexts } from '../ports/test-judge.ts';

/** Judges what a change of these files does to tests. */
export function examineChange(before: FileTexts, after: FileTexts, policy: TestChangePolicy): TestChangeVerdict {
  return examineOne(before, after, policy);
}

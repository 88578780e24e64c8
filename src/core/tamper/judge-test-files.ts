import { isTestPath } from '../judge/test-paths.ts';
import type { TestChangeFact } from '../model/test-change.ts';
import type { SourceChange } from './source-change.ts';
import { type ReadFile, type TestChange, toChangedPaths, toMissing } from './test-change.ts';

/** Files among the tests that no parser reads: cases that are data, and tests in languages that are not known. */
export function judgeTestFiles(change: TestChange, source: SourceChange): readonly TestChangeFact[] {
  const moved = new Set([...change.after].flatMap(([path, { text }]) => (change.before.has(path) ? [] : [text])));
  return toChangedPaths(change).flatMap((path): readonly TestChangeFact[] => {
    const old = change.before.get(path);
    if (old === undefined || !isTestPath(path) || !isUnknown(old)) return [];
    const now = change.after.get(path);
    const place = { path, line: null, is: 'held' as const };
    if (now === undefined) {
      const isExplained = moved.has(old.text) || source.removedNames.size > 0;
      return isExplained ? [] : [{ ...place, code: 'TEST_DELETED', message: 'A file among the tests is gone.' }];
    }
    return isOnlyLess(old.text, now.text)
      ? [{ ...place, code: 'CASES_REMOVED', message: 'Lines of a file among the tests are gone, and none came.' }]
      : [];
  });
}

/** Says nothing of itself. */
function isUnknown({ text, facts }: ReadFile): boolean {
  return facts.isReadable && facts.words.length === 0 && text.trim() !== '';
}

function isOnlyLess(old: string, now: string): boolean {
  const [before, after] = [toLines(old), toLines(now)];
  return toMissing(after, before, String).length === 0 && toMissing(before, after, String).length > 0;
}

function toLines(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim().replace(/,$/u, ''))
    .filter((line) => line !== '');
}

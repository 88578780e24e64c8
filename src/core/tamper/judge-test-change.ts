import { PROTECTED_PATHS } from '../judge/protected-paths.ts';
import { isTestPath } from '../judge/test-paths.ts';
import type { TestChangeFact, TestChangeVerdict } from '../model/test-change.ts';
import { createFoldedPathMatcher } from '../paths/path-globs.ts';
import { judgeSettings } from './judge-settings.ts';
import { judgeChoices, judgeEvents, judgeSnapshots, judgeSuppressions } from './judge-source.ts';
import { judgeTestFiles } from './judge-test-files.ts';
import { judgeTestText } from './judge-test-text.ts';
import { judgeTests } from './judge-tests.ts';
import { toSourceChange } from './source-change.ts';
import { type TestChange, toChangedPaths } from './test-change.ts';

/** More facts say nothing more. */
const MAX_FACTS = 200;

/** Judges whether a change weakens the tests that prove it. Total: what cannot be read is held. */
export function judgeTestChange(change: TestChange): TestChangeVerdict {
  const source = toSourceChange(change);
  const facts = [
    ...judgePaths(change),
    ...judgeTests(change, source),
    ...judgeEvents(change),
    ...judgeChoices(change, source),
    ...judgeSuppressions(change),
    ...judgeSnapshots(change, source),
    ...judgeTestFiles(change, source),
    ...judgeTestText(change),
    ...judgeSettings(change),
  ];
  // The certain ones first, so that doubtful ones cannot push them out.
  const kept = facts.toSorted((left, right) => compare(right.is, left.is)).slice(0, MAX_FACTS);
  return {
    verdict: toVerdict(facts),
    facts: kept.toSorted((left, right) => compare(left.path, right.path) || (left.line ?? 0) - (right.line ?? 0)),
  };
}

function toVerdict(facts: readonly TestChangeFact[]): TestChangeVerdict['verdict'] {
  if (facts.some(({ is }) => is === 'rejected')) return 'rejected';
  return facts.length > 0 ? 'held' : 'clean';
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right);
}

function judgePaths(change: TestChange): readonly TestChangeFact[] {
  const { before, after, policy } = change;
  const isProtected = createFoldedPathMatcher([...PROTECTED_PATHS, ...policy.protectedPaths]);
  return toChangedPaths(change).flatMap((path): readonly TestChangeFact[] => {
    const place = { path, line: null };
    const isUnread = before.get(path)?.facts.isReadable === false || after.get(path)?.facts.isReadable === false;
    return [
      ...(isProtected(path)
        ? [
            {
              ...place,
              code: 'PROTECTED_PATH',
              message: 'Only a person may change this path.',
              is: 'rejected',
            } as const,
          ]
        : []),
      ...(isUnread
        ? [
            {
              ...place,
              code: 'UNREADABLE',
              message: 'The file cannot be parsed, so nothing is known of it.',
              is: 'held',
            } as const,
          ]
        : []),
      ...(policy.testChanges === 'hold' && isTestPath(path)
        ? [
            {
              ...place,
              code: 'TESTS_CHANGED',
              message: 'The policy lets every change of a test wait for a person.',
              is: 'held',
            } as const,
          ]
        : []),
    ];
  });
}

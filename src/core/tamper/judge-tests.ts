import { isTestPath } from '../judge/test-paths.ts';
import type { TestState } from '../model/source-facts.ts';
import { compareAssertions, isSame, toNewAssertions } from './compare-assertions.ts';
import { matchTests, type PlacedTest, placeTests } from './match-tests.ts';
import { type SourceChange, toNames } from './source-change.ts';
import { type TestChange, type TestChangeCode, type TestChangeFact, toChangedPaths, toMissing } from './test-change.ts';

/** A limit up to here is an ordinary one. */
const ORDINARY_TIMEOUT = 5000;

type Finding = readonly [code: TestChangeCode, is: TestChangeFact['is'], what: string];

/** What became of each test. */
export function judgeTests(change: TestChange, source: SourceChange): readonly TestChangeFact[] {
  const paths = new Set(toChangedPaths(change));
  const before = placeTests(change.before).filter(({ path }) => paths.has(path));
  const after = placeTests(change.after).filter(({ path }) => paths.has(path));
  const { pairs, gone, added } = matchTests(before, after);
  const helpers = (files: TestChange['before']): TestChange['before'] =>
    new Map([...files].filter(([path]) => paths.has(path)));
  const assertionsBefore = [...before, ...toHelpers(helpers(change.before))].flatMap(({ assertions }) => assertions);
  const assertionsAfter = [...after, ...toHelpers(helpers(change.after))].flatMap(({ assertions }) => assertions);
  const elsewhere = toNewAssertions(assertionsAfter, assertionsBefore);
  const wordsAfter = new Set(
    [...change.after]
      .filter(([path, { facts }]) => isTestPath(path) || facts.tests.length > 0)
      .flatMap(([, { facts }]) => facts.words),
  );
  const facts = pairs.flatMap(({ old, now }) => [
    ...judgePair(old, now, wordsAfter).map(([code, is, what]) => toFact(now, code, is, what)),
    ...compareAssertions({ old, now, elsewhere, wordsAfter, source, imports: importsOf(change, now.path) }),
  ]);
  const deleted = gone.filter((test) => !isAccountedFor(test, { assertionsAfter, wordsAfter, source, added }));
  return [
    ...facts,
    ...deleted.map((test) =>
      toFact(
        test,
        'TEST_DELETED',
        added.length > 0 && source.isMaterial ? 'held' : 'rejected',
        'is gone, and what it tested is not.',
      ),
    ),
    ...added.flatMap((test) => judgeNew(test).map(([code, is, what]) => toFact(test, code, is, what))),
  ];
}

function toHelpers(files: TestChange['before']): readonly Pick<PlacedTest, 'assertions'>[] {
  return [...files.values()].map(({ facts }) => facts);
}

function importsOf({ after }: TestChange, path: string): readonly string[] {
  return [...after].flatMap(([at, { facts }]) => (at === path ? facts.imports : []));
}

function toFact(
  { path, line, name }: PlacedTest,
  code: TestChangeCode,
  is: TestChangeFact['is'],
  what: string,
): TestChangeFact {
  return { code, path, line, message: `"${name}" ${what}`, is };
}

const STATES: Readonly<Record<TestState, readonly Finding[]>> = {
  run: [],
  skipped: [['TEST_SKIPPED', 'rejected', 'is skipped.']],
  conditional: [['TEST_SKIPPED', 'held', 'is skipped under a condition.']],
  expected_failure: [['TEST_SKIPPED', 'rejected', 'is expected to fail.']],
  focused: [['TEST_FOCUSED', 'rejected', 'runs alone: the other tests do not run.']],
};

function judgePair(old: PlacedTest, now: PlacedTest, wordsAfter: ReadonlySet<string>): readonly Finding[] {
  const findings: Finding[] = [];
  if (old.state !== now.state) findings.push(...STATES[now.state]);
  if (now.isEmpty && !old.isEmpty) findings.push(['TEST_EMPTIED', 'rejected', 'has no body any more.']);
  if (isTestPath(old.path) && !isTestPath(now.path))
    findings.push(['TEST_DELETED', 'rejected', 'is where no runner looks for tests.']);
  if (now.cases < old.cases && toMissing(old.words, now.words, String).some((word) => !wordsAfter.has(word))) {
    findings.push(['CASES_REMOVED', 'held', `has ${now.cases} cases, and had ${old.cases}.`]);
  }
  const limit = toLimit(now.timeouts);
  if (limit > Math.max(toLimit(old.timeouts), ORDINARY_TIMEOUT))
    findings.push(['TIMEOUT_RAISED', 'held', 'may take longer than before.']);
  if (old.assertions.length > 0 && old.cases <= now.cases && losesSubject(old, now)) {
    findings.push(['SUBJECT_MOCKED', 'held', 'does not call anything any more.']);
  }
  return findings;
}

/** 0 switches the limit off. */
function toLimit(timeouts: readonly number[]): number {
  return Math.max(0, ...timeouts.map((limit) => (limit === 0 ? Number.POSITIVE_INFINITY : limit)));
}

function losesSubject(old: PlacedTest, now: PlacedTest): boolean {
  return (
    old.calls.length > 0 &&
    now.calls.length === 0 &&
    now.assertions.length > 0 &&
    !now.assertions.some(({ relation, subject }) => relation === 'helper' || /[(.]/u.test(subject))
  );
}

function judgeNew(test: PlacedTest): readonly Finding[] {
  if (test.state === 'focused') return STATES.focused;
  return [];
}

interface Rest {
  readonly assertionsAfter: readonly PlacedTest['assertions'][number][];
  readonly wordsAfter: ReadonlySet<string>;
  readonly source: SourceChange;
  readonly added: readonly PlacedTest[];
}

/** Whether nothing is lost with a test: it did nothing, its feature is gone, or other tests do all that it did. */
function isAccountedFor(test: PlacedTest, { assertionsAfter, wordsAfter, source, added }: Rest): boolean {
  const real = test.assertions.filter(({ isTrivial }) => !isTrivial);
  if (test.state === 'skipped' || test.isEmpty) return true;
  const names = toNames([...test.calls, ...real.map(({ subject }) => subject)]);
  if (names.some((name) => source.removedNames.has(name))) return true;
  if (real.length === 0) return false;
  return real.every((assertion) => {
    if (assertionsAfter.some((other) => isSame(other, assertion))) return true;
    const isWritten = assertion.literals.every((literal) => wordsAfter.has(literal));
    const isTabled =
      [...added, ...[]].length >= 0 &&
      assertionsAfter.some(
        (other) =>
          other.relation === assertion.relation && !other.isTrivial && sharesName(other.subject, assertion.subject),
      );
    return isWritten && isTabled;
  });
}

function sharesName(left: string, right: string): boolean {
  const names = new Set(toNames([left]));
  return toNames([right]).some((name) => names.has(name));
}

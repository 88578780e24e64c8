import { isTestPath } from '../judge/test-paths.ts';
import type { TestState } from '../model/source-facts.ts';
import type { TestChangeCode, TestChangeFact } from '../model/test-change.ts';
import { compareAssertions, isSame, toNewAssertions } from './compare-assertions.ts';
import { matchTests, type PlacedTest, placeTests } from './match-tests.ts';
import { type SourceChange, toImportedStem, toNames, toStem } from './source-change.ts';
import { type TestChange, toChangedPaths, toMissing } from './test-change.ts';

/** A limit up to here is an ordinary one. */
const ORDINARY_TIMEOUT = 5000;

type Finding = readonly [code: TestChangeCode, is: TestChangeFact['is'], what: string];

/** What became of each test. */
export function judgeTests(change: TestChange, source: SourceChange): readonly TestChangeFact[] {
  const isUnread = (path: string): boolean =>
    [change.before, change.after].some((files) => files.get(path)?.facts.isReadable === false);
  // Of a file that cannot be read nothing is certain: it is held as a whole.
  const paths = new Set(toChangedPaths(change).filter((path) => !isUnread(path)));
  const before = placeTests(change.before).filter(({ path }) => paths.has(path));
  const after = placeTests(change.after).filter(({ path }) => paths.has(path));
  const { pairs, gone, added } = matchTests(before, after);
  const changed = (files: TestChange['before']): TestChange['before'] =>
    new Map([...files].filter(([path]) => paths.has(path)));
  const helpersAfter = toHelperAssertions(changed(change.after), after);
  const helpers = [...changed(change.after).values()].flatMap(({ facts }) => facts.helpers);
  const elsewhere = [
    ...added.flatMap(({ assertions }) => assertions),
    ...pairs.flatMap(({ old, now }) => toNewAssertions(now.assertions, old.assertions)),
    ...toNewAssertions(helpersAfter, toHelperAssertions(changed(change.before), before)),
  ];
  const assertionsAfter = [...after.flatMap(({ assertions }) => assertions), ...helpersAfter];
  const wordsAfter = new Set(
    [...change.after]
      .filter(([path, { facts }]) => isTestPath(path) || facts.tests.length > 0)
      .flatMap(([, { facts }]) => facts.words),
  );
  const facts = pairs.flatMap(({ old, now }) => [
    ...judgePair({ old, now, wordsAfter, isUsedLess: (test) => isUsedLess(change, test, now) }).map(
      ([code, is, what]) => toFact(now, code, is, what),
    ),
    ...compareAssertions({ old, now, elsewhere, helpers, wordsAfter, source, imports: importsOf(change, now.path) }),
  ]);
  const deleted = gone.filter((test) => !isAccountedFor(test, { assertionsAfter, wordsAfter, source }));
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
    ...added.flatMap((test) => judgeNew(test, after).map(([code, is, what]) => toFact(test, code, is, what))),
  ];
}

/** Assertions outside of tests, of files from which a test calls something. */
function toHelperAssertions(
  files: TestChange['before'],
  tests: readonly PlacedTest[],
): readonly PlacedTest['assertions'][number][] {
  const called = new Set(
    toNames(tests.flatMap(({ calls, assertions }) => [...calls, ...assertions.map(({ subject }) => subject)])),
  );
  const used = [...files.values()].filter(({ facts }) => facts.helpers.some((name) => called.has(name)));
  return used.flatMap(({ facts }) => facts.assertions);
}

/** What the file of a test imports, and what those files import. */
function importsOf({ after }: TestChange, path: string): readonly string[] {
  const direct = [...after].flatMap(([at, { facts }]) => (at === path ? facts.imports : []));
  const stems = new Set([toStem(path), ...direct.map(toImportedStem)]);
  return [
    ...direct,
    ...[...after].flatMap(([at, { facts }]) => (at !== path && stems.has(toStem(at)) ? facts.imports : [])),
  ];
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

interface Pair {
  readonly old: PlacedTest;
  readonly now: PlacedTest;
  readonly wordsAfter: ReadonlySet<string>;
  readonly isUsedLess: (test: PlacedTest) => boolean;
}

function judgePair({ old, now, wordsAfter, isUsedLess }: Pair): readonly Finding[] {
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
  findings.push(...judgeWeight(old, now));
  if (losesSubject(old, now) && isUsedLess(old)) {
    findings.push(['SUBJECT_MOCKED', 'held', 'does not call anything any more.']);
  }
  return findings;
}

const SUSPENDED = /^yield$/u;
/** Names of files that pytest, Go and the usual runners of scripts collect. */
const COLLECTED =
  /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests?)\.py$|(?:^|\/)(?![_.])[^/]*_test\.go$|\.(?:test|spec|cy|e2e)\.[cm]?[jt]sx?$/u;

function isCollected(path: string): boolean {
  return COLLECTED.test(path) && !/(?:^|\/)testdata\//u.test(path);
}

/** What throws inputs of a property away. */
const LIMITS_INPUT = /^(?:assume|prop_assume|preconditions?)$/u;
const COUNTS_ASSERTIONS = /^(?:assertions|hasAssertions)$/u;
/** Go builds such a file for one system or processor. */
const OTHER_SYSTEM =
  /_(?:aix|android|darwin|dragonfly|freebsd|illumos|ios|js|netbsd|openbsd|plan9|solaris|wasip1|windows|386|arm|arm64|mips\w*|ppc64\w*|riscv64|s390x|wasm)_test\.go$/u;

function gains(from: PlacedTest, to: PlacedTest, pattern: RegExp): boolean {
  return to.words.some((word) => pattern.test(word)) && !from.words.some((word) => pattern.test(word));
}

/** What shows that a test weighs less than before, beside its assertions. */
const WEIGHTS: readonly (readonly [isSo: (old: PlacedTest, now: PlacedTest) => boolean, finding: Finding])[] = [
  [(old, now) => gains(old, now, LIMITS_INPUT), ['ASSERTION_WEAKENED', 'held', 'takes fewer inputs than before.']],
  [
    (old, now) => gains(now, old, COUNTS_ASSERTIONS) && now.assertions.length <= old.assertions.length,
    ['ASSERTION_REMOVED', 'held', 'counts its assertions no more.'],
  ],
  [
    ({ path: from }, { path: to }) => !OTHER_SYSTEM.test(from) && OTHER_SYSTEM.test(to),
    ['TEST_SKIPPED', 'held', 'runs on one system alone.'],
  ],
  [
    ({ path: from }, { path: to }) => isCollected(from) && !isCollected(to),
    ['TEST_DELETED', 'held', 'is in a file that its runner does not collect.'],
  ],
  [(old, now) => gains(old, now, SUSPENDED), ['TEST_EMPTIED', 'held', 'is a generator now, which nothing runs.']],
];

function judgeWeight(old: PlacedTest, now: PlacedTest): readonly Finding[] {
  return WEIGHTS.flatMap(([isSo, finding]) => (isSo(old, now) ? [finding] : []));
}

/** Whether the file of the test names what it called less often: a fixture may call it now. */
function isUsedLess({ before, after }: TestChange, old: PlacedTest, now: PlacedTest): boolean {
  const names = new Set(toNames(old.calls));
  const count = (files: TestChange['before'], path: string): number =>
    [...files].flatMap(([at, { facts }]) => (at === path ? facts.words.filter((word) => names.has(word)) : [])).length;
  return count(after, now.path) < count(before, old.path);
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

function judgeNew(test: PlacedTest, after: readonly PlacedTest[]): readonly Finding[] {
  if (test.state === 'focused') return STATES.focused;
  const isTwice = after.some((other) => other !== test && other.path === test.path && other.name === test.name);
  return isTwice && test.path.endsWith('.py')
    ? [['TEST_DELETED', 'held', 'is defined twice: the first one never runs.']]
    : [];
}

interface Rest {
  readonly assertionsAfter: readonly PlacedTest['assertions'][number][];
  readonly wordsAfter: ReadonlySet<string>;
  readonly source: SourceChange;
}

/** Whether nothing is lost with a test: it did nothing, its feature is gone, or other tests do all that it did. */
function isAccountedFor(test: PlacedTest, { assertionsAfter, wordsAfter, source }: Rest): boolean {
  const real = test.assertions.filter(({ isTrivial }) => !isTrivial);
  if (test.state === 'skipped' || test.isEmpty) return true;
  const names = toNames([...test.calls, ...real.map(({ subject }) => subject)]);
  if (names.some((name) => source.removedNames.has(name))) return true;
  if (real.length === 0) return false;
  return real.every((assertion) => {
    if (assertionsAfter.some((other) => isSame(other, assertion))) return true;
    const isWritten = assertion.literals.every((literal) => wordsAfter.has(literal));
    const isTabled = assertionsAfter.some(
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

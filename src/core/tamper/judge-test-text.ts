import { isTestPath } from '../judge/test-paths.ts';
import type { TestChangeCode, TestChangeFact } from '../model/test-change.ts';
import { toShown } from './compare-assertions.ts';
import { findHits, type Hit } from './find-hits.ts';
import { judgeNumbers } from './judge-numbers.ts';
import { type ReadFile, type TestChange, toChangedPaths, toMissing } from './test-change.ts';

interface Look {
  readonly paths: RegExp;
  /** Linear: every repetition is bounded, or delimited by characters that it cannot match. */
  readonly pattern: RegExp;
  readonly code: TestChangeCode;
  readonly is: TestChangeFact['is'];
  readonly what: string;
  /** Also where no test is. */
  readonly isAnywhere?: boolean;
}

const SCRIPT = /\.[cm]?[jt]sx?$/iu;
const PYTHON = /\.pyi?$/iu;
const GO = /\.go$/iu;
const RUST = /\.rs$/iu;

/** Ways to let tests see less that show in their text, and not in what a test asserts. */
const LOOKS: readonly Look[] = [
  {
    paths: SCRIPT,
    pattern: /\bprocess\.exitCode\s*=\s*0\b/gu,
    ...{ code: 'EXIT_FORCED', is: 'rejected', what: 'The process ends with success, whatever failed' },
  },
  {
    paths: SCRIPT,
    pattern: /\b(?:cy|Cypress)\.on\(\s*['"`](?:uncaught:exception|fail)['"`][^\n]{0,120}/gu,
    ...{ code: 'ERROR_SWALLOWED', is: 'held', what: 'Errors of the page go nowhere' },
  },
  {
    paths: SCRIPT,
    pattern:
      /^[ \t]*(?:assert\.(?:rejects|doesNotReject)\(|expect\([^;\n]{1,300}\)\.(?:not\.)?(?:resolves|rejects)\.|expect(?:\.soft)?\((?:this\.)?page\b|expect(?:\.soft)?\([\w.]{0,80}(?:locator|getBy\w{1,30})\()[^\n]{0,300};[ \t]*$/gmu,
    ...{ code: 'ASSERTION_WEAKENED', is: 'held', what: 'Nothing waits for an assertion' },
  },
  {
    paths: PYTHON,
    pattern: /\bparam\([^\n]{0,300}\bmarks?\s*=[^\n]{0,100}\b(?:skip|skipif|xfail)\b/gu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'A row is skipped, or expected to fail' },
  },
  {
    paths: /\.(?:pyi?|rst|md|txt)$/iu,
    pattern: /#\s*doctest:[^\n]{0,60}\+SKIP\b/gu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'A documented example is skipped', isAnywhere: true },
  },
  {
    paths: RUST,
    pattern: /\/\/[/!][ \t]*```[ \t]*(?:rust[ \t]*,[ \t]*)?(?:ignore|no_run|text|compile_fail)\b/gu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'A documented example is not run', isAnywhere: true },
  },
  {
    paths: GO,
    pattern: /^\/\/(?:go:build|[ \t]*\+build)[ \t][^\n]{1,200}/gmu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'The tests of a file are built under a condition' },
  },
  {
    paths: RUST,
    pattern:
      /#!?\[cfg\((?!\s*test\s*\)\])[^\]\n]{1,200}\)\]\s{0,200}(?:(?:#\[[^\]\n]{0,200}\]\s{0,200}){0,5}#\[(?:\w+::)?test\]|(?:pub\s+)?mod\s+\w{0,40}tests?\b|#\[test\])/gu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'Tests are built under a condition', isAnywhere: true },
  },
  {
    paths: /\.(?:go|py|[cm]?[jt]sx?|rs)$/iu,
    pattern: /\bif\b[^\n{:]{1,200}[{:)]\s{0,100}continue\b/gu,
    ...{ code: 'TEST_CUT_SHORT', is: 'held', what: 'Cases are passed over' },
  },
  {
    paths: /\.(?:py|[cm]?[jt]sx?|java|kt|rb)$/iu,
    pattern:
      /\bjest\.retryTimes\(\s*[1-9]|\bthis\.retries\(\s*[1-9]|\bretr(?:y|ies)\s*:\s*[1-9]\d*|\bmark\.flaky\b|@flaky\b|\breruns\s*=\s*[1-9]|@(?:RetryingTest|RepeatedIfExceptionsTest|Retry)\b/gu,
    ...{ code: 'THRESHOLD_LOOSENED', is: 'held', what: 'A test that fails is run again' },
  },
  {
    paths: /\.(?:go|pyi?|[cm]?[jt]sx?|rs|java|kt|cs|php|rb|swift)$/iu,
    pattern: /\b(?:if|while)\s{0,9}(?:\(\s{0,9}(?:false|0|!1|!true)\s{0,9}\)|(?:false|False|0|not True)\s{0,9}[{:])/gu,
    ...{ code: 'TEST_CUT_SHORT', is: 'held', what: 'A part never runs' },
  },
  {
    paths: /\.(?:pyi?|[cm]?[jt]sx?|java)$/iu,
    pattern: /\bfinally\s{0,9}[{:]\s{0,200}return\b/gu,
    ...{ code: 'ERROR_SWALLOWED', is: 'held', what: 'A failed assertion goes nowhere' },
  },
  {
    paths: SCRIPT,
    pattern:
      /\b(?:it|test|describe|suite|context|specify)\.(?:skip|todo|fixme)\b(?!\s{0,9}[.(`])[^\n]{0,60}|\b(?:const|let|var)\s{1,9}(?:it|test|describe)\s{0,9}=(?![^\n]{0,300}(?:require|import|extend))[^\n]{1,100}|\bfunction\s{1,9}(?:it|test|describe)\s{0,9}\(/gu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'What tests are declared with is replaced' },
  },
  {
    paths: SCRIPT,
    pattern:
      /\b(?:const|let|var)\s{1,9}(?:expect|assert)\s{0,9}=(?![^\n]{0,300}(?:require|import|chai|extend))[^\n]{1,100}|\bfunction\s{1,9}(?:expect|assert)\s{0,9}\(|\bexpect\.extend\(\s{0,20}\{[^}]{0,200}\bto(?:Be|Equal|StrictEqual|Match|Throw|Contain)\b/gu,
    ...{ code: 'ASSERTION_TRIVIAL', is: 'held', what: 'What asserts is replaced' },
  },
  {
    paths: SCRIPT,
    pattern: /\bset(?:Timeout|Immediate|Interval)\([^\n]{0,60}=>\s{0,9}\{?\s{0,50}(?:expect|assert)\b/gu,
    ...{ code: 'ASSERTION_WEAKENED', is: 'held', what: 'Nothing waits for an assertion' },
  },
  {
    paths: /\.(?:pyi?|[cm]?[jt]sx?)$/iu,
    pattern: /\.(?:each|for)\(\s{0,20}\[\s{0,20}\]\s{0,20}\)|\bparametrize\([^\n[]{0,200}\[\s{0,20}\]/gu,
    ...{ code: 'CASES_REMOVED', is: 'held', what: 'A table has no rows' },
  },
  {
    paths: PYTHON,
    pattern:
      /\b__test__\s{0,9}=\s{0,9}False\b|^del[ \t]{1,9}[Tt]est\w*|^class Test\w{0,80}(?:\([^)\n]{0,200}\))?:\n(?:[ \t][^\n]{0,240}\n|\n){0,5}?[ \t]{1,40}def __init__\(|^class (?!Test)\w{1,80}(?:\((?![^)\n]{0,200}(?:Test|Mixin|Base))[^)\n]{0,200}\))?:\n(?:[ \t][^\n]{0,240}\n|\n){0,20}?[ \t]{1,40}(?:async )?def test_/gmu,
    ...{ code: 'TEST_SKIPPED', is: 'held', what: 'The tests of a class are not collected' },
  },
];

/** How many inputs a property is tried with. Greater is stricter. */
const INPUTS =
  /\b(?<name>max_examples|numRuns|num_runs|cases|with_cases|quickcheck_tests)["']?\s{0,5}[:=(]\s{0,5}(?<value>\d+)/gu;

/** What shows in the texts of files that were there before. New tests have taken nothing away. */
export function judgeTestText(change: TestChange): readonly TestChangeFact[] {
  return toChangedPaths(change).flatMap((path) => {
    const [old, now] = [change.before.get(path), change.after.get(path)];
    if (old === undefined || now === undefined) return [];
    const isTest = isTestPath(path) || old.facts.tests.length > 0;
    const looks = LOOKS.filter((look) => look.paths.test(path) && (isTest || look.isAnywhere === true));
    return [
      ...looks.flatMap((look) => toFacts(path, look, old, now)),
      ...(isTestPath(path) ? judgeInputs(path, old, now) : []),
    ];
  });
}

function toFacts(path: string, { pattern, code, is, what }: Look, old: ReadFile, now: ReadFile): TestChangeFact[] {
  const toKey = ({ text }: Hit): string => text.replaceAll(/\s+/gu, ' ').trim();
  const added = toMissing(findHits(now.text, pattern), findHits(old.text, pattern), toKey);
  return added.map((hit) => ({ code, path, line: hit.line, message: `${what}: ${toShown(hit.text.trim())}.`, is }));
}

function judgeInputs(path: string, old: ReadFile, now: ReadFile): readonly TestChangeFact[] {
  return judgeNumbers(path, {
    ...{ old: old.text, now: now.text, pattern: INPUTS, isNeeded: false },
    isLooser: (before: number, after: number) => after < before,
  });
}

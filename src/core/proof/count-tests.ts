import { stripColours } from '../evidence/clean-line.ts';
import { createLogDecoder } from '../evidence/decode-log.ts';
import { createLineSplitter } from '../evidence/split-lines.ts';

/** Counts the tests that ran, from the output of test runners. Takes it piece by piece. */
export interface TestCounter {
  readonly push: (piece: Uint8Array) => void;
  /** Tests that ran to an end, green or red; skipped ones did not. null: the output does not say. */
  readonly end: () => number | null;
}

/** How many tests a line reports; null if it is no such line. */
type ReadLine = (line: string) => number | null;

/** Sums the numbers before the given words. */
function sum(line: string, words: RegExp): number {
  let total = 0;
  for (const [, count] of line.matchAll(words)) total += Number(count);
  return total;
}

/** A line of this form, and what it counts. */
function form(pattern: RegExp, words: RegExp, without?: RegExp): ReadLine {
  return (line) => {
    const match = pattern.exec(line);
    if (match === null) return null;
    const [text] = match;
    return sum(text, words) - (without === undefined ? 0 : sum(text, without));
  };
}

/** How runners sum up. The first form that fits a line counts. */
const FORMS: readonly ReadLine[] = [
  // Vitest and Jest. A line that begins with `Test Files` or `Test Suites` counts files.
  form(/^\s*Tests:? +\d.*(?:\(\d+\)|total)$/u, /(\d+) (?:failed|passed)/gu),
  // pytest, also with `-q`.
  form(
    /^(?:=+ )?(?:\d+ (?:failed|passed|skipped|deselected|xfailed|xpassed|errors?|warnings?|rerun|subtests passed)(?:, )?)+ in [\d.]+s?\b.*/u,
    /(\d+) (?:failed|passed|xfailed|xpassed|errors?)\b/gu,
  ),
  // Mocha, and Playwright.
  form(/^\s+\d+ (?:passing|failing)(?: \(.+\))?$/u, /(\d+)(?= (?:passing|failing))/gu),
  form(/^\s+\d+ (?:passed|failed|flaky)(?: \([\d.]+m?s?\))?$/u, /(\d+)(?= (?:passed|failed|flaky))/gu),
  // TAP, as Node's test runner and others write it.
  form(/^(?:#|ℹ) (?:pass|fail) +\d+$/u, /(\d+)$/gu),
  form(/^\s*\d+ (?:pass|fail)$/u, /(\d+)/gu),
  // Go, where it tells each test.
  (line) => (/^=== RUN\s/u.test(line) ? 1 : null),
  (line) => (/^\{.*"Action":"run".*"Test":"/u.test(line) ? 1 : null),
  // Cargo, and nextest.
  form(/^test result: \w+\. \d+ passed; \d+ failed;/u, /(\d+) (?:passed|failed)/gu),
  form(/^\s*Summary \[.*\] +\d+ tests? run:/u, /(\d+) tests? run/gu),
  // unittest. The line after it says how many of them were skipped.
  form(/^Ran \d+ tests? in [\d.]+s$/u, /(\d+) tests?/gu),
  (line) => toSkipped(/^(?:OK|FAILED) \(.*\bskipped=(\d+).*\)$/u.exec(line)),
  // JUnit: the sum of a module, without the lines of its classes.
  form(
    /^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: \d+$/u,
    /Tests run: (\d+)/gu,
    /Skipped: (\d+)/gu,
  ),
  // RSpec, ExUnit, minitest.
  form(/^\d+ examples?, \d+ failures?.*$/u, /(\d+) examples?/gu, /(\d+) pending/gu),
  form(
    /^(?:\d+ (?:doctests?|properties|property), )?\d+ tests?, \d+ failures?.*$/u,
    /(\d+) (?:doctests?|properties|property|tests?)\b/gu,
    /(\d+) (?:skipped|excluded)/gu,
  ),
  form(/^\d+ runs, \d+ assertions, \d+ failures, \d+ errors, \d+ skips$/u, /(\d+) runs/gu, /(\d+) skips/gu),
  // PHPUnit.
  form(/^OK \(\d+ tests?, \d+ assertions?\)$/u, /(\d+) tests?/gu),
  form(/^Tests: \d+, Assertions: \d+.*\.$/u, /Tests: (\d+)/gu, /Skipped: (\d+)/gu),
  // .NET, CTest, GoogleTest, Deno, AVA.
  form(/^(?:Passed|Failed)! +- Failed: +\d+, Passed: +\d+,/u, /(?:Failed|Passed): +(\d+)/gu),
  form(/^\d+% tests passed, \d+ tests failed out of \d+$/u, /out of (\d+)/gu),
  form(/^\[={10}\] \d+ tests? from \d+ test (?:suites?|cases?) ran\./u, /(\d+) tests? from/gu),
  form(/^(?:ok|FAILED) \| \d+ passed.*\| \d+ failed/u, /(\d+) (?:passed|failed)/gu),
  form(/^\s*\d+ tests? (?:passed|failed)$/u, /(\d+) tests?/gu),
];

/** How tests are told one by one. It counts only where nothing sums them up: quiet reporters leave the sum out. */
const SINGLES: readonly ReadLine[] = [
  // TAP. A test without a number is a line of something else.
  (line) => (/^(?:not )?ok \d+\b(?!.*# *skip)/iu.test(line) ? 1 : null),
  // pytest -qq.
  (line) => /^[.FEsxXR]+(?= +\[ *\d+%\]$)/u.exec(line)?.[0].replaceAll(/[sR]/gu, '').length ?? null,
];

/** Every line of the forms above has one of these. */
const HINT =
  /^(?:not )?ok \d|\d%\]|\d (?:pass|fail|tests?\b|examples?|runs,|skipped|xfailed|xpassed|errors?|warnings?|deselected|rerun|doctests?|propert)|\d% tests|=== RUN|"Action":"run"|(?:pass|fail) +\d|Tests|skipped=|! +- Failed/u;

function toSkipped(match: RegExpExecArray | null): number | null {
  return match === null ? null : -Number(match[1]);
}

/** What the first form that fits says. */
function readFirst(forms: readonly ReadLine[], line: string): number | null {
  for (const read of forms) {
    const count = read(line);
    if (count !== null) return count;
  }
  return null;
}

export function createTestCounter(): TestCounter {
  let total: number | null = null;
  let singles: number | null = null;
  const takeLine = (raw: string): void => {
    if (!HINT.test(raw)) return;
    const line = raw.trimEnd();
    const sum = readFirst(FORMS, line);
    if (sum !== null) total = (total ?? 0) + sum;
    const single = sum === null ? readFirst(SINGLES, line) : null;
    if (single !== null) singles = (singles ?? 0) + single;
  };
  const decoder = createLogDecoder();
  // Equal lines in a row say nothing new.
  const splitter = createLineSplitter(takeLine, () => undefined);
  return {
    push: (piece) => splitter.push(stripColours(decoder.push(piece))),
    end: () => {
      splitter.push(stripColours(decoder.end()));
      splitter.end();
      return total === null ? singles : Math.max(0, total);
    },
  };
}

import type { LogFailure } from '../evidence/log-failure.ts';
import type { FailureClass } from '../model/failure-class.ts';
import { CLIENT_RULES, UNKNOWN_CLIENT_RULES } from './client-rules.ts';
import { isFailingTest, isWrongCode } from './code-signs.ts';
import { toEnd, toFailedSteps } from './failed-steps.ts';
import { createFindRule, type FindRule } from './find-failure-rule.ts';
import { findPersonLine } from './find-person-line.ts';
import { SURROUNDING_RULES, TEST_RULES } from './flake-rules.ts';
import type { CiResult } from './latest-results.ts';
import { PACKAGE_RULES } from './package-rules.ts';
import { RUNNER_RULES } from './runner-rules.ts';

/** One red check, and what is known of why it failed. */
export interface ClassifyInput {
  readonly check: Pick<CiResult, 'conclusion'>;
  /** What its log names; empty if nothing was recognised. */
  readonly failures: readonly LogFailure[];
  /** See `toFailureLines`. */
  readonly lines: readonly string[];
}

/** The class of a failure and what shows it. */
export interface ClassifiedFailure {
  readonly class: FailureClass;
  /** The line that shows it; null if no line does. Untrusted, with secrets. */
  readonly line: string | null;
  /** The name of the rule; null if none applies. */
  readonly rule: string | null;
  /** The line that shows that only a person can mend it if it fails again; null if there is none. Untrusted, with secrets. */
  readonly personLine: string | null;
}

type Shown = Omit<ClassifiedFailure, 'personLine'>;
type Steps = readonly (readonly string[])[];

/** How many lines before the end of a step can say that the code is wrong. */
const MAX_LINES = 1500;
/** How many lines before the end of a step can name its cause: more was done after anything earlier. */
const NEAR_LINES = 120;
/** The same for programs that nobody knows. Programs also write such lines to logs without failing. */
const LAST_LINES = 30;

/** Conclusions that mean that no test ran to its end. */
const BY_CONCLUSION: ReadonlySet<CiResult['conclusion']> = new Set(['timed_out', 'startup_failure']);

const findRunner = createFindRule(RUNNER_RULES);
const findTest = createFindRule(TEST_RULES);
const findKnown = createFindRule([...SURROUNDING_RULES, ...CLIENT_RULES, ...PACKAGE_RULES]);
const findUnknown = createFindRule(UNKNOWN_CLIENT_RULES);
const findOwn: FindRule = (line) => findRunner(line) ?? findTest(line) ?? findKnown(line);

/**
 * What a red check failed through. Rules name the speakers whose word counts: the runner, an installer, a client of the network. A
 * failing test, a compiler or a linter overrules them, because a re-run changes nothing about those; only a test that ran out of
 * time may be a flake. Every line is data of strangers: the time is bounded for any log.
 */
export function classifyFailure(input: ClassifyInput): ClassifiedFailure {
  const personLine = findPersonLine(input.check, input.lines);
  return { ...classify(input, personLine), personLine };
}

function classify({ check, failures, lines }: ClassifyInput, personLine: string | null): Shown {
  const steps = toFailedSteps(lines).map((step) => toEnd(step).slice(-MAX_LINES));
  const code = findCode(failures, steps.flat());
  const outside = code === null ? findOutside(check, steps) : null;
  if (outside !== null) return outside;
  if (personLine !== null) return { class: 'person', line: personLine, rule: 'person' };
  if (code?.rule === 'wrong-code') return code;
  const late = findLate(failures, steps);
  if (late !== null) return late;
  if (code !== null) return code;
  return findLast(steps, NEAR_LINES, findKnown) ?? findLast(steps, LAST_LINES, findUnknown) ?? UNKNOWN;
}

const UNKNOWN: Shown = { class: 'unknown', line: null, rule: null };

/** The machine or the service that ran the job failed. */
function findOutside({ conclusion }: ClassifyInput['check'], steps: Steps): Shown | null {
  const runner = findLast(steps, NEAR_LINES, findRunner);
  if (runner !== null || !BY_CONCLUSION.has(conclusion)) return runner;
  return { class: 'infrastructure', line: null, rule: 'conclusion' };
}

/** The first sign of wrong code, else of a failing test; null if there is none. */
function findCode(failures: readonly LogFailure[], lines: readonly string[]): Shown | null {
  const place = failures.find(({ kind, message }) => kind === 'place' && findOwn(message) === null);
  const wrong = lines.find((line) => isWrongCode(line) && findOwn(line) === null) ?? place?.message;
  if (wrong !== undefined) return { class: 'code', line: wrong, rule: 'wrong-code' };
  const test = failures.find(({ kind }) => kind === 'test');
  const line = lines.find((one) => isFailingTest(one) && findOwn(one) === null) ?? test?.message;
  return line === undefined ? null : { class: 'code', line, rule: 'failing-test' };
}

/** The line of a test that ran out of time, if all that failed did. Runners name a test up to twice: when it fails, and at the end. */
function findLate(failures: readonly LogFailure[], steps: Steps): Shown | null {
  const tests = new Set(failures.flatMap(({ kind, testId, message }) => (kind === 'test' ? [testId ?? message] : [])));
  const late = steps.flat().filter((line) => findTest(line) !== null);
  return 2 * late.length < tests.size ? null : findLast(steps, MAX_LINES, findTest);
}

/** The last line of the ends of the steps that matches. */
function findLast(steps: Steps, count: number, find: FindRule): Shown | null {
  for (const line of steps.flatMap((step) => step.slice(-count)).reverse()) {
    const rule = find(line);
    if (rule !== null) return { class: rule.class, line, rule: rule.id };
  }
  return null;
}

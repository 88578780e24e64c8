import { type ParsedFinding, TEST_OUTCOMES, type TestResult } from '../../core/model/finding.ts';
import { createTextParser } from '../parse/create-parser.ts';
import { toFinding } from '../parse/to-finding.ts';
import { toPayload } from '../parse/to-payload.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { readXml, type XmlElement } from './read-xml.ts';

type JunitOutcome = TestResult['outcome'];

/** One `<testcase>`, or the error of a `<testsuite>` itself. */
export interface JunitCase {
  /** It is the suite's own error or failure, which belongs to no case. */
  readonly isSuite: boolean;
  /** Name of the nearest suite with a name. */
  readonly suite: string;
  readonly classname: string;
  readonly name: string;
  /** As reported; from the nearest suite with a file if the case has none. */
  readonly file: string | null;
  /** As reported: pytest counts from 0, others from 1. */
  readonly line: number | null;
  /** The worst if there are several results. */
  readonly outcome: JunitOutcome;
  /** Exception type, message and text of that result; null if missing. */
  readonly type: string | null;
  readonly message: string | null;
  /** Its last 64 KiB, because the end of a trace shows the origin. */
  readonly text: string | null;
  /** It failed at first, and passed when it was run again. */
  readonly isFlaky: boolean;
  /**
   * Whether a second case of the same id is a second run: `surely` for Go, whose ids are unique and which gotestsum runs again;
   * `maybe` for a class of the JVM, which gradle runs again; else it is another test, such as another set of parameters.
   */
  readonly isRerun: 'surely' | 'maybe' | 'no';
}

/** A suite that counts tests and lists none, or counts failures and lists no failed test. */
export interface HollowSuite {
  readonly name: string;
  readonly file: string | null;
  readonly tests: number;
  /** Failures plus errors. */
  readonly failed: number;
}

export type JunitReading =
  | {
      readonly kind: 'ok';
      readonly cases: readonly JunitCase[];
      readonly hollowSuites: readonly HollowSuite[];
      /** There were more cases than the limit. */
      readonly cut: boolean;
    }
  | { readonly kind: 'invalid'; readonly why: string };

const MAX_CASES = 100_000;
const MAX_TEXT_LENGTH = 65_536;
const MAX_MESSAGE_LENGTH = 4096;
const MAX_NAME_LENGTH = 1024;
/**
 * A test that failed and then passed when it was run again has `flakyFailure` or `flakyError` alone (surefire, gradle), which count
 * as nothing. One that failed again has `rerunFailure` or `rerunError`, usually beside its first failure.
 */
const OUTCOME_OF_CHILD: Readonly<Record<string, JunitOutcome>> = {
  failure: 'failed',
  error: 'error',
  skipped: 'skipped',
  rerunFailure: 'failed',
  rerunError: 'error',
};
const FLAKY: readonly string[] = ['flakyFailure', 'flakyError'];
/** Values of the attributes `status` and `result`, for writers that use elements only for failures. */
const OUTCOME_OF_WORD: Readonly<Record<string, JunitOutcome>> = {
  disabled: 'skipped',
  notrun: 'skipped',
  skipped: 'skipped',
  ignored: 'skipped',
  suppressed: 'skipped',
  pending: 'skipped',
  failed: 'failed',
  failure: 'failed',
  fail: 'failed',
  error: 'error',
  errored: 'error',
  aborted: 'error',
  broken: 'error',
  crashed: 'error',
  timeout: 'error',
  timedout: 'error',
  timed_out: 'error',
  // It is unknown whether these passed.
  inconclusive: 'skipped',
  unknown: 'skipped',
};

interface Place {
  readonly suite: string;
  readonly file: string | null;
  readonly isGo: boolean;
}

/**
 * The cases of a JUnit report, with `<testsuites>` or `<testsuite>` at the root, nested suites, and attributes missing. Text that
 * is not well-formed XML, or not JUnit, is invalid and never means "no tests". Never throws.
 */
export function readJunitCases(text: string): JunitReading {
  const reading = readXml(text);
  if (reading.kind === 'invalid') return { kind: 'invalid', why: `the JUnit report: ${reading.why}` };
  const { root } = reading;
  if (root.name !== 'testsuites' && root.name !== 'testsuite')
    return { kind: 'invalid', why: `no JUnit report: its root is <${root.name.slice(0, 100)}>` };
  const found = root.name === 'testsuite' ? listSuites([root], NOWHERE) : listRoot(root);
  const cases = found.flatMap((suite) => suite.cases);
  return {
    kind: 'ok',
    cases: cases.slice(0, MAX_CASES),
    hollowSuites: found.flatMap(({ hollow }) => (hollow === null ? [] : [hollow])),
    cut: cases.length > MAX_CASES,
  };
}

function isWorse(left: JunitOutcome, right: JunitOutcome): boolean {
  return TEST_OUTCOMES.indexOf(left) > TEST_OUTCOMES.indexOf(right);
}

const NOWHERE: Place = { suite: '', file: null, isGo: false };

interface Suite {
  readonly cases: readonly JunitCase[];
  readonly hollow: HollowSuite | null;
}

function listRoot(root: XmlElement): readonly Suite[] {
  const nested = listSuites(root.children, NOWHERE);
  return [{ cases: [], hollow: toHollowSuite(root, toPlace(root, NOWHERE), nested) }, ...nested];
}

function listSuites(elements: readonly XmlElement[], place: Place): readonly Suite[] {
  return elements.flatMap((element) => {
    if (element.name === 'testsuite') return listSuite(element, place);
    return element.name === 'testcase' ? [{ cases: [toCase(element, place)], hollow: null }] : [];
  });
}

/** The suite itself, then its nested suites. */
function listSuite(element: XmlElement, above: Place): readonly Suite[] {
  const place = toPlace(element, above);
  const nested = listSuites(
    element.children.filter(({ name }) => name === 'testsuite'),
    place,
  );
  const listed = element.children.filter(({ name }) => name === 'testcase').map((child) => toCase(child, place));
  const hasOwnFailure = element.children.some(({ name }) => name === 'error' || name === 'failure');
  const cases = hasOwnFailure ? [...listed, { ...toCase(element, place), classname: '', name: '' }] : listed;
  return [{ cases, hollow: toHollowSuite(element, place, [{ cases, hollow: null }, ...nested]) }, ...nested];
}

/** `inside` holds the cases of the suite and its nested suites. Of nested suites only the innermost is hollow. */
function toHollowSuite(element: XmlElement, { suite, file }: Place, inside: readonly Suite[]): HollowSuite | null {
  const failed = toCount(element, 'failures') + toCount(element, 'errors');
  const tests = toCount(element, 'tests');
  const isEmpty = inside.every(({ cases, hollow }) => cases.length === 0 && hollow === null);
  const isExplained = inside.some(
    ({ cases, hollow }) => hollow !== null || cases.some((one) => isFailed(one) || one.isFlaky),
  );
  const isHollow = isEmpty ? tests + failed > 0 : failed > 0 && !isExplained;
  return isHollow ? { name: suite, file, tests, failed } : null;
}

function isFailed({ outcome }: JunitCase): boolean {
  return outcome === 'failed' || outcome === 'error';
}

function toPlace(element: XmlElement, above: Place): Place {
  const { suite, file, isGo } = above;
  return {
    suite: toName(element, 'name') ?? suite,
    file: toFile(element) ?? file,
    isGo: isGo || hasGoVersion(element),
  };
}

/** gotestsum writes it. */
function hasGoVersion({ children }: XmlElement): boolean {
  const properties = children.filter(({ name }) => name === 'properties').flatMap((element) => element.children);
  return properties.some(({ attributes }) => attributes.get('name') === 'go.version');
}

function toCase(element: XmlElement, place: Place): JunitCase {
  const { attributes } = element;
  const worst = findWorst(element);
  const named = {
    suite: place.suite,
    classname: toName(element, 'classname') ?? '',
    name: toName(element, 'name') ?? '',
    file: toFile(element) ?? place.file,
    line: toLine(attributes.get('line')),
  };
  return {
    isSuite: element.name === 'testsuite',
    ...named,
    outcome: worst?.outcome ?? toOutcomeOfAttributes(attributes),
    isFlaky: worst === null && element.children.some(({ name }) => FLAKY.includes(name)),
    isRerun: toIsRerun(named, place),
    ...toReason(worst?.element ?? null),
  };
}

function toIsRerun(
  { classname, suite, file, line }: Pick<JunitCase, 'classname' | 'suite' | 'file' | 'line'>,
  { isGo }: Place,
): JunitCase['isRerun'] {
  if (isGo) return 'surely';
  const isOfClass = classname !== '' && classname === suite && file === null && line === null;
  return isOfClass ? 'maybe' : 'no';
}

function toReason(result: XmlElement | null): Pick<JunitCase, 'type' | 'message' | 'text'> {
  if (result === null) return { type: null, message: null, text: null };
  return {
    type: toName(result, 'type'),
    message: result.attributes.get('message')?.slice(0, MAX_MESSAGE_LENGTH) ?? null,
    text: /\S/u.test(result.text) ? result.text.slice(-MAX_TEXT_LENGTH) : null,
  };
}

interface Result {
  readonly element: XmlElement;
  readonly outcome: JunitOutcome;
}

/** The first of the worst results among the children; null if there is none, as for most tests that passed. */
function findWorst(element: XmlElement): Result | null {
  let worst: Result | null = null;
  for (const child of element.children) {
    const outcome = lookUp(OUTCOME_OF_CHILD, child.name);
    if (outcome === null) continue;
    if (worst === null || isWorse(outcome, worst.outcome)) worst = { element: child, outcome };
  }
  return worst;
}

function toOutcomeOfAttributes(attributes: ReadonlyMap<string, string>): JunitOutcome {
  const outcomes = ['status', 'result'].map(
    (name) => lookUp(OUTCOME_OF_WORD, attributes.get(name)?.trim().toLowerCase() ?? '') ?? 'passed',
  );
  return outcomes.reduce((worst, outcome) => (isWorse(outcome, worst) ? outcome : worst), 'passed');
}

function toName({ attributes }: XmlElement, name: string): string | null {
  return attributes.get(name)?.slice(0, MAX_NAME_LENGTH) ?? null;
}

function toFile({ attributes }: XmlElement): string | null {
  const file = attributes.get('file') ?? attributes.get('filepath') ?? '';
  return file.trim() === '' ? null : file;
}

function toLine(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/u.test(text.trim()) ? Number(text) : null;
}

function toCount({ attributes }: XmlElement, name: string): number {
  return toLine(attributes.get(name)) ?? 0;
}

function lookUp<Value>(table: Readonly<Record<string, Value>>, key: string): Value | null {
  return Object.hasOwn(table, key) ? (table[key] ?? null) : null;
}

/**
 * Any tool's JUnit report. Each failed case is a finding with the id `classname::name` (the suite's name if there is no class).
 * Cases may share an id: a test that fails in two files, on two lines or with two sets of parameters has two findings. A suite that
 * counts tests or failures and lists none makes the run partial; if it counts failures, it is also a finding.
 */
export const parseJunit = createTextParser((text, input) => {
  const reading = readJunitCases(text);
  if (reading.kind === 'invalid') return reading;
  const toPath = (file: string | null): string | null => (file === null ? null : toRepositoryPath(file, input));
  const cases = dropRetried(reading.cases, input.exitCode === 0);
  const byPlace = keepWorst(cases, (found) => JSON.stringify([toId(found), found.file]));
  const hollow = reading.hollowSuites.filter((suite) => suite.failed > 0);
  return toPayload({
    findings: [
      ...cases.filter(isFailed).map((found) => toCaseFinding(found, toPath(found.file))),
      ...hollow.map((suite) => toHollowFinding(suite, toPath(suite.file))),
    ],
    partial: toPartial(reading),
    tests: [...byPlace.values()].map((found) => ({
      ...{ id: toId(found), outcome: found.outcome, path: toPath(found.file) },
    })),
  });
});

/** Drops the failures of tests that were run again and passed. Where that is not sure, the tool must have ended with success. */
function dropRetried(cases: readonly JunitCase[], hasSucceeded: boolean): readonly JunitCase[] {
  const lastPassed = new Map(
    cases.flatMap((found, index) => (found.outcome === 'passed' ? [[toId(found), index] as const] : [])),
  );
  const isRetried = (found: JunitCase, index: number): boolean => {
    const isAgain = found.isRerun === 'surely' || (found.isRerun === 'maybe' && hasSucceeded);
    return isAgain && isFailed(found) && index < (lastPassed.get(toId(found)) ?? -1);
  };
  return cases.filter((found, index) => !isRetried(found, index));
}

/** One result for each id: the worst, or the first of equals. */
export function keepWorst<Result extends Pick<TestResult, 'outcome'>>(
  results: readonly Result[],
  toIdOf: (result: Result) => string,
): ReadonlyMap<string, Result> {
  const byId = new Map<string, Result>();
  for (const result of results) {
    const known = byId.get(toIdOf(result));
    if (known === undefined || isWorse(result.outcome, known.outcome)) byId.set(toIdOf(result), result);
  }
  return byId;
}

function toId({ suite, classname, name }: JunitCase): string {
  const container = classname === '' ? suite : classname;
  return [container, name].filter((part) => part !== '').join('::') || '(no name)';
}

function toCaseFinding(found: JunitCase, path: string | null): ParsedFinding {
  return toFinding({
    kind: found.isSuite ? 'collection_error' : 'test_failure',
    rule: found.type,
    severity: found.isSuite ? 'blocker' : 'high',
    native: found.outcome === 'error' ? 'error' : 'failure',
    message: toMessage(found),
    path,
    line: path === null ? null : found.line,
    testId: toId(found),
    // Files may have tests of one name, and what is said of one must not become what is said of another that is repaired.
    identity: path === null ? (found.type ?? '') : `${found.type ?? ''}|${path}|`,
  });
}

/** The reporter of node:test gives the exception only in its text, as the cause of an error of its own. */
const NODE_CAUSE = /^ {2}failureType: '\w+',\n {2}cause: (?<type>[A-Za-z_$][\w$]*(?:Error|Exception))\b/mu;

function toMessage({ message, text, outcome }: JunitCase): string {
  const cause = NODE_CAUSE.exec(text ?? '')?.groups?.['type'];
  if (cause !== undefined && message !== null) return `${cause}: ${message.trim()}`;
  const reason = [message, text].map((part) => part?.trim() ?? '').find((part) => part !== '');
  return reason ?? (outcome === 'error' ? 'The test broke.' : 'The test failed.');
}

function toHollowFinding({ name, failed, tests }: HollowSuite, path: string | null): ParsedFinding {
  return toFinding({
    kind: 'collection_error',
    severity: 'blocker',
    message: `The suite counts ${String(failed)} of ${String(tests)} tests as failed and lists none of them.`,
    path,
    testId: name === '' ? '(no name)' : name,
    identity: '',
  });
}

function toPartial({ cases, hollowSuites, cut }: Extract<JunitReading, { readonly kind: 'ok' }>): string | null {
  if (cases.length === 0 && hollowSuites.length === 0) return 'the report has no tests';
  if (cut) return `the report has more than ${String(MAX_CASES)} tests; the others were not read`;
  const [first] = hollowSuites;
  if (first === undefined) return null;
  const counted = first.failed > 0 ? `${String(first.failed)} failed tests` : `${String(first.tests)} tests`;
  return `the suite "${first.name.slice(0, 200)}" counts ${counted} and lists none of them`;
}

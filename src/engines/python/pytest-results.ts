import type { ParseInput } from '../../core/model/engine.ts';
import type { ParsedFinding, TestResult } from '../../core/model/finding.ts';
import { type JunitCase, readJunitCases } from '../generic/parse-junit.ts';
import { toFinding } from '../parse/to-finding.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';
import { readPythonTrace, toTraceIdentity } from './python-trace.ts';

/** The test name under which pytest reports its own errors. */
const INTERNAL_ERROR = 'pytest::internal';
/** The test name of a test that was interrupted. */
const NO_NAME = '::';

/** One test, or one file that pytest could not collect. */
export interface PytestResult {
  /** Node id such as `tests/test_a.py::TestC::test_d[1]`, or the path of a file that was not collected. */
  readonly id: string;
  /** As reported, relative to the folder that pytest ran in; null if it is not reported. */
  readonly file: string | null;
  /** 1-based. */
  readonly line: number | null;
  readonly outcome: TestResult['outcome'];
  readonly isCollection: boolean;
  readonly message: string | null;
  /** Traceback. */
  readonly trace: string;
}

export type PytestReading =
  | {
      readonly kind: 'ok';
      readonly results: readonly PytestResult[];
      readonly isCut: boolean;
      /** Why pytest itself failed; null if it reports no failure. */
      readonly internalError: string | null;
    }
  | { readonly kind: 'invalid'; readonly why: string };

/** Results of pytest's JUnit report. Only `junit_family=xunit1` contains files and lines. */
export function readPytestJunit(text: string): PytestReading {
  const reading = readJunitCases(text);
  if (reading.kind === 'invalid') return reading;
  const results = reading.cases.map(toResult);
  const internal = results.find(({ id }) => id === INTERNAL_ERROR);
  return {
    kind: 'ok',
    results: results.filter(({ id }) => id !== INTERNAL_ERROR && id !== NO_NAME),
    isCut: reading.cut,
    internalError: internal === undefined ? null : `internal error of pytest: ${internal.trace.slice(-500).trim()}`,
  };
}

function toResult({ classname, name, file, line, outcome, message, text }: JunitCase): PytestResult {
  const isCollection = outcome === 'error' && classname === '';
  return {
    id: isCollection ? (file ?? name) : toNodeId(classname, name, file),
    file,
    line: line === null ? null : line + 1,
    outcome,
    isCollection,
    message,
    trace: text ?? '',
  };
}

/** Builds `tests/test_a.py::TestC::test_d[x::y]` from `tests.test_a.TestC`, `test_d[x::y]` and `tests/test_a.py`. */
function toNodeId(classname: string, name: string, file: string | null): string {
  const dotted = (file ?? '').replace(/\.[^./]+$/u, '').replaceAll('/', '.');
  if (file === null || (classname !== dotted && !classname.startsWith(`${dotted}.`))) return `${classname}::${name}`;
  const classes = classname
    .slice(dotted.length)
    .split('.')
    .filter((part) => part !== '');
  return [file, ...classes, name].join('::');
}

/** Test results for comparing runs. A file that was not collected is not a test. */
export function toTestResults(results: readonly PytestResult[], input: ParseInput): readonly TestResult[] {
  const tests = results.filter(({ isCollection }) => !isCollection);
  return tests.map((result) => ({ id: result.id, outcome: result.outcome, path: toPath(result, input) }));
}

/** Findings for failed tests and for files that were not collected. */
export function toPytestFindings(results: readonly PytestResult[], input: ParseInput): readonly ParsedFinding[] {
  return results
    .filter(({ outcome }) => outcome === 'failed' || outcome === 'error')
    .map((result) => toPytestFinding(result, input));
}

function toPytestFinding(result: PytestResult, input: ParseInput): ParsedFinding {
  const path = toPath(result, input);
  const trace = readPythonTrace(result.trace, path, input);
  return toFinding({
    kind: result.isCollection ? 'collection_error' : 'test_failure',
    severity: result.isCollection ? 'blocker' : 'high',
    native: result.outcome,
    rule: trace.exception,
    // The path of the checkout has no meaning and differs from run to run.
    message: toMessage(result).replaceAll(`${input.root}/`, ''),
    path,
    line: path === null ? null : (trace.line ?? result.line),
    testId: result.id,
    identity: toTraceIdentity(trace),
  });
}

/** The message of a collection error only says that it is one. */
function toMessage({ message, trace, isCollection, outcome }: PytestResult): string {
  const raised = trace.split(/\r?\n/u).flatMap((line) => (line.startsWith('E   ') ? [line.slice(4)] : []));
  const said = isCollection ? raised.join('\n').trim() : (message ?? '').trim();
  return said === '' ? trace.trim() || `the test ended as ${outcome}` : said;
}

function toPath({ file, id }: PytestResult, input: ParseInput): string | null {
  const named = file ?? id.split('::', 1)[0] ?? '';
  return named === '' ? null : toRepositoryPath(named, input);
}

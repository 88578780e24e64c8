import { stripVTControlCharacters } from 'node:util';
import { z } from 'zod';
import type { ParseInput, Parser, Payload } from '../../core/model/engine.ts';
import type { ParsedFinding, TestResult } from '../../core/model/finding.ts';
import { createJsonParser } from '../parse/create-parser.ts';
import { toBoundedPayload, toFinding, withoutRoot } from '../parse/to-finding.ts';
import { toRepositoryPath } from '../parse/to-repository-path.ts';

type Parsed = Extract<Payload, { readonly kind: 'parsed' }>;

/** The part of Jest's and Vitest's JSON that is read (https://jestjs.io/docs/configuration#testresultsprocessor-string). */
const Assertion = z.object({
  ancestorTitles: z.array(z.string()),
  title: z.string(),
  status: z.string(),
  failureMessages: z.array(z.string()).nullish(),
  location: z.object({ line: z.number() }).nullish(),
});
type Assertion = z.infer<typeof Assertion>;
const TestFile = z.object({
  name: z.string(),
  status: z.string(),
  message: z.string().nullish(),
  assertionResults: z.array(Assertion),
});
type TestFile = z.infer<typeof TestFile>;
const TestReport = z.object({
  success: z.boolean(),
  wasInterrupted: z.boolean().optional(),
  testResults: z.array(TestFile),
});
type TestReport = z.infer<typeof TestReport>;

/** How the two tools differ. */
export interface ReportDialect {
  /** Meaning of `pending`: a skipped test in Jest; in Vitest a test that started and never ended. */
  readonly pending: 'skipped' | 'error';
  /** What the tool writes to stderr about errors outside of the tests. */
  readonly unhandled: RegExp | null;
}

const STATUS: Readonly<Record<string, TestResult['outcome']>> = {
  passed: 'passed',
  failed: 'failed',
  skipped: 'skipped',
  todo: 'skipped',
  disabled: 'skipped',
};
const FRAME = /^\s*at (?:(?<name>.+?) \()?(?<file>(?:file:\/\/)?\/.+?):(?<line>\d+):\d+\)?$/u;
const EXCEPTION = /^(?<type>[A-Za-z_$][\w$.]*)(?=: | \[|:?\n|:?$)/u;
const SUITE_TITLE = /^\s*● Test suite failed to run\s*/u;

/**
 * Creates a parser of failing tests, files that failed outside of their tests, and the outcome of every test. `success` and the counts are not
 * enough: an error outside of the tests leaves both green, and only the exit code shows it.
 */
export function createTestReportParser(dialect: ReportDialect): Parser {
  return createJsonParser('the report of the tests', TestReport, (report, input) => {
    const files = report.testResults.map((file) => readFile(file, input, dialect));
    const findings = files.flatMap((file) => file.findings);
    const tests = files.flatMap((file) => file.tests);
    const hasFailed = !report.success || input.exitCode !== 0;
    const whole =
      findPartial(report, input, dialect) ??
      files.map((file) => file.unended).find((why) => why !== null) ??
      (findings.length > 0 ? null : findEmptiness(hasFailed, tests));
    return toBoundedPayload({
      findings,
      ...(whole === null ? toUnrun(findings) : { partial: whole }),
      tests,
    });
  });
}

/** A pattern of names that no test has makes both runners skip all of them, and succeed. */
function findEmptiness(hasFailed: boolean, tests: readonly TestResult[]): string | null {
  if (hasFailed) return 'it failed, although no test did';
  return tests.length > 0 && tests.every(({ outcome }) => outcome === 'skipped') ? 'all tests were skipped' : null;
}

/** Each file runs by itself, so one that failed outside of its tests says nothing against the others. */
function toUnrun(findings: readonly ParsedFinding[]): Pick<Parsed, 'partial' | 'unparsed'> {
  const unrun = findings.filter(({ kind }) => kind === 'collection_error');
  const [first] = unrun;
  if (first === undefined) return { partial: null };
  const partial = `${first.path ?? first.testId ?? 'a file'} failed outside of its tests, so they did not run`;
  const paths = unrun.flatMap(({ path }) => path ?? []);
  return { partial, ...(paths.length === unrun.length ? { unparsed: [...new Set(paths)].toSorted() } : {}) };
}

function findPartial({ wasInterrupted = false }: TestReport, input: ParseInput, dialect: ReportDialect): string | null {
  if (wasInterrupted) return 'it was interrupted';
  return dialect.unhandled?.test(input.stderr) === true ? 'an error was thrown outside of the tests' : null;
}

interface FileReading {
  readonly findings: readonly ParsedFinding[];
  readonly tests: readonly TestResult[];
  /** Why it is not known how its tests would end; null if it is. */
  readonly unended: string | null;
}

function readFile(file: TestFile, input: ParseInput, dialect: ReportDialect): FileReading {
  const path = toRepositoryPath(file.name, input);
  const tests = file.assertionResults.map((test) => toTestResult(test, path ?? file.name, { path, dialect }));
  const failed = file.assertionResults.filter(({ status }) => status === 'failed');
  const findings = failed.map((test) => toFailure(test, path ?? file.name, { path, input }));
  if (file.status === 'failed' && failed.length === 0) {
    return { findings: [toCollectionError(file, path, input)], tests, unended: null };
  }
  const neverEnded = tests.some(({ outcome }) => outcome === 'error');
  return { findings, tests, unended: neverEnded ? `${path ?? file.name} has tests that never ended` : null };
}

function toTestId(test: Assertion, file: string): string {
  return [file, ...test.ancestorTitles, test.title].join(' > ');
}

function toTestResult(
  test: Assertion,
  file: string,
  { path, dialect }: { readonly path: string | null; readonly dialect: ReportDialect },
): TestResult {
  // An unknown status may be bad news.
  const known = Object.hasOwn(STATUS, test.status) ? STATUS[test.status] : undefined;
  const outcome = test.status === 'pending' ? dialect.pending : (known ?? 'error');
  return { id: toTestId(test, file), outcome, path };
}

function toFailure(
  test: Assertion,
  file: string,
  { path, input }: { readonly path: string | null; readonly input: ParseInput },
): ParsedFinding {
  const text = stripVTControlCharacters(test.failureMessages?.[0] ?? '');
  const frames = readFrames(text, input);
  const inTest = frames.find((frame) => frame.path === path);
  return toFinding({
    kind: 'test_failure',
    severity: 'high',
    native: test.status,
    message: toMessage(text, input) || 'The test failed.',
    path,
    line: inTest?.line ?? test.location?.line,
    testId: toTestId(test, file),
    identity: toIdentity(text, frames[0]),
  });
}

/** What stays the same when lines move: the exception's type, and where in the repository it was thrown. */
function toIdentity(text: string, innermost: Frame | undefined): string {
  const type = EXCEPTION.exec(text)?.groups?.['type'] ?? 'Error';
  return innermost === undefined ? `${type}||` : `${type}|${innermost.path}|${innermost.name}`;
}

function toCollectionError({ name, status, message }: TestFile, path: string | null, input: ParseInput): ParsedFinding {
  const text = stripVTControlCharacters(message ?? '').replace(SUITE_TITLE, '');
  return toFinding({
    kind: 'collection_error',
    severity: 'blocker',
    native: status,
    message: toMessage(text, input) || 'The file failed outside of its tests, in a hook for example.',
    path,
    testId: path ?? name,
    identity: 'collection',
  });
}

/** The text before the first stack frame. */
function toMessage(text: string, input: ParseInput): string {
  const lines = text.split('\n');
  const end = lines.findIndex((line) => /^\s*at \S/u.test(line));
  return dropSecond(withoutRoot((end === -1 ? lines : lines.slice(0, end)).join('\n'), input).trim());
}

/** An error whose stack does not begin with its message has the message twice: by itself, and in the stack. */
function dropSecond(text: string): string {
  const [first = '', ...others] = text.split(/\n\s*\n|\n(?=[A-Za-z_$][\w$.]*(?:Error|Exception): )/u);
  const bare = first.replace(/^[A-Za-z_$][\w$.]*: /u, '');
  const isSecond = (part: string): boolean => part === first || part.replace(/^[A-Za-z_$][\w$.]*: /u, '') === bare;
  return others.length === 1 && others.every(isSecond) ? first : text;
}

interface Frame {
  readonly path: string;
  readonly name: string;
  readonly line: number;
}

/** Stack frames in files of the repository, innermost first. */
function readFrames(text: string, input: ParseInput): readonly Frame[] {
  return text.split('\n').flatMap((line) => {
    const groups = FRAME.exec(line)?.groups;
    const file = groups?.['file'];
    const path = file === undefined ? null : toRepositoryPath(file, input);
    if (path === null || path.split('/').includes('node_modules')) return [];
    return [{ path, name: (groups?.['name'] ?? '').replace(/^async /u, ''), line: Number(groups?.['line']) }];
  });
}

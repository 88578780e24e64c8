import { normaliseLine } from '../ci/normalise-line.ts';
import type { FailureSign } from '../evidence/log-failure.ts';
import { sha256 } from '../hash/sha256.ts';
import type { EngineKind } from '../model/engine.ts';
import { ROOT_PROJECT } from '../model/project.ts';
import type { ReportedFailure } from '../model/reported-failure.ts';
import type { TaskFinding, TaskFindingKind } from '../model/task.ts';

/** The tool of findings that CI reported. */
export const CI_TOOL = 'ci';

export interface CiResult {
  /** Names of the failing jobs that may be worked on. */
  readonly jobs: readonly string[];
  /** What their logs and annotations name; texts are redacted and cut. */
  readonly failures: readonly ReportedFailure[];
  /** Kinds of the engines by id. The tool of a failure may be none of them. */
  readonly kinds: ReadonlyMap<string, EngineKind>;
}

/** What only says that a file of tests could not be loaded. */
const NOT_COLLECTED =
  /\b(?:(?:ModuleNotFound|Import|Syntax|Indentation)Error\b|Cannot find (?:module|package)|Failed to (?:load|resolve)|error collecting|build failed\b|setup failed\b)/iu;

/**
 * The failures of CI as findings (001.R5), each once, in the order of the jobs. A job that fails without a name of a test or a file
 * in its log is a finding by itself: nothing that is red is left out.
 */
export function normaliseCi({ jobs, failures, kinds }: CiResult): readonly TaskFinding[] {
  const found = new Map<string, TaskFinding>();
  for (const job of new Set(jobs)) {
    const own = failures.filter((failure) => failure.job === job);
    const findings = own.length === 0 ? [toJobFinding(job)] : own.map((failure) => toFinding(failure, kinds));
    for (const finding of findings) {
      if (!found.has(finding.fingerprint)) found.set(finding.fingerprint, finding);
    }
  }
  return [...found.values()];
}

/** Annotations of a job in the form of what its log names. One without a file of the repository is dropped later. */
export function toAnnotationSigns(
  annotations: readonly { readonly path: string; readonly line: number | null; readonly message: string }[],
): readonly FailureSign[] {
  return annotations.map(({ path, line, message }) => ({
    ...{ kind: 'place', tool: null, path, line, column: null, rule: null, testId: null, message },
  }));
}

/** The same failure of two jobs (a matrix) is one finding, so the job is no part of what identifies it. */
function toFinding(
  { job, tool, path, line, rule, testId, message }: ReportedFailure,
  kinds: CiResult['kinds'],
): TaskFinding {
  const kind = toKind({ tool, testId, message }, kinds);
  const parts = [CI_TOOL, kind, tool, testId, path, rule, kind === 'test_failure' ? null : normaliseLine(message)];
  return {
    ...toBase(job, sha256(JSON.stringify(parts))),
    kind,
    severity: kind === 'collection_error' ? 'blocker' : 'high',
    message,
    filePath: path,
    line,
    symbol: rule,
    testId,
  };
}

function toJobFinding(job: string): TaskFinding {
  return {
    ...toBase(job, sha256(JSON.stringify([CI_TOOL, 'job', job]))),
    kind: 'ci_failure',
    severity: 'high',
    message: `The job ${JSON.stringify(job)} failed, and its log names no test and no file.`,
    filePath: null,
    line: null,
    symbol: null,
    testId: null,
  };
}

function toBase(job: string, fingerprint: string) {
  const meta = { project: ROOT_PROJECT, signature: null, percent: null };
  return { tool: CI_TOOL, fingerprint, column: null, rawRef: `job:${job}`, meta };
}

function toKind(
  { tool, testId, message }: Pick<ReportedFailure, 'tool' | 'testId' | 'message'>,
  kinds: CiResult['kinds'],
): Exclude<TaskFindingKind, 'ci_failure'> {
  const known = tool === null ? undefined : kinds.get(tool);
  if (testId === null && known === 'test' && NOT_COLLECTED.test(message)) return 'collection_error';
  if (testId !== null || known === 'test') return 'test_failure';
  return known === 'type' ? 'type' : 'lint';
}

/**
 * Both kinds of findings, without those of CI that an engine found here too: an engine can say whether one is repaired. Such a pair
 * is one test of the same file, or the same rule at the same place.
 */
export function mergeFindings(engines: readonly TaskFinding[], ci: readonly TaskFinding[]): readonly TaskFinding[] {
  return [...engines, ...ci.filter((finding) => !engines.some((known) => isSame(known, finding)))];
}

function isSame(known: TaskFinding, { filePath, line, symbol, testId }: TaskFinding): boolean {
  if (filePath !== known.filePath) return false;
  if (testId !== null && known.testId !== null) return isSameTest(known.testId, testId);
  if (testId !== null || filePath === null || known.testId !== null) return false;
  return line === known.line && (symbol === null || symbol === known.symbol);
}

/** A log names a test with or without its file and its suite. */
function isSameTest(known: string, named: string): boolean {
  if (!known.endsWith(named)) return false;
  return !/\w$/u.test(known.slice(0, known.length - named.length));
}

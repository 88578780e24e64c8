import { matchFindings } from '../findings/match-findings.ts';
import { isHarmless } from '../findings/severity.ts';
import type { EngineError, EngineRun } from '../model/engine.ts';
import type { Finding, TestResult } from '../model/finding.ts';
import type { AttemptCause, Task } from '../model/task.ts';
import { toCountText, toNamesText } from '../text/words.ts';
import { toPercent } from './normalise-run.ts';

/** What Ratchet's own run of the validation showed. */
export interface ValidationEvidence {
  /**
   * Exit codes of the commands, in order; null: it did not exit by itself. Of a task with a check: of the engine's run, and empty if
   * that gave no answer.
   */
  readonly exitCodes: readonly (number | null)[];
  /** The run of the engine; an error if it gave no answer; null: the task has no check. */
  readonly check: EngineRun | EngineError | null;
}

export type ValidationVerdict =
  | { readonly kind: 'met' }
  | {
      readonly kind: 'missed';
      readonly cause: Extract<
        AttemptCause,
        'VALIDATION_FAILED' | 'VALIDATION_TIMEOUT' | 'NO_TESTS_RAN' | 'CRITERIA_NOT_MET'
      >;
      /** One or more sentences for people and for the next attempt. Quotes names of the repository. */
      readonly detail: string;
    };

type Judged = Pick<Task, 'taskType' | 'targets' | 'validation' | 'findings' | 'worker'>;
type Missed = Extract<ValidationVerdict, { readonly kind: 'missed' }>;

const NO_RENAMES: ReadonlyMap<string, string> = new Map();
/** Percentages are quotients. */
const ROUNDING = 1e-9;

/**
 * Whether a validation shows that the task is done (001.R28, R39): by the criteria, and by what no criterion can waive. A run that did
 * not check everything shows nothing. The findings must be gone, not only different. The tests must have run and passed, for one that
 * vanished or is skipped is not repaired. And no fewer tests may run than before. `before`: the last run of the engine in the same
 * project that the task was planned from; null: there was none.
 */
export function judgeValidation(
  task: Judged,
  evidence: ValidationEvidence,
  before: EngineRun | null,
): ValidationVerdict {
  const { exitCodes, check } = evidence;
  const { successCriteria, check: wanted } = task.validation;
  if (wanted === null) return exitCodes.length === 0 ? unshown('no command ran') : judgeExits(exitCodes);
  if (check === null) return unshown('the engine did not run');
  if ('message' in check)
    return unshown(check.message, check.kind === 'TIMEOUT' ? 'VALIDATION_TIMEOUT' : 'VALIDATION_FAILED');
  if (!check.complete) return unshown(check.incompleteWhy ?? 'its answer cannot be trusted');
  return (
    judgeFindings(task, check, before) ??
    judgeTests(task, check, before) ??
    judgeCoverage(task, check, before) ??
    (successCriteria.require_exit_code_0 ? judgeExits(exitCodes) : { kind: 'met' })
  );
}

/** Findings that the task is about must be gone, also where they only look different; and no more than allowed may be new. */
function judgeFindings(task: Judged, check: EngineRun, before: EngineRun | null): Missed | null {
  const own = new Set(task.findings);
  const known = before?.findings ?? [];
  const after = check.findings.filter((finding) => !isHarmless(finding) && finding.kind !== 'coverage_gap');
  const others = known.filter(({ fingerprint }) => !own.has(fingerprint));
  const unexplained = matchFindings({ head: after, base: others, renames: NO_RENAMES }).onlyHead;
  const base = known.filter(({ fingerprint }) => own.has(fingerprint));
  const { pairs, onlyHead } = matchFindings({ head: unexplained, base, renames: NO_RENAMES });
  // A fixer need not fix everything.
  if (pairs.length > 0 && task.worker === 'agent') {
    return miss('VALIDATION_FAILED', `Still there: ${toFindingsText(pairs.map(({ head }) => head))}.`);
  }
  const { max_new_findings: max } = task.validation.successCriteria;
  if (max === null || onlyHead.length <= max) return null;
  return miss('CRITERIA_NOT_MET', `New, and at most ${String(max)} may be: ${toFindingsText(onlyHead)}.`);
}

function toFindingsText(findings: readonly Finding[]): string {
  const names = findings.map(({ path, line, testId, rule, message }) => {
    const place = path === null ? '' : `${path}${line === null ? '' : `:${String(line)}`} `;
    return `${place}${testId ?? rule ?? message}`;
  });
  return toNamesText(names);
}

/** The tests of the task, and how many run in its files. */
function judgeTests({ taskType, targets }: Judged, { tests }: EngineRun, before: EngineRun | null): Missed | null {
  if (tests === null) {
    return targets.testIds.length === 0 ? null : unshown('the engine does not tell which tests ran');
  }
  const wanted = taskType === 'quarantine' ? 'skipped' : 'passed';
  // Files may have tests of one name. Every one in the files of the task counts, and none in others.
  const own = tests.filter(({ path }) => path === null || targets.files.length === 0 || targets.files.includes(path));
  const wrong = targets.testIds.flatMap((id) => {
    const outcomes = own.flatMap((test) => (test.id === id ? [test.outcome] : []));
    if (outcomes.length === 0) return [`${id} (it did not run)`];
    const other = outcomes.find((outcome) => outcome !== wanted);
    return other === undefined ? [] : [`${id} (${other})`];
  });
  if (wrong.length > 0) return miss('VALIDATION_FAILED', `Not ${wanted}: ${toNamesText(wrong)}.`);
  const ran = countRun(tests, targets.files);
  const set = taskType === 'quarantine' ? targets.testIds.length : 0;
  const least = countRun(before?.tests ?? [], targets.files) - set;
  if (ran < least) {
    return miss('CRITERIA_NOT_MET', `Only ${toCountText(ran, 'test')} ran, of ${String(least)} that ran before.`);
  }
  return ran === 0 && set === 0 ? miss('NO_TESTS_RAN', 'The validation succeeded, but no test ran.') : null;
}

/** Tests of these files that were not skipped; of all files if none is named. */
function countRun(tests: readonly TestResult[], files: readonly string[]): number {
  return tests.filter(
    ({ outcome, path }) => outcome !== 'skipped' && (files.length === 0 || files.some((file) => file === path)),
  ).length;
}

function judgeCoverage(
  { targets, validation }: Judged,
  { coverage }: EngineRun,
  before: EngineRun | null,
): Missed | null {
  const delta = validation.successCriteria.min_coverage_delta;
  if (delta === null) return null;
  if (coverage === null) return unshown('the engine does not tell what is covered');
  const short = targets.modules.flatMap((module) => {
    const was = findPercent(before?.coverage ?? null, module) ?? 0;
    const is = findPercent(coverage, module);
    const need = Math.min(100, was + delta);
    if (is !== null && is >= need - ROUNDING) return [];
    return [
      `${module} (${is === null ? 'not measured any more' : `${toText(is)} %`}, and ${toText(need)} % were needed)`,
    ];
  });
  return short.length === 0 ? null : miss('CRITERIA_NOT_MET', `Covered too little: ${toNamesText(short)}.`);
}

function findPercent(coverage: EngineRun['coverage'], module: string): number | null {
  const file = coverage?.files.find(({ path }) => path === module);
  return file === undefined ? null : toPercent(file);
}

function toText(percent: number): string {
  return percent.toFixed(1);
}

function judgeExits(exitCodes: readonly (number | null)[]): ValidationVerdict {
  const failed = exitCodes.findIndex((code) => code !== 0);
  if (failed === -1) return { kind: 'met' };
  const code = exitCodes[failed] ?? null;
  const how = code === null ? 'did not end by itself' : `ended with exit code ${String(code)}`;
  return miss('VALIDATION_FAILED', `Command ${String(failed + 1)} of the validation ${how}.`);
}

function unshown(why: string, cause: Missed['cause'] = 'VALIDATION_FAILED'): Missed {
  return miss(cause, `The validation shows nothing: ${why}.`);
}

function miss(cause: Missed['cause'], detail: string): Missed {
  return { kind: 'missed', cause, detail };
}

import { DEFAULT_ENGINES_POLICY } from '../../core/model/default-policy.ts';
import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { AttemptCause, Task, TaskFinding } from '../../core/model/task.ts';
import { toArgv, toCommandLine } from '../../core/tasks/command-line.ts';
import { cutTail } from '../../core/text/cut-bytes.ts';
import { isSuccess, runKept, toCommand, withSite } from '../prepare/with-site.ts';
import { NO_CACHE, toEngineFindings } from './collect-findings.ts';
import type { OpenedTree, TaskDeps, TaskRunGround } from './task-run.ts';

/** Whether a tree is what the task asks for. */
export type TaskValidation =
  | { readonly kind: 'passed'; readonly exitCode: number | null }
  | {
      readonly kind: 'failed';
      readonly cause: AttemptCause;
      /** For people and for the next attempt. Untrusted. */
      readonly detail: string;
      readonly exitCode: number | null;
    };

export interface TaskToValidate {
  readonly task: Task;
  /** Of the task. */
  readonly findings: readonly TaskFinding[];
  /** Fingerprints of what was found before. */
  readonly known: ReadonlySet<string>;
  readonly opened: OpenedTree;
  readonly treeSha: Sha;
  /** Names its outputs. */
  readonly name: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_DETAIL_BYTES = 4 * 1024;
const SHOWN = 10;

/** Runs the validation of one task on a fresh checkout of a tree, without network, and judges its result (001.R39). */
export async function validateTask(
  deps: TaskDeps,
  ground: TaskRunGround,
  given: TaskToValidate,
  signal: AbortSignal,
): Promise<TaskValidation> {
  const byCommands = given.task.validation.check === null;
  return byCommands ? runCommands(deps, ground, given, signal) : runCheck(deps, ground, given, signal);
}

async function runCommands(
  deps: TaskDeps,
  { policy }: TaskRunGround,
  { task, opened, treeSha, name }: TaskToValidate,
  signal: AbortSignal,
): Promise<TaskValidation> {
  const { repository, dependencies } = opened;
  const tree = { repository, treeSha, masked: [], hasHistory: false };
  const request = { name, tree, dependencies, inputs: {}, programs: [] };
  if (task.validation.commands.length === 0)
    return { kind: 'failed', cause: 'NO_VALIDATION', detail: 'There is nothing to validate it with.', exitCode: null };
  return withSite(deps, request, signal, async (site): Promise<TaskValidation> => {
    for (const [index, spec] of task.validation.commands.entries()) {
      const timeoutMs = Math.min(spec.timeout_seconds, policy.validateTimeoutMinutes * 60) * 1000;
      const argv = toArgv(spec);
      const command = toCommand({ argv, env: spec.env, cwd: spec.cwd, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES });
      const run = { site, runId: repository.runId, name: `${name}-${String(index)}` };
      const outcome = await runKept(deps, run, command, signal);
      signal.throwIfAborted();
      if (isSuccess(outcome)) continue;
      const { kind, exitCode, stdoutTail, stderrTail, processesLeft } = outcome;
      const how = processesLeft > 0 ? 'left processes behind' : `ended with exit code ${String(exitCode)} (${kind})`;
      const said = cutTail(deps.redact(`${stdoutTail}\n${stderrTail}`).trim(), MAX_DETAIL_BYTES);
      const cause = kind === 'timed_out' ? 'VALIDATION_TIMEOUT' : 'VALIDATION_FAILED';
      return { kind: 'failed', cause, detail: `\`${toCommandLine(spec)}\` ${how}.\n${said}`, exitCode };
    }
    return { kind: 'passed', exitCode: 0 };
  });
}

/** An engine over the targets of the task. Its findings are judged as well as its exit code: neither replaces the other. */
async function runCheck(
  deps: TaskDeps,
  { key, policy }: TaskRunGround,
  given: TaskToValidate,
  signal: AbortSignal,
): Promise<TaskValidation> {
  const { task, opened, treeSha } = given;
  const { repository, dependencies, setupProblem } = opened;
  const { engine = task.tool, paths = [], project = '.' } = task.validation.check ?? {};
  const side = {
    ...{ key, repository, name: 'head' as const, treeSha, dependencies },
    ...{ isSetupFailed: setupProblem !== null, cache: NO_CACHE },
  };
  const { report } = await deps.runSide(
    side,
    {
      ...{
        policy: policy.engines ?? { ...DEFAULT_ENGINES_POLICY, auto: true },
        mode: 'current',
        only: [engine],
        paths,
      },
      ...{ timeoutSeconds: null, refresh: true },
    },
    signal,
  );
  const errors = report.engineErrors.filter((error) => error.engine === engine && error.project === project);
  const runs = report.runs.filter((run) => run.engine === engine && run.project === project);
  const run = runs.find(({ mode }) => mode === 'current') ?? runs[0];
  if (errors.length > 0 || run === undefined) {
    const why = errors.map(({ message }) => message).join(' ') || 'it did not run';
    return fail('VALIDATION_FAILED', deps.redact(`${engine}: ${why}`), null);
  }
  return judgeRunOf(given, run, deps.redact);
}

function judgeRunOf(
  { task, findings, known }: TaskToValidate,
  run: EngineRun,
  redact: (text: string) => string,
): TaskValidation {
  const { successCriteria } = task.validation;
  const exitCode = run.exit.exitCode;
  const failed = (cause: AttemptCause, detail: string): TaskValidation => fail(cause, redact(detail), exitCode);
  const found = toEngineFindings(run);
  const left = found.filter(({ fingerprint }) => task.findings.includes(fingerprint));
  const isGap = findings.some(({ kind }) => kind === 'coverage_gap');
  if (!isGap && left.length > 0) return failed('VALIDATION_FAILED', `These findings are still there:\n${list(left)}`);
  const added = found.filter(({ fingerprint, kind }) => !known.has(fingerprint) && kind !== 'coverage_gap');
  const { max_new_findings: maxNew, min_coverage_delta: minDelta, require_exit_code_0: requires } = successCriteria;
  if (maxNew !== null && added.length > maxNew)
    return failed('CRITERIA_NOT_MET', `The change brings new findings:\n${list(added)}`);
  if (!run.complete)
    return failed('VALIDATION_FAILED', `${run.engine} did not check everything: ${run.incompleteWhy ?? ''}`);
  if (requires && run.returnCode !== 0)
    return failed('VALIDATION_FAILED', `${run.engine} ended with exit code ${String(exitCode)}.\n${list(found)}`);
  if (run.tests !== null && run.tests.length === 0 && task.targets.testIds.length > 0)
    return failed('NO_TESTS_RAN', `${run.engine} ran no tests.`);
  const gap = minDelta === null ? null : findGap({ task, findings, run, minDelta });
  return gap === null ? { kind: 'passed', exitCode } : failed('CRITERIA_NOT_MET', gap);
}

/** Why the coverage of the modules has not grown enough; null: it has. */
function findGap({
  task,
  findings,
  run,
  minDelta,
}: {
  readonly task: Task;
  readonly findings: readonly TaskFinding[];
  readonly run: EngineRun;
  readonly minDelta: number;
}): string | null {
  for (const path of task.targets.modules) {
    const now = run.coverage?.files.find((file) => file.path === path);
    const before = findings.find(({ filePath }) => filePath === path)?.meta.percent ?? 0;
    const percent = now === undefined || now.total === 0 ? 0 : (now.covered / now.total) * 100;
    // A gap that is closed cannot grow by more.
    if (percent < 100 && percent - before < minDelta)
      return `The coverage of ${path} went from ${before.toFixed(1)} % to ${percent.toFixed(1)} %, and has to grow by ${String(minDelta)} points.`;
  }
  return null;
}

function list(findings: readonly TaskFinding[]): string {
  const lines = findings.slice(0, SHOWN).map(({ filePath, line, testId, message }) => {
    const place = filePath === null ? '' : `${filePath}${line === null ? '' : `:${String(line)}`}: `;
    return `- ${place}${testId === null ? '' : `${testId}: `}${message}`;
  });
  const rest = findings.length - lines.length;
  return cutTail([...lines, ...(rest > 0 ? [`and ${String(rest)} more`] : [])].join('\n'), MAX_DETAIL_BYTES);
}

function fail(cause: AttemptCause, detail: string, exitCode: number | null): TaskValidation {
  return { kind: 'failed', cause, detail, exitCode };
}

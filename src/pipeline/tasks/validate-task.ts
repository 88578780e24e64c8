import type { EngineRun } from '../../core/model/engine.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { AttemptCause, Task } from '../../core/model/task.ts';
import { toCommandLine } from '../../core/tasks/command-line.ts';
import { judgeValidation } from '../../core/tasks/judge-validation.ts';
import { cutTail } from '../../core/text/cut-bytes.ts';
import { isSuccess, runKept, toCommand, withSite } from '../prepare/with-site.ts';
import { runEngineCheck } from './run-engine-check.ts';
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
  /** The last run of its engine over the whole project; null: there was none. */
  readonly before: EngineRun | null;
  readonly opened: OpenedTree;
  readonly treeSha: Sha;
  /** Names its outputs. */
  readonly name: string;
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;
const MAX_DETAIL_BYTES = 4 * 1024;
const SHOWN = 10;

/**
 * Runs the validation of one task on a fresh checkout of a tree, without network, and judges its result (001.R39). Where an engine
 * judges it, the engine is run itself: its commands are what the agent was told to run.
 */
export async function validateTask(
  deps: TaskDeps,
  ground: TaskRunGround,
  given: TaskToValidate,
  signal: AbortSignal,
): Promise<TaskValidation> {
  const { task, before, opened, treeSha } = given;
  const { check } = task.validation;
  if (check === null) return runCommands(deps, ground, given, signal);
  const run = await runEngineCheck(deps, ground, { opened, treeSha, check }, signal);
  const exitCode = run !== null && 'exit' in run ? run.exit.exitCode : null;
  const exitCodes = run !== null && 'exit' in run ? [run.returnCode] : [];
  const verdict = judgeValidation(task, { exitCodes, check: run }, before);
  if (verdict.kind === 'met') return { kind: 'passed', exitCode };
  const shown =
    run !== null && 'findings' in run ? run.findings.slice(0, SHOWN).map(({ message }) => `\n- ${message}`) : [];
  const detail = cutTail(deps.redact(`${verdict.detail}${shown.join('')}`), MAX_DETAIL_BYTES);
  return { kind: 'failed', cause: verdict.cause, detail, exitCode };
}

/** The commands of the policy, for findings of no engine. */
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
      const { args: argv } = spec;
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

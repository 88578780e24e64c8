import { type ExceededLimitWords, findExceededLimit } from '../../core/limits/exceeded-limit.ts';
import type { Sha } from '../../core/model/ids.ts';
import type { ValidationRun } from '../../core/model/session.ts';
import { ranNoTests } from '../../core/validation/ran-no-tests.ts';
import type { Site, SiteOutcome } from '../../ports/site.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { isSuccess, withSite } from '../prepare/with-site.ts';
import type { PreparedFixup } from './fixup-session.ts';
import { runValidation } from './run-validation.ts';

/** The tree to validate, and how. */
export interface Validation {
  readonly treeSha: Sha;
  /** Names its output files; unique within the session. */
  readonly name: string;
  readonly commands: readonly string[];
  /** Whether a failed command is excused. Called after all commands have run; not called for timeouts and processes left. */
  readonly excuses?: (command: string) => Promise<boolean>;
}

type ValidateDeps = Pick<Deps, 'clock' | 'files' | 'log' | 'redact' | 'sites'>;

/** A command that ran, and the code that it rejects the change with, or null. `detail` is for people. */
interface Validated {
  readonly run: ValidationRun;
  readonly code:
    | 'VALIDATION_FAILED'
    | 'VALIDATION_TIMEOUT'
    | 'NO_TESTS_RAN'
    | 'PROCESSES_LEFT'
    | ExceededLimitWords['code']
    | null;
  readonly detail: string;
}

/**
 * Runs the validation commands one after the other on a fresh checkout of the tree, without network. The first command that does
 * not exit 0 in time, or leaves processes, rejects the change. Only a failure can be excused, not a timeout or processes left.
 */
export async function validateTree(
  deps: ValidateDeps,
  prepared: PreparedFixup,
  validation: Validation,
  signal: AbortSignal,
): Promise<OrEnded<readonly ValidationRun[]>> {
  const { treeSha, excuses } = validation;
  const { repository, dependencies } = prepared;
  const tree = { repository, treeSha, masked: [], hasHistory: false };
  const request = { name: validation.name, tree, dependencies, inputs: {}, programs: [] };
  const validated = await withSite(deps, request, signal, (site) =>
    runCommands(deps, { ...validation, prepared, site }, signal),
  );
  const runs: ValidationRun[] = [];
  for (const { run, code, detail } of validated) {
    const isExcused = isExcusable(code) && (await excuses?.(run.command)) === true;
    runs.push(isExcused ? { ...run, failedBefore: true } : run);
    if (code !== null && !isExcused) return rejected(code, detail, { validation: runs });
  }
  return ok(runs);
}

/** Stops after the first command that rejects the change, except for a failure that may be excused later. */
async function runCommands(
  deps: ValidateDeps,
  work: Validation & { readonly prepared: PreparedFixup; readonly site: Site },
  signal: AbortSignal,
): Promise<readonly Validated[]> {
  const { name, commands, excuses, prepared, site } = work;
  const { runId } = prepared.repository;
  const deadline = deps.clock.now() + prepared.policy.validateTimeoutMinutes * 60_000;
  const validated: Validated[] = [];
  for (const [index, line] of commands.entries()) {
    const timeoutMs = Math.max(1, deadline - deps.clock.now());
    const command = { site, runId, name: `${name}-${String(index)}`, line, timeoutMs };
    const { run, outcome } = await runValidation(deps, command, signal);
    const { exitCode, timedOut, durationMs } = run;
    deps.log.info({ sessionId: prepared.session.id, exitCode, timedOut, durationMs }, 'validation ran');
    const refusal = findRefusal(line, outcome);
    validated.push({ run, ...refusal });
    if (refusal.code !== null && (!isExcusable(refusal.code) || excuses === undefined)) break;
  }
  return validated;
}

/** Whether a change may be pushed although a command rejects it, because the command rejects the head too. */
export function isExcusable(code: string | null): boolean {
  return code === 'VALIDATION_FAILED' || code === 'NO_TESTS_RAN';
}

function findRefusal(line: string, outcome: SiteOutcome): Omit<Validated, 'run'> {
  const { kind, exitCode, processesLeft } = outcome;
  if (kind === 'timed_out') return { code: 'VALIDATION_TIMEOUT', detail: `\`${line}\` did not finish in time.` };
  const limit = findExceededLimit(kind);
  if (limit !== null) return { code: limit.code, detail: `\`${line}\` ${limit.did}.` };
  if (processesLeft > 0) return { code: 'PROCESSES_LEFT', detail: `\`${line}\` left processes behind.` };
  if (isSuccess(outcome)) {
    const isUntested = ranNoTests(`${outcome.stdoutTail}\n${outcome.stderrTail}`);
    return isUntested ? { code: 'NO_TESTS_RAN', detail: `\`${line}\` ran no tests.` } : { code: null, detail: '' };
  }
  const how = exitCode === null ? 'was killed' : `failed with exit code ${String(exitCode)}`;
  return { code: 'VALIDATION_FAILED', detail: `\`${line}\` ${how}.` };
}

import type { Sha } from '../../core/model/ids.ts';
import { MAX_TAIL_BYTES, type ValidationRun } from '../../core/model/session.ts';
import { cutTail } from '../../core/text/cut-bytes.ts';
import type { SandboxOutcome } from '../../ports/sandbox.ts';
import type { Deps } from '../deps.ts';
import { type OrEnded, ok, rejected } from '../prepare/or-ended.ts';
import { runCommandLine } from '../prepare/run-command-line.ts';
import type { PreparedAttempt } from './fixup-session.ts';

const MAX_VALIDATION_OUTPUT_BYTES = 64 * 1024 * 1024;

/** What is validated. */
export interface Validation {
  readonly treeSha: Sha;
  /** Names the checkout and the output files: no other validation of the session has it. */
  readonly name: string;
  readonly commands: readonly string[];
  /** Whether a command that ran and did not exit 0 is let through all the same. */
  readonly excuses?: (command: string) => Promise<boolean>;
}

/**
 * Runs the validation commands one after the other on a fresh checkout of the tree, in a fresh sandbox without network. The
 * first one that does not exit 0 in time, or leaves processes, refuses the change.
 */
export async function validateTree(
  deps: Pick<Deps, 'clock' | 'files' | 'git' | 'log' | 'redact' | 'sandbox'>,
  prepared: PreparedAttempt,
  validation: Validation,
  signal: AbortSignal,
): Promise<OrEnded<readonly ValidationRun[]>> {
  const { treeSha, name, commands, excuses } = validation;
  const checkout = await deps.git.checkoutTree(prepared.repository, treeSha, name, signal);
  await deps.sandbox.giveToSlot(checkout, prepared.slot);
  const deadline = deps.clock.now() + prepared.policy.validateTimeoutMinutes * 60_000;
  const runs: ValidationRun[] = [];
  for (const [index, command] of commands.entries()) {
    const timeoutMs = Math.max(1, deadline - deps.clock.now());
    const { dependencies } = prepared;
    const limits = { timeoutMs, maxOutputBytes: MAX_VALIDATION_OUTPUT_BYTES };
    const line = { command, checkout, name: `${name}-${String(index)}`, dependencies, ...limits };
    const outcome = await runCommandLine(deps, prepared, line, signal);
    signal.throwIfAborted();
    const run = toValidationRun(deps, command, outcome);
    deps.log.info(
      { sessionId: prepared.session.id, exitCode: run.exitCode, timedOut: run.timedOut, durationMs: run.durationMs },
      'validation ran',
    );
    const refusal = toRefusal(run, outcome);
    const isExcused = refusal?.code === 'VALIDATION_FAILED' && (await excuses?.(command)) === true;
    runs.push(isExcused ? { ...run, failedBefore: true } : run);
    if (refusal !== null && !isExcused) return rejected(refusal.code, refusal.detail, { validation: runs });
  }
  return ok(runs);
}

function toValidationRun(deps: Pick<Deps, 'redact'>, command: string, outcome: SandboxOutcome): ValidationRun {
  const output = deps.redact(`${outcome.stdoutTail}\n${outcome.stderrTail}`);
  return {
    command,
    exitCode: outcome.exitCode,
    timedOut: outcome.kind === 'timed_out',
    durationMs: outcome.durationMs,
    tail: cutTail(output.trim(), MAX_TAIL_BYTES),
  };
}

function toRefusal(
  run: ValidationRun,
  outcome: SandboxOutcome,
): { readonly code: 'VALIDATION_FAILED' | 'VALIDATION_TIMEOUT' | 'PROCESSES_LEFT'; readonly detail: string } | null {
  if (run.timedOut) return { code: 'VALIDATION_TIMEOUT', detail: `\`${run.command}\` did not end in time.` };
  if (outcome.processesLeft > 0) return { code: 'PROCESSES_LEFT', detail: `\`${run.command}\` left processes behind.` };
  if (outcome.kind === 'exited' && run.exitCode === 0) return null;
  return {
    code: 'VALIDATION_FAILED',
    detail: `\`${run.command}\` ended with exit code ${String(run.exitCode)} (${outcome.kind}).`,
  };
}

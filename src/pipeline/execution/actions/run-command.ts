import { readPlanPath } from '../../../core/execution/plan-path.ts';
import type { CommandEnd } from '../../../core/model/command-end.ts';
import { WorkplaceError } from '../../../core/model/errors.ts';
import type { ActionAdapter, ActionEnd, Compensation } from '../../../ports/execution.ts';
import type { Workplace } from '../../../ports/workplace.ts';
import { done, failed, type Params } from './file-action.ts';
import { prepareRecord, restoresRecord, undoRecord } from './folder-record.ts';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const UNDO_TIMEOUT_MS = 300_000;

/**
 * `run_command`: runs a command in the workplace. Its stdout is the output of the step. With `undo`, that command takes it back;
 * otherwise the files of the workplace are recorded before and brought back.
 */
export const runCommand: ActionAdapter<Workplace> = {
  actionType: 'run_command',
  toolName: 'run a command',
  estimateUsd: 0,
  prepareUndo: async ({ params }, { place }, signal) => {
    const { undo } = params;
    if (Array.isArray(undo)) return { argv: undo.map(String), cwd: toCwd(params) };
    return prepareRecord(place, signal);
  },
  restoresPlace: restoresRecord,
  act: async ({ params, timeout_seconds }, { place }, signal) => {
    const cwd = toCwd(params);
    const problem = findCwdProblem(cwd);
    if (problem !== null) return failed(problem);
    const argv = toArgv(params['argv']);
    // The executor ends the step a moment earlier; this is for a command that does not end on the signal.
    const timeoutMs = timeout_seconds * 1000;
    return toEnd(await place.run({ argv, cwd, timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES }, signal));
  },
  undo: async (compensation, place, signal) => {
    if (restoresRecord(compensation)) return undoRecord(compensation, place, signal);
    await runUndo(compensation, place, signal);
    return { note: null };
  },
};

async function runUndo({ argv, cwd }: Compensation, place: Workplace, signal: AbortSignal): Promise<void> {
  const command = {
    argv: toArgv(argv),
    cwd: String(cwd),
    timeoutMs: UNDO_TIMEOUT_MS,
    maxOutputBytes: MAX_OUTPUT_BYTES,
  };
  const end = toEnd(await place.run(command, signal));
  if (end.kind === 'failed')
    throw new WorkplaceError('WRONG_KIND', `the command that undoes the step failed: ${end.message}`);
}

const PROBLEMS: Readonly<Record<Exclude<CommandEnd['kind'], 'exited' | 'not_started'>, string>> = {
  timed_out: 'did not end in time',
  output_flood: 'printed too much',
  aborted: 'was stopped',
  memory_limit: 'used more memory than it may',
  process_limit: 'started more processes than it may',
  disk_quota: 'wrote more to the disk than it may',
};

function toEnd({ kind, exitCode, signal, stdoutTail, stderrTail, processesLeft }: CommandEnd): ActionEnd {
  const output = stdoutTail === '' ? stderrTail : stdoutTail;
  if (kind === 'not_started') {
    const message = `the command could not be started: ${stderrTail.trim()}`;
    return { kind: 'failed', isTransient: true, hasActed: false, message, output: '', costUsd: null };
  }
  if (kind !== 'exited') return failed(`the command ${PROBLEMS[kind]}`, output);
  if (processesLeft > 0) return failed('the command left processes that could not be ended', output);
  if (exitCode === 0) return done(stdoutTail);
  const how = exitCode === null ? `was ended by ${signal ?? 'a signal'}` : `exited with ${exitCode}`;
  const last = stderrTail.trim().split('\n').at(-1) ?? '';
  return failed(`the command ${how}${last === '' ? '' : `: ${last}`}`, output);
}

function toCwd({ cwd }: Params): string {
  return typeof cwd === 'string' ? cwd : '.';
}

/** A link in it is harmless: the command sees nothing but the workplace. */
function findCwdProblem(cwd: string): string | null {
  const read = readPlanPath(cwd);
  return read.kind === 'refused' ? `"cwd" ${JSON.stringify(cwd)} cannot be used: ${read.why}` : null;
}

function toArgv(argv: unknown): readonly string[] {
  return Array.isArray(argv) ? argv.map(String) : [];
}

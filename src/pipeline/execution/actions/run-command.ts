import { WorkplaceError } from '../../../core/model/errors.ts';
import type { ActionAdapter } from '../../../ports/execution.ts';
import type { Workplace, WorkplaceOutcome } from '../../../ports/workplace.ts';
import { readText, readWords } from './read-params.ts';

const MAX_OUTPUT_BYTES = 8 * 1024 * 1024;
const MAX_ERROR_LENGTH = 500;
const UNDO_TIMEOUT_MS = 5 * 60_000;

/**
 * `run_command` (004.R3). Undone by its `undo` command, or else by bringing the whole place back as it was before. Ended by its signal:
 * the executor keeps the time.
 */
export const RUN_COMMAND: ActionAdapter<Workplace> = {
  actionType: 'run_command',
  toolName: 'run a command',
  estimateUsd: 0,
  prepareUndo: async ({ params }, { place }, signal) => {
    const undo = readWords(params, 'undo');
    const cwd = toCwd(params);
    return undo === null ? { record: await place.recordAll(signal) } : { undo, cwd };
  },
  act: async ({ params, timeout_seconds }, { place }, signal) => {
    const argv = readWords(params, 'argv');
    if (argv === null) throw new WorkplaceError('the parameter argv is missing');
    const timeoutMs = timeout_seconds * 1000;
    const end = await place.run({ argv, cwd: toCwd(params), timeoutMs, maxOutputBytes: MAX_OUTPUT_BYTES }, signal);
    const output = end.stdout;
    if (end.kind === 'exited' && end.exitCode === 0) return { kind: 'completed', output, costUsd: null };
    return { kind: 'failed', isTransient: false, message: toReason(end), output, costUsd: null };
  },
  undo: async (compensation, place, signal) => {
    const argv = readWords(compensation, 'undo');
    if (argv === null) {
      await place.restoreAll(readText(compensation, 'record'), signal);
      return { note: null };
    }
    const command = { argv, cwd: toCwd(compensation), timeoutMs: UNDO_TIMEOUT_MS, maxOutputBytes: MAX_OUTPUT_BYTES };
    const end = await place.run(command, signal);
    if (end.kind !== 'exited' || end.exitCode !== 0)
      throw new WorkplaceError(`the undo command failed: ${toReason(end)}`);
    return { note: null };
  },
};

function toCwd(params: Readonly<Record<string, unknown>>): string {
  return params['cwd'] === undefined ? '.' : readText(params, 'cwd');
}

function toReason({ kind, exitCode, signal, stderrTail }: WorkplaceOutcome): string {
  const how = kind === 'exited' ? `exit code ${exitCode ?? `of signal ${signal ?? 'unknown'}`}` : kind;
  const said = stderrTail.trim().slice(-MAX_ERROR_LENGTH);
  return said === '' ? how : `${how}: ${said}`;
}

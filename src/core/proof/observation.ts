import type { CommandEnd } from '../model/command-end.ts';
import { InvariantError } from '../model/errors.ts';
import type { ProofRun } from '../model/proof.ts';
import type { ValidationRun } from '../model/session.ts';
import { cutTail } from '../text/cut-bytes.ts';
import { ranNoTests } from '../validation/ran-no-tests.ts';
import type { NamedFailure } from './proof-evidence.ts';

/** How a command ended on one tree, and what it printed of failures. */
export interface Observation {
  readonly run: ValidationRun;
  /** `unknown`: it could not do its work here, did not end in time, or ran nothing. Never good or bad news. */
  readonly state: 'red' | 'green' | 'unknown';
  readonly failures: readonly NamedFailure[];
}

/** A shell could not start the program. */
const NOT_STARTED: ReadonlySet<number | null> = new Set([126, 127]);
const EXCERPT_BYTES = 1024;

export function toRunState(
  end: Pick<CommandEnd, 'kind' | 'exitCode' | 'processesLeft' | 'stdoutTail' | 'stderrTail'>,
  failures: readonly NamedFailure[],
): Observation['state'] {
  const { kind, exitCode, processesLeft, stdoutTail, stderrTail } = end;
  if (kind !== 'exited' || processesLeft > 0 || NOT_STARTED.has(exitCode)) return 'unknown';
  // A file that cannot be loaded has no tests that ran, and is red all the same.
  if (failures.length === 0 && ranNoTests(`${stdoutTail}\n${stderrTail}`)) return 'unknown';
  return exitCode === 0 ? 'green' : 'red';
}

/** Several commands that were run as one: red if one is red, green if all are. */
export function joinStates(observations: readonly Observation[]): Observation {
  const find = (state: Observation['state']): Observation | undefined =>
    observations.find((one) => one.state === state);
  const worst = find('red') ?? find('unknown') ?? observations[0];
  if (worst === undefined) throw new InvariantError('nothing was run');
  return worst;
}

/** A command that was not run: there was no time left. */
export function toNotRun(command: string): Observation {
  const run = { command, exitCode: null, timedOut: true, durationMs: 0, tail: '' };
  return { run, state: 'unknown', failures: [] };
}

export function toProofRun({ run: { exitCode, timedOut, tail } }: Pick<Observation, 'run'>): ProofRun {
  return { exitCode, timedOut, excerpt: cutTail(tail, EXCERPT_BYTES) };
}

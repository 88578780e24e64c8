import type { CheckResult } from '../model/pull-request.ts';
import type { Progress } from './parse-result.ts';

/** What one result says. `waiting`: over, but neither green nor red (a lone cancel, a value that we do not know). */
export type Signal = 'green' | 'red' | 'running' | 'blocked' | 'waiting';

/** The decided meaning of every conclusion (resolution S3): no other place of the product gives one. */
const SIGNALS: Readonly<Record<NonNullable<CheckResult['conclusion']>, Signal>> = {
  success: 'green',
  neutral: 'green',
  skipped: 'green',
  failure: 'red',
  timed_out: 'red',
  startup_failure: 'red',
  action_required: 'blocked',
  cancelled: 'waiting',
  stale: 'waiting',
  unknown: 'waiting',
};

/** What runs says nothing yet, whatever conclusion it carries. */
export function toSignal({ status, conclusion }: Progress): Signal {
  if (status !== 'completed') return 'running';
  return conclusion === null ? 'waiting' : SIGNALS[conclusion];
}

/** Whether a result is a failure, and over. */
export function isRed(result: Progress): boolean {
  return toSignal(result) === 'red';
}

/** Ended without a say of its own: a newer result of the same check replaces it, whatever event that one has. */
export function isCalledOff({ status, conclusion }: Progress): boolean {
  return status === 'completed' && (conclusion === 'cancelled' || conclusion === 'stale');
}

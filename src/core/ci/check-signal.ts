import type { CheckResult } from '../model/pull-request.ts';
import type { Progress } from './parse-result.ts';

/**
 * What one result means. `blocked`: it waits for a person. `waiting`: completed, but neither green nor red (cancelled and not
 * replaced, or unknown).
 */
export type Signal = 'green' | 'red' | 'running' | 'blocked' | 'waiting';

/** The meaning of every conclusion (resolution S3). It is defined only here. */
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

/**
 * A result that has not completed means nothing yet, regardless of its conclusion. `waiting` is GitHub's word for a deployment
 * protection rule that is not satisfied.
 * https://docs.github.com/en/pull-requests/reference/status-checks
 */
export function toSignal({ status, conclusion }: Progress): Signal {
  if (status === 'waiting') return 'blocked';
  if (status !== 'completed') return 'running';
  return conclusion === null ? 'waiting' : SIGNALS[conclusion];
}

/** Whether a result is a completed failure. */
export function isRed(result: Progress): boolean {
  return toSignal(result) === 'red';
}

/** Completed without a verdict. Any newer result of the same check replaces it, even of another event. */
export function isCalledOff({ status, conclusion }: Progress): boolean {
  return status === 'completed' && (conclusion === 'cancelled' || conclusion === 'stale');
}

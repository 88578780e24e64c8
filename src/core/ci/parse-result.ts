import { CHECK_CONCLUSIONS, CHECK_STATUSES, type CheckResult } from '../model/pull-request.ts';

/**
 * Maps GitHub's words for a result, in any case and from any of its APIs (traps 67, 68, 78, 79). Only this file knows them. An
 * unknown word becomes `unknown`, which waits and never counts as green.
 */

/** `requested`: created and not queued yet. `pending`: held back by a concurrency group. Both start without a person. */
const STATUSES: ReadonlyMap<string, CheckResult['status']> = new Map([
  ...CHECK_STATUSES.map((status) => [status, status] as const),
  ['requested', 'queued'],
  ['pending', 'queued'],
]);

const CONCLUSIONS: ReadonlyMap<string, NonNullable<CheckResult['conclusion']>> = new Map(
  CHECK_CONCLUSIONS.map((conclusion) => [conclusion, conclusion]),
);

/** The progress and outcome of a result. */
export type Progress = Pick<CheckResult, 'status' | 'conclusion'>;

/** States of a commit status. `expected`: a branch rule requires it, and nobody has reported it. */
const STATES: ReadonlyMap<string, Progress> = new Map<string, Progress>([
  ['expected', { status: 'queued', conclusion: null }],
  ['pending', { status: 'in_progress', conclusion: null }],
  ['success', { status: 'completed', conclusion: 'success' }],
  ['failure', { status: 'completed', conclusion: 'failure' }],
  ['error', { status: 'completed', conclusion: 'failure' }],
]);

const UNKNOWN_STATE: Progress = { status: 'unknown', conclusion: null };

/** Status and conclusion of a check run, check suite or workflow run. Completed without a conclusion is `unknown`. */
export function toProgress(raw: { readonly status?: unknown; readonly conclusion?: unknown }): Progress {
  const status = find(STATUSES, raw.status) ?? 'unknown';
  if (raw.conclusion !== null && raw.conclusion !== undefined)
    return { status, conclusion: find(CONCLUSIONS, raw.conclusion) ?? 'unknown' };
  return { status, conclusion: status === 'completed' ? 'unknown' : null };
}

/** The state of a commit status. */
export function toStateProgress(state: unknown): Progress {
  return find(STATES, state) ?? UNKNOWN_STATE;
}

function find<Value>(words: ReadonlyMap<string, Value>, raw: unknown): Value | undefined {
  return typeof raw === 'string' ? words.get(raw.toLowerCase()) : undefined;
}

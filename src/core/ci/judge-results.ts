import type { EpochMs } from '../model/ids.ts';
import type { Policy } from '../model/policy.ts';
import type { CiStatus, MissingCheck } from '../model/snapshot.ts';
import { toCountText, toDurationText, toNamesText } from '../text/words.ts';
import { type Signal, toSignal } from './check-signal.ts';
import { type CiResult, compareText } from './latest-results.ts';
import { findMissing } from './required-checks.ts';

/** The results to judge. */
export interface JudgeInput {
  /** The latest results that are not ignored, and those of them that count. */
  readonly latest: readonly CiResult[];
  readonly counted: readonly CiResult[];
  /** Names of re-run checks whose results GitHub has withdrawn. */
  readonly withdrawn: readonly string[];
  /** When a young head settles; null if it is old enough. */
  readonly settlesAt: EpochMs | null;
  readonly policy: Pick<Policy['ci'], 'settleSeconds' | 'required'>;
  readonly noCiProven: boolean;
}

/** What all results together mean. */
export interface Judgement {
  readonly status: CiStatus;
  readonly reason: string;
  readonly isUnapproved: boolean;
  readonly missing: readonly MissingCheck[];
}

/** `unapproved`: a workflow run that may not start before a person approves it. */
type Strong = Signal | 'unapproved';

/** Signals that decide the verdict if one result has them, strongest first. */
const BY_STRENGTH: readonly (readonly [Strong, CiStatus, (names: readonly string[]) => string])[] = [
  ['unapproved', 'blocked', (names) => `${toNamesText(names)} ${isOrAre(names)} waiting for approval.`],
  ['red', 'failure', (names) => `${toNamesText(names)} failed.`],
  ['blocked', 'blocked', (names) => `${toNamesText(names)} ${isOrAre(names)} waiting for approval.`],
  ['waiting', 'pending', (names) => `${toNamesText(names)} ${isOrAre(names)} neither passed nor failed.`],
];

/**
 * The verdict over results. Running checks are waited for first. A workflow run that nobody approved comes before red results,
 * because the code may not run here either (traps 11 and 12). Any other wait for a person comes after them: what is red can be
 * worked on meanwhile. Unknown values count neither as green nor as red.
 */
export function judgeResults(input: JudgeInput): Judgement {
  const { counted, withdrawn, settlesAt, policy } = input;
  const running = toNamesOf(counted, 'running');
  if (running.length > 0) return pending(`${toNamesText(running)} ${isOrAre(running)} still running.`);
  if (withdrawn.length > 0) return pending(`${toNamesText(withdrawn)} ${isOrAre(withdrawn)} about to run again.`);
  for (const [signal, status, toReason] of BY_STRENGTH) {
    const names = toNamesOf(counted, signal);
    if (names.length > 0) return judgement(status, toReason(names), { isUnapproved: signal === 'unapproved' });
  }
  const missing = findMissing(policy.required, input.latest);
  if (missing.length > 0) return judgeMissing(missing, input);
  if (settlesAt !== null) {
    const what = counted.length === 0 ? 'There is no result yet' : 'CI is green';
    return pending(`${what}; confirming for ${toDurationText(policy.settleSeconds)}, in case more checks start.`);
  }
  if (counted.length > 0) return judgement('success', `${toCountText(counted.length, 'result')}, all green.`);
  if (input.noCiProven) return judgement('none', 'No CI is configured and none ever reported.');
  return pending('There is no result yet, and no proof that there is no CI.');
}

/** A workflow run that waits for a person reports no further jobs, which is why a required one is missing (trap 11). */
function judgeMissing(missing: readonly MissingCheck[], { latest, settlesAt }: JudgeInput): Judgement {
  const what = `There is no result of ${toNamesText(missing.map(({ name }) => name))} yet`;
  const unapproved = toNamesOf(latest, 'unapproved');
  const blocked = [...unapproved, ...toNamesOf(latest, 'blocked')].sort(compareText);
  if (blocked.length > 0) {
    const reason = `${what}, and ${toNamesText(blocked)} ${isOrAre(blocked)} waiting for approval.`;
    return judgement('blocked', reason, { isUnapproved: unapproved.length > 0 });
  }
  const near = missing.flatMap((check) => check.near ?? []);
  // A young head may still get the result.
  if (near.length === 0 || settlesAt !== null) return pending(`${what}.`);
  return judgement('pending', `${what}; ${toNamesText(near)} ${hasOrHave(near)} reported.`, { missing });
}

function pending(reason: string): Judgement {
  return judgement('pending', reason);
}

function judgement(
  status: CiStatus,
  reason: string,
  { isUnapproved = false, missing = [] }: Partial<Pick<Judgement, 'isUnapproved' | 'missing'>> = {},
): Judgement {
  return { status, reason, isUnapproved, missing };
}

function toNamesOf(results: readonly CiResult[], signal: Strong): readonly string[] {
  return results
    .filter((check) => toStrong(check) === signal)
    .map((check) => check.name)
    .sort(compareText);
}

/** Of a workflow run with an unknown conclusion, the jobs are about to be told. */
function toStrong(check: CiResult): Strong {
  const signal = toSignal(check);
  if (check.isRun !== true || check.status !== 'completed') return signal;
  if (signal === 'blocked') return 'unapproved';
  return check.conclusion === 'unknown' ? 'running' : signal;
}

function isOrAre(names: readonly string[]): string {
  return names.length === 1 ? 'is' : 'are';
}

function hasOrHave(names: readonly string[]): string {
  return names.length === 1 ? 'has' : 'have';
}

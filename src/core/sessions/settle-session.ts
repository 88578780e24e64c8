import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Fixup, RejectCode, ReviewAnswer, SessionOutcome, SupersededBy } from '../model/session.ts';
import type { Stop, Workspace, WorkspacePatch } from '../model/workspace.ts';
import { toCountText } from '../text/words.ts';
import { describeHeld } from './describe-held.ts';
import { toRejectEffect } from './reject-effects.ts';
import { settleUndo } from './settle-undo.ts';

/** How often a fixup is started for one cause if its process dies, before a person is asked. */
export const MAX_DIED_RUNS = 3;

/** How often a fixup is started for one cause while the model does not work, before a person is asked. */
export const MAX_FREE_RUNS = 30;

/** Earlier sessions of the same cause, since a person last asked for a fresh start. */
export interface EarlierRuns {
  readonly died: number;
  /** Those that counted as no attempt and were to be launched again. */
  readonly free: number;
  /** Those whose task did not fit into the context of the model. */
  readonly tooLong: number;
}

/**
 * After these, the same fixup would be launched again at once. Only a person can restore a permission, and a person who stopped
 * it wants no restart. A pause needs no stop, because it holds by itself.
 */
const NEEDS_PERSON: ReadonlySet<SupersededBy> = new Set(['permission', 'stopped']);

/** How many answers the reason of a stop quotes, and how much of each. */
const MAX_REASONS = 2;
const MAX_REASON_LENGTH = 200;

const NOTHING_PUSHED: WorkspacePatch = { activeSessionId: null, lastCiRunId: null, staleCiSince: null };

/**
 * What the end of a session changes in its workspace. An acceptance that pushed nothing changes nothing: the change still waits.
 * Otherwise: the counter (002.R5, R6, R28; resolution C26), the stale clock (resolution
 * S11) and the stop (resolution S8).
 */
export function settleSession(
  workspace: Pick<Workspace, 'consecutiveAttempts'>,
  fixup: Fixup,
  outcome: SessionOutcome,
  context: { readonly now: EpochMs; readonly before: EarlierRuns },
): WorkspacePatch {
  if (fixup.undo !== undefined) return settleUndo(fixup, fixup.undo, outcome, context.now);
  if (outcome.kind === 'pushed') return settlePushed(workspace, fixup, outcome, context.now);
  return fixup.accept === undefined ? settleUnpushed(workspace, fixup, outcome, context.before) : UNACCEPTED;
}

const UNACCEPTED: WorkspacePatch = { activeSessionId: null };

type Pushed = SessionOutcome & { readonly kind: 'pushed' };

function settlePushed(
  { consecutiveAttempts }: Pick<Workspace, 'consecutiveAttempts'>,
  { accept }: Fixup,
  { commitSha }: Pushed,
  now: EpochMs,
): WorkspacePatch {
  return {
    activeSessionId: null,
    consecutiveAttempts: consecutiveAttempts + 1,
    lastPushAt: now,
    lastPushSha: commitSha,
    staleCiSince: now,
    stop: null,
    // The launch of a fixup stored it.
    ...(accept === undefined ? {} : { lastCiRunId: accept.ciRunId }),
  };
}

function settleUnpushed(
  workspace: Pick<Workspace, 'consecutiveAttempts'>,
  fixup: Fixup,
  outcome: Exclude<SessionOutcome, Pushed>,
  before: EarlierRuns,
): WorkspacePatch {
  switch (outcome.kind) {
    case 'rejected':
      return settleRejected(workspace, fixup, outcome, before);
    case 'suggested':
      return stopFor(
        fixup,
        'SUGGESTED',
        'A change passed validation. Ratchet did not push it, because the policy only suggests changes.',
      );
    case 'held':
      return stopFor(fixup, 'HELD', describeHeld(outcome.facts));
    case 'declined':
      return stopFor(fixup, 'DECLINED', describeAnswers(outcome.answers));
    case 'timed_out':
      return { ...NOTHING_PUSHED, consecutiveAttempts: workspace.consecutiveAttempts + 1 };
    case 'superseded':
      return NEEDS_PERSON.has(outcome.why) ? stopFor(fixup, 'NEEDS_HUMAN', outcome.detail) : NOTHING_PUSHED;
    case 'died':
      if (before.died + 1 < MAX_DIED_RUNS) return NOTHING_PUSHED;
      return stopFor(fixup, 'NO_PUSH', diedTooOften(outcome.detail));
    default:
      return assertNever(outcome);
  }
}

function settleRejected(
  { consecutiveAttempts }: Pick<Workspace, 'consecutiveAttempts'>,
  fixup: Fixup,
  { code, detail }: SessionOutcome & { readonly kind: 'rejected' },
  before: EarlierRuns,
): WorkspacePatch {
  if (code === 'ANSWER_NEEDED') return stopFor(fixup, 'QUESTION', detail);
  const { counts, then } = toRejectEffect(code);
  const isTooOften = !counts && before.free + 1 >= MAX_FREE_RUNS;
  const goesOn = then === 'hold' ? !isTooOften : then === 'once_more' && before.tooLong === 0;
  const reason =
    then === 'hold' ? `The fixup started ${MAX_FREE_RUNS} times, and the model failed each time: ${detail}` : detail;
  return {
    ...(goesOn ? NOTHING_PUSHED : stopFor(fixup, 'NO_PUSH', reason, code)),
    ...(counts ? { consecutiveAttempts: consecutiveAttempts + 1 } : {}),
  };
}

/** Nothing was pushed, and nothing is launched again for this cause. */
function stopFor({ causeKey }: Fixup, code: Stop['code'], reason: string, reject?: RejectCode): WorkspacePatch {
  return { ...NOTHING_PUSHED, stop: { causeKey, code, reason, ...(reject === undefined ? {} : { reject }) } };
}

function describeAnswers(answers: readonly ReviewAnswer[]): string {
  const declined = answers.filter(({ status }) => status === 'declined').length;
  const leftCount = answers.length - declined;
  const reasons = answers
    .slice(0, MAX_REASONS)
    .map(({ reason }) => ` "${reason.slice(0, MAX_REASON_LENGTH).toWellFormed()}"`);
  const counts = `${toCountText(declined, 'review comment')} declined, ${leftCount} left to a person`;
  return `The agent changed nothing: ${counts}. It says:${reasons.join('')}`;
}

function diedTooOften(detail: string): string {
  return `The fixup was started ${MAX_DIED_RUNS} times and died each time: ${detail}`;
}

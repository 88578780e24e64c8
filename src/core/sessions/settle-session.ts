import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Fixup, ReviewAnswer, SessionOutcome, SupersededBy } from '../model/session.ts';
import type { Stop, Workspace, WorkspacePatch } from '../model/workspace.ts';
import { toCountText } from '../text/words.ts';

/** How often a fixup is started for one cause if its process dies, before a person is asked. */
export const MAX_DIED_RUNS = 3;

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
 * What the end of a session changes in its workspace: the counter (002.R5, R6, R28; resolution C26), the stale clock (resolution
 * S11) and the stop (resolution S8). `diedBefore` is the number of earlier sessions of the same cause that died.
 */
export function settleSession(
  workspace: Pick<Workspace, 'consecutiveAttempts'>,
  fixup: Fixup,
  outcome: SessionOutcome,
  context: { readonly now: EpochMs; readonly diedBefore: number },
): WorkspacePatch {
  switch (outcome.kind) {
    case 'pushed':
      return {
        activeSessionId: null,
        consecutiveAttempts: workspace.consecutiveAttempts + 1,
        lastPushAt: context.now,
        lastPushSha: outcome.commitSha,
        staleCiSince: context.now,
        stop: null,
      };
    case 'rejected':
      return stopFor(fixup, 'NO_PUSH', outcome.detail);
    case 'suggested':
      return stopFor(fixup, 'SUGGESTED', 'A change passed every check and was not pushed: the policy only suggests.');
    case 'declined':
      return stopFor(fixup, 'DECLINED', describeAnswers(outcome.answers));
    case 'timed_out':
      return { ...NOTHING_PUSHED, consecutiveAttempts: workspace.consecutiveAttempts + 1 };
    case 'superseded':
      return NEEDS_PERSON.has(outcome.why) ? stopFor(fixup, 'NEEDS_HUMAN', outcome.detail) : NOTHING_PUSHED;
    case 'died':
      if (context.diedBefore + 1 < MAX_DIED_RUNS) return NOTHING_PUSHED;
      return stopFor(fixup, 'NO_PUSH', diedTooOften(outcome.detail));
    default:
      return assertNever(outcome);
  }
}

/** Nothing was pushed, no attempt is counted, and nothing is launched again for this cause. */
function stopFor({ causeKey }: Fixup, code: Stop['code'], reason: string): WorkspacePatch {
  return { ...NOTHING_PUSHED, stop: { causeKey, code, reason } };
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

import { assertNever } from '../../core/model/errors.ts';
import type { EpochMs } from '../../core/model/ids.ts';
import type { FixupSession, SessionOutcome } from '../../core/model/session.ts';
import type { NewTransition } from '../../ports/store.ts';

/** The line of the transition log with which a session ends: a break, unless it pushed (002.R23). */
export function toEndTransition(session: FixupSession, outcome: SessionOutcome, createdAt: EpochMs): NewTransition {
  return {
    key: session.key,
    action: outcome.kind === 'pushed' ? 'SESSION_ENDED' : 'BREAK',
    code: outcome.kind === 'rejected' ? outcome.code : outcome.kind.toUpperCase(),
    reason: describeOutcome(outcome),
    snapshot: null,
    createdAt,
  };
}

/** One sentence for the transition log and the operator. */
export function describeOutcome(outcome: SessionOutcome): string {
  switch (outcome.kind) {
    case 'pushed':
      return `Pushed ${outcome.commitSha}.`;
    case 'timed_out':
      return `Ended at its time limit after ${String(Math.round(outcome.afterMs / 1000))} s; counted as one attempt.`;
    case 'suggested':
      return `Passed the gate and was offered as a patch (${String(outcome.diff.files)} files); nothing was pushed.`;
    case 'declined':
      return `Every review item was declined or left to a person (${String(outcome.answers.length)}); nothing was pushed.`;
    case 'rejected':
    case 'superseded':
    case 'died':
      return outcome.detail;
    default:
      return assertNever(outcome);
  }
}

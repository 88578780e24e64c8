import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { Fixup, SessionOutcome } from '../model/session.ts';
import type { Workspace, WorkspacePatch } from '../model/workspace.ts';

/** How often a fixup whose process died is started again for one cause before a person is asked. */
export const MAX_DIED_RUNS = 3;

const NOTHING_PUSHED: WorkspacePatch = { activeSessionId: null, lastCiRunId: null, staleCiSince: null };

/**
 * What the end of a session changes in its workspace: the counter (002.R5, R6, R28; resolution C26), the stale clock
 * (resolution S11) and the stop (resolution S8). `diedBefore` counts the earlier sessions of the same cause that died.
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
      return { ...NOTHING_PUSHED, stop: { causeKey: fixup.causeKey, code: 'NO_PUSH', reason: outcome.detail } };
    case 'timed_out':
      return { ...NOTHING_PUSHED, consecutiveAttempts: workspace.consecutiveAttempts + 1 };
    case 'superseded':
      // Without a stop the same launch would follow at once: only a person can give the permission back.
      if (outcome.why !== 'permission') return NOTHING_PUSHED;
      return { ...NOTHING_PUSHED, stop: { causeKey: fixup.causeKey, code: 'NEEDS_HUMAN', reason: outcome.detail } };
    case 'died':
      if (context.diedBefore + 1 < MAX_DIED_RUNS) return NOTHING_PUSHED;
      return {
        ...NOTHING_PUSHED,
        stop: { causeKey: fixup.causeKey, code: 'NO_PUSH', reason: diedTooOften(outcome.detail) },
      };
    default:
      return assertNever(outcome);
  }
}

function diedTooOften(detail: string): string {
  return `The fixup was started ${MAX_DIED_RUNS} times and died each time: ${detail}`;
}

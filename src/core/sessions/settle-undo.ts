import type { EpochMs } from '../model/ids.ts';
import type { Fixup, SessionOutcome, UndoOrder } from '../model/session.ts';
import type { WorkspacePatch } from '../model/workspace.ts';

/**
 * What the end of an undo changes in its workspace. A push is kept as the person's revert that it is (resolutions S19 and S26):
 * nothing is launched for that cause until somebody asks. It counts no attempt and renews no budget (resolution S17). Without a
 * push nothing changes: no clock was moved at the launch.
 */
export function settleUndo(
  { action }: Pick<Fixup, 'action'>,
  { commitSha, by, ciRunId }: UndoOrder,
  outcome: SessionOutcome,
  now: EpochMs,
): WorkspacePatch {
  if (outcome.kind !== 'pushed') return { activeSessionId: null };
  return {
    activeSessionId: null,
    lastPushAt: now,
    lastPushSha: outcome.commitSha,
    lastCiRunId: ciRunId,
    staleCiSince: ciRunId === null ? null : now,
    takenBack: { commitSha, action, by, headSha: outcome.commitSha, at: now },
  };
}

import type { Decision } from '../model/decision.ts';
import { assertNever } from '../model/errors.ts';
import type { EpochMs } from '../model/ids.ts';
import type { RatchetState, Workspace, WorkspacePatch } from '../model/workspace.ts';
import { toWaiting } from './waiting.ts';

/**
 * The workspace changes of a decision: the displayed state, the waiting clock and the time of the look. ALL_GREEN, but no other
 * DONE, resets the attempt counter (resolution S10), if the other pull requests with the same head branch are green too.
 */
export function recordDecision(
  workspace: Workspace,
  decision: Decision,
  { now, beside }: { readonly now: EpochMs; readonly beside: readonly Pick<Workspace, 'state'>[] },
): WorkspacePatch {
  const isBranchGreen = decision.code === 'ALL_GREEN' && beside.every(({ state }) => state === 'green');
  return {
    state: toState(decision),
    lastCheckedAt: now,
    ...toWaiting(workspace, decision, now),
    ...(isBranchGreen ? { consecutiveAttempts: 0 } : {}),
  };
}

function toState(decision: Decision): RatchetState {
  switch (decision.action) {
    case 'WAIT':
      return decision.code === 'WORKING_SESSION' ? 'fixing' : 'waiting';
    case 'FIX_MERGE_CONFLICT':
    case 'FIX_CI':
    case 'FIX_REVIEW':
      // GitHub does these; no session works.
      return decision.means === 'rerun' || decision.means === 'update-branch' ? 'waiting' : 'fixing';
    case 'TERMINAL_FAILED':
      return 'failed';
    case 'CLEANUP_ONLY':
      return decision.code === 'DISABLED' ? 'disabled' : 'stopped';
    case 'DONE':
      return toDoneState(decision);
    default:
      return assertNever(decision.action);
  }
}

function toDoneState({ code }: Decision): RatchetState {
  if (code === 'ALL_GREEN') return 'green';
  return code === 'NO_PR' || code === 'PR_NOT_OPEN' ? 'closed' : 'stopped';
}

import type { Decision, DecisionCode, Means } from '../model/decision.ts';
import type { FixupKind } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { findLaunchHold } from './holds.ts';

/** Something wrong with a pull request that can be fixed. */
export interface Fault {
  readonly action: FixupKind;
  readonly code: DecisionCode;
  readonly means: Means;
  /** The beginning of a reason: `CI failed`. */
  readonly what: string;
}

/** The decision to fix the fault, or the hold that prevents it. Holds are checked only when there is something to fix. */
export function fix(snapshot: Snapshot, fault: Fault): Decision {
  const { action, code, means, what } = fault;
  return findLaunchHold(snapshot, fault) ?? { action, code, reason: `${what}; ${toPlan(snapshot, means)}.`, means };
}

function toPlan({ ratchet, policy }: Snapshot, means: Means): string {
  if (means === 'rerun') return 'Ratchet re-runs the failed checks once';
  if (means === 'update-branch') return 'Ratchet asks GitHub to update it';
  return `attempt ${ratchet.consecutiveAttempts + 1} of ${policy.maxAttempts}`;
}

import { type Decision, LOG_WORDS } from '../model/decision.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { determineFixupAction } from './determine-fixup-action.ts';

/** A line of the transition log, as far as a decision is compared. `action` and `code` may be of another version. */
export interface StoredDecision {
  readonly action: string;
  readonly code: string;
  readonly reason: string;
}

/** A stored decision beside the one that its snapshot leads to now. */
export type DerivedAgain =
  | { readonly state: 'same' }
  | { readonly state: 'differs'; readonly derived: Pick<Decision, 'action' | 'code' | 'reason'> };

/** Whether a line only says what was done. Any other one may be a decision, also one with an action that is not known. */
export function isOtherLine({ action, snapshot }: { readonly action: string; readonly snapshot: unknown }): boolean {
  return snapshot === null && LOG_WORDS.some((known) => known === action);
}

/** Decides again from the stored snapshot (002.R22). Any difference counts, also one of the words alone. */
export function deriveAgain(stored: StoredDecision, snapshot: Snapshot): DerivedAgain {
  const { action, code, reason } = determineFixupAction(snapshot);
  const isSame = action === stored.action && code === stored.code && reason === stored.reason;
  return isSame ? { state: 'same' } : { state: 'differs', derived: { action, code, reason } };
}

import type { Decision, DecisionCode, FixupAction } from '../model/decision.ts';
import type { FixupKind } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** One question of the decision. */
export interface Guard {
  /** What it may answer, in this order. If it fixes something, a hold may answer in its place. */
  readonly codes: readonly DecisionCode[];
  /** Returns a decision if it applies; null passes on to the next guard. */
  readonly find: (snapshot: Snapshot) => Decision | null;
}

/** A decision that launches nothing. Only `fix` returns a FIX_*, because it checks the holds. */
export function decide(action: Exclude<FixupAction, FixupKind>, code: DecisionCode, reason: string): Decision {
  return { action, code, reason };
}

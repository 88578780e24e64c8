import type { Decision, DecisionCode, FixupAction } from '../model/decision.ts';
import type { FixupKind } from '../model/session.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** Answers with a decision when it applies, else hands on to the next one. */
export type Guard = (snapshot: Snapshot) => Decision | null;

/** A decision that launches nothing; a FIX_* comes from `fix` alone, after every hold. */
export function decide(action: Exclude<FixupAction, FixupKind>, code: DecisionCode, reason: string): Decision {
  return { action, code, reason };
}

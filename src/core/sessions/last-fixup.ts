import type { Sha } from '../model/ids.ts';
import type { Fixup, Session, SessionOutcome } from '../model/session.ts';

/** The newest fixup that was pushed to a branch. */
export interface LastFixup {
  readonly fixup: Fixup;
  readonly outcome: SessionOutcome & { readonly kind: 'pushed' };
  /** The commit that undid it; null: nobody asked Ratchet for that. */
  readonly undoneBy: Sha | null;
}

/**
 * Of the ended sessions of a branch, newest first, the last fixup that pushed; null if none did. An undo is no fixup, and never
 * reaches beyond the last one: whoever presses twice means the same change.
 */
export function findLastFixup(ended: readonly Pick<Session, 'fixup' | 'outcome'>[]): LastFixup | null {
  const undone = new Map<Sha, Sha>();
  for (const { fixup, outcome } of ended) {
    if (fixup === null || outcome?.kind !== 'pushed') continue;
    if (fixup.undo === undefined) return { fixup, outcome, undoneBy: undone.get(outcome.commitSha) ?? null };
    undone.set(fixup.undo.commitSha, outcome.commitSha);
  }
  return null;
}

/** Whether Ratchet reverts it if a person asks: a merge of the base is left to people (resolution S26). */
export function isUndoable({ fixup, undoneBy }: LastFixup): boolean {
  return undoneBy === null && fixup.action !== 'FIX_MERGE_CONFLICT';
}

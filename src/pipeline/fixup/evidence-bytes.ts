import { MAX_EVIDENCE_BYTES } from '../../core/evidence/prompt-parts.ts';
import { type FixupSession, REMEMBERED_SESSIONS } from '../../core/model/session.ts';
import { countEarlier } from '../../core/sessions/count-earlier.ts';
import type { Deps } from '../deps.ts';

/** By how much the evidence shrinks when the task did not fit into the context of the model. */
const SHRINKS_BY = 4;

/** Limit of all evidence files of a fixup together: smaller if an earlier fixup for the same cause was too long for the model. */
export function toEvidenceBytes({ store }: Pick<Deps, 'store'>, { key, fixup }: FixupSession): number {
  const ended = store.endedSessions(key, REMEMBERED_SESSIONS);
  const { tooLong } = countEarlier(ended, fixup, store.workspace(key)?.askedAt ?? null);
  return tooLong === 0 ? MAX_EVIDENCE_BYTES : Math.floor(MAX_EVIDENCE_BYTES / SHRINKS_BY);
}

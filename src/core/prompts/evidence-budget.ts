import type { FixupSession, Session } from '../model/session.ts';

/** How much an agent is given, in bytes of UTF-8. */
export interface EvidenceBudget {
  /** The whole prompt. */
  readonly promptBytes: number;
  /** All evidence files together. */
  readonly fileBytes: number;
}

export const FULL_BUDGET: EvidenceBudget = { promptBytes: 48 * 1024, fileBytes: 512 * 1024 };

/** For a second try, after the first one did not fit into the model's context. */
export const SMALL_BUDGET: EvidenceBudget = { promptBytes: 20 * 1024, fileBytes: 64 * 1024 };

/** Small if an attempt with the same cause did not fit into the model's context. `ended`: sessions of the pull request. */
export function chooseBudget(
  ended: readonly Pick<Session, 'fixup' | 'outcome'>[],
  { fixup }: Pick<FixupSession, 'fixup'>,
): EvidenceBudget {
  const wasTooLong = ended.some(
    ({ fixup: other, outcome }) =>
      other?.causeKey === fixup.causeKey && outcome?.kind === 'rejected' && outcome.code === 'CONTEXT_TOO_LONG',
  );
  return wasTooLong ? SMALL_BUDGET : FULL_BUDGET;
}

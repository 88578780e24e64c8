import type { EpochMs } from '../model/ids.ts';
import type { Fixup, RejectCode, Session } from '../model/session.ts';
import { toRejectEffect } from './reject-effects.ts';
import type { EarlierRuns } from './settle-session.ts';

type Ended = Pick<Session, 'fixup' | 'outcome' | 'startedAt'>;

/** Counts the ended sessions of a cause. `since`: when a person last asked for a fresh start; null: never. */
export function countEarlier(
  ended: readonly Ended[],
  { causeKey }: Pick<Fixup, 'causeKey'>,
  since: EpochMs | null,
): EarlierRuns {
  const same = ended.filter(({ fixup, startedAt }) => fixup?.causeKey === causeKey && startedAt >= (since ?? 0));
  const codes = same.flatMap(({ outcome }) => (outcome?.kind === 'rejected' ? [outcome.code] : []));
  return {
    died: same.filter(({ outcome }) => outcome?.kind === 'died').length,
    free: codes.filter(isFree).length,
    tooLong: codes.filter((code) => code === 'CONTEXT_TOO_LONG').length,
  };
}

/** Whether one of the sessions of a cause showed that only an agent can do it: it came so far as to need a model. */
export function hasNeededAgent(ended: readonly Ended[], causeKey: string): boolean {
  return ended.some(
    ({ fixup, outcome }) =>
      fixup?.causeKey === causeKey && outcome?.kind === 'rejected' && toRejectEffect(outcome.code).then !== 'person',
  );
}

function isFree(code: RejectCode): boolean {
  const { counts, then } = toRejectEffect(code);
  return !counts && then === 'hold';
}

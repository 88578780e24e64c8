import { assertNever } from '../../core/model/errors.ts';
import type { Deps } from '../deps.ts';
import type { OrEnded } from '../prepare/or-ended.ts';
import { addressReview } from './address-review.ts';
import { fixCi } from './fix-ci.ts';
import type { Change, PreparedFixup } from './fixup-session.ts';
import { resolveConflict } from './resolve-conflict.ts';
import { takeHeld } from './take-held.ts';

/** Makes the change for the goal. Nothing is judged or pushed yet. */
export async function makeChange(deps: Deps, prepared: PreparedFixup, signal: AbortSignal): Promise<OrEnded<Change>> {
  switch (prepared.goal.kind) {
    case 'ci':
      return fixCi(deps, { ...prepared, goal: prepared.goal }, signal);
    case 'review':
      return addressReview(deps, { ...prepared, goal: prepared.goal }, signal);
    case 'merge':
      return resolveConflict(deps, { ...prepared, goal: prepared.goal }, signal);
    case 'accepted':
      return takeHeld(deps, { ...prepared, goal: prepared.goal }, signal);
    default:
      return assertNever(prepared.goal);
  }
}
